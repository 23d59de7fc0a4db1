import { createSystemRandom } from '@writ/core';
import type { PolicyEngine } from '@writ/policy';
import { expect, it } from 'vitest';
import { createCommands } from './commands.ts';
import type { CommandDesk, PeerCommands, WatchedCommand } from './types.ts';

const HOST = { kind: 'host', session: { id: 's1', agent: 'tester' } } as const;

/** The commands of a node whose peer tells this, and what its watch heard of its end. */
function beside(told: () => AsyncGenerator<WatchedCommand>) {
  const heard: { signal?: AbortSignal } = {};
  const peer: PeerCommands = {
    execute: () => Promise.reject(new Error('is not asked')),
    watchExecution(_id, _offset, signal) {
      heard.signal = signal;
      return told();
    },
    cancelExecution: () => Promise.reject(new Error('is not asked')),
  };
  const commands = createCommands({
    desk: {} as CommandDesk,
    engine: {} as PolicyEngine,
    directory: { find: () => ({ id: 'wn-b', label: 'beta', enabled: true }) },
    peer: () => peer,
    issuer: { issue: () => 'none' },
    sent: { record: () => {}, note: () => {}, list: () => [] },
    random: createSystemRandom(),
  });
  return { heard, show: (signal?: AbortSignal) => commands.show(HOST, { at: 'beta', id: 'c1' }, signal) };
}

it('a peer that tells output where a state is due is heard no further', async () => {
  const at = beside(async function* () {
    for (;;) yield { kind: 'output', stream: 'stdout', atMs: 1, next: 1, data: new Uint8Array(1) };
  });
  await expect(at.show()).rejects.toMatchObject({ message: expect.stringContaining('broke the protocol') });
  expect(at.heard.signal?.aborted).toBe(true);
});

it('nothing is asked of a peer for whoever has gone', async () => {
  const at = beside(async function* () {});
  const gone = new AbortController();
  gone.abort();
  await expect(at.show(gone.signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(at.heard.signal?.aborted).toBe(true);
});
