import type { PeerClients } from '@writ/mesh';
import { expect, it } from 'vitest';
import { createRemoteDescribe } from './peer-links.ts';

it('a peer is asked for as long as whoever wants to know stays', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const client = {
    describe: (signal?: AbortSignal) => signals.push(signal),
    checkPolicy: (_: unknown, signal?: AbortSignal) => signals.push(signal),
  };
  const remote = createRemoteDescribe({ client: () => client } as unknown as PeerClients);
  const { signal } = new AbortController();
  await remote.describe('wn-beta', signal);
  await remote.check('wn-beta', {}, signal);
  expect(signals).toEqual([signal, signal]);
  expect(signals[0]).toBe(signal);
});
