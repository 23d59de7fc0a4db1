import { WritError } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { noting } from './noting.ts';
import type { CommandView, PeerCommands, SentCommands, WatchedCommand, WishAnswer } from './types.ts';

const VIEW: CommandView = {
  ...{ id: 'c1', state: 'pending_approval', why: 'waits', class: 'destructive', needs: [], profile: 'ops' },
  ...{ argv: ['rm', 'x'], cwd: '/', requestedBy: 'self', createdAtMs: 1, expiresAtMs: 2 },
};
const REQUEST: Parameters<PeerCommands['execute']>[0] = {
  ...{ id: 'k1', writs: [], wish: { kind: 'command', command: { argv: ['rm', 'x'] } } },
};

function seen(state: CommandView['state'], more: Partial<CommandView> = {}): WatchedCommand {
  return { kind: 'state', command: { ...VIEW, state, ...more } };
}

/** What is kept of what a peer says. */
function createKept(said: { readonly answer?: () => WishAnswer; readonly watched?: readonly WatchedCommand[] }) {
  const notes: Parameters<SentCommands['note']>[] = [];
  const client: PeerCommands = {
    execute: async () => (said.answer ?? (() => ({ accepted: true, command: VIEW })))(),
    async *watchExecution() {
      yield* said.watched ?? [];
    },
    cancelExecution: async () => ({ ...VIEW, state: 'cancelled', outcome: { code: 'CANCELLED', message: 'gone' } }),
  };
  const sent: SentCommands = { record: () => {}, list: () => [], note: (...note) => void notes.push(note) };
  return { notes, client: noting(client, 'wn-b', sent) };
}

async function drain(items: AsyncIterable<WatchedCommand>): Promise<number> {
  let count = 0;
  for await (const _ of items) count += 1;
  return count;
}

describe('what a peer says of a command', () => {
  it('is kept as it answers, with its refusals', async () => {
    const taken = createKept({});
    await taken.client.execute(REQUEST);
    expect(taken.notes).toEqual([
      [
        { key: 'k1', peer: 'wn-b' },
        { state: 'pending_approval', class: 'destructive' },
        { isFinal: false, id: 'c1' },
      ],
    ]);
    const refusal = { code: 'LEASE_REQUIRED', message: 'no lease', nextSteps: [] } as const;
    const refused = createKept({ answer: () => ({ accepted: false, refusal, generation: 1 }) });
    await refused.client.execute(REQUEST);
    expect(refused.notes).toEqual([
      [{ key: 'k1', peer: 'wn-b' }, { state: 'refused', code: 'LEASE_REQUIRED' }, { isFinal: false }],
    ]);
    await taken.client.cancelExecution('c1');
    expect(taken.notes[1]).toEqual([
      { id: 'c1', peer: 'wn-b' },
      { state: 'cancelled', class: 'destructive', code: 'CANCELLED' },
      { isFinal: true },
    ]);
  });

  it('is nothing where it said nothing, and no state where it was asked about a plan', async () => {
    const away = createKept({
      answer() {
        throw new WritError('UNREACHABLE', 'away');
      },
    });
    await expect(away.client.execute(REQUEST)).rejects.toMatchObject({ code: 'UNREACHABLE' });
    const question = { approval: 'a1', state: 'pending', why: 'waits', expiresAtMs: 9, steps: [] } as const;
    const plan = createKept({ answer: () => ({ accepted: true, question }) });
    await plan.client.execute(REQUEST);
    expect([away.notes, plan.notes]).toEqual([[], []]);
  });

  it('is kept for as many changes as a command can have, and what takes its place for one that has ended', async () => {
    const states = ['pending_approval', 'running'] as const;
    const watched = Array.from({ length: 100 }, (_, at) => seen(states[at % 2] ?? 'running', { next: `c${at + 2}` }));
    const kept = createKept({ watched });
    expect(await drain(kept.client.watchExecution('c1', 0, new AbortController().signal))).toBe(100);
    expect(kept.notes).toHaveLength(16);
    expect(kept.notes.flatMap(([, , more]) => more.next ?? [])).toEqual([]);
  });

  it('is kept once for each change up to the ending, under the id that was asked for', async () => {
    const outcome = { code: 'CHANGED_SINCE_APPROVAL', message: 'changed' };
    const kept = createKept({
      watched: [
        seen('pending_approval'),
        seen('pending_approval', { id: 'another' }),
        seen('running'),
        seen('failed', { outcome, next: 'c2' }),
        seen('running', { next: 'c3' }),
        seen('failed', { outcome, next: 'c4' }),
      ],
    });
    expect(await drain(kept.client.watchExecution('c1', 0, new AbortController().signal))).toBe(6);
    const whose = { id: 'c1', peer: 'wn-b' };
    expect(kept.notes.map(([whose, { state }, what]) => [whose, state, what])).toEqual([
      [whose, 'pending_approval', { isFinal: false }],
      [whose, 'running', { isFinal: false }],
      [whose, 'failed', { isFinal: true, next: 'c2' }],
    ]);
  });
});
