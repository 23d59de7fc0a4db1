import type { Gate } from '@writ/authority';
import { describe, expect, it } from 'vitest';
import { createPeerConsent } from './peer-consent.ts';

type State = 'pending' | 'approved' | 'denied';
type Listener = Parameters<Gate['events']['add']>[0];

/** A question in this state, whose answers are told by `tell`. */
function asked(state: State | undefined) {
  const listeners = new Set<Listener>();
  const cancelled: string[] = [];
  const gate = {
    approvals: { get: () => state && { state }, cancel: (_: unknown, id: string) => cancelled.push(id) },
    events: {
      add(listener: Listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
  const database = { withWriteTx: (fn: (tx: unknown) => unknown) => fn(undefined) };
  const consent = createPeerConsent({ database } as never);
  consent.bind(gate as never, () => {
    throw new Error('nothing is asked');
  });
  const tell = (now: State): void => {
    for (const listener of [...listeners]) listener({ kind: 'approval', approval: { id: 'q', state: now } } as never);
  };
  return { consent, tell, listeners, cancelled };
}

describe('the answer about a peer', () => {
  it.each([
    ['approved', true],
    ['denied', false],
    [undefined, false],
  ] as const)('that came before anybody listened (%s) is not lost', async (state, yes) => {
    const { consent, listeners, cancelled } = asked(state);
    expect(await consent.answer('q', new AbortController().signal)).toBe(yes);
    expect([listeners.size, cancelled]).toEqual([0, []]);
  });

  it('is waited for, and the question taken back where nobody waits any more', async () => {
    const one = asked('pending');
    const answer = one.consent.answer('q', new AbortController().signal);
    one.tell('approved');
    expect(await answer).toBe(true);
    const other = asked('pending');
    const abort = new AbortController();
    const never = other.consent.answer('q', abort.signal);
    abort.abort();
    expect([await never, other.cancelled]).toEqual([false, ['q']]);
  });
});
