import { WritError } from '@writ/core';
import type { PeerClient } from '../peer-port.ts';

/** The part of a peer that tests need which look at no result: it has none, takes nothing, and renews nothing. */
export const NO_RESULTS: Pick<
  PeerClient,
  | 'renew'
  | 'reply'
  | 'getResult'
  | 'fetch'
  | 'acknowledge'
  | 'workspaceCommits'
  | 'upload'
  | 'requestLease'
  | 'endSession'
> = {
  async renew() {
    throw new WritError('UNREACHABLE', 'nothing is renewed there');
  },
  async reply() {
    throw new WritError('UNREACHABLE', 'nobody replies there');
  },
  getResult: async () => new Uint8Array(),
  async *fetch() {},
  acknowledge: async () => [],
  workspaceCommits: async () => [],
  upload: async () => {},
  endSession: async () => {},
  async requestLease() {
    throw new WritError('UNREACHABLE', 'nobody is asked there');
  },
};
