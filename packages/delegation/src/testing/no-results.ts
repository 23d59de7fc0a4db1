import type { PeerClient } from '../types.ts';

/** The part of a peer that tests need which look at no result: it has none, and takes nothing. */
export const NO_RESULTS: Pick<PeerClient, 'getResult' | 'fetch' | 'acknowledge' | 'workspaceCommits' | 'upload'> = {
  getResult: async () => new Uint8Array(),
  async *fetch() {},
  acknowledge: async () => [],
  workspaceCommits: async () => [],
  upload: async () => {},
};
