import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeMirror, fakeTask } from '../testing/fake-records.ts';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;
beforeEach(async () => {
  at = await startListening();
});
afterEach(() => at.stop());

const WAITS = {
  ...{ approval: 'ap-1', code: 'APPROVAL_REQUIRED', message: 'it is approved each time' },
  ...{ sinceMs: 0, answerByMs: 3_600_000 },
};
const UNTIL = 'since 1970-01-01T00:00:00.000Z, until 1970-01-01T01:00:00.000Z';

describe('a task that waits for a person', () => {
  it('says for what, since when, and who can answer, where it was asked and where it would run', async () => {
    at.node.asked.records.set('t-a', fakeMirror('t-a', { state: 'waiting' }));
    at.node.asked.waits.set('t-a', WAITS);
    at.node.executing.records.set('t-b', fakeTask('t-b', { state: 'waiting' }));
    at.node.executing.waits.set('t-b', { ...WAITS, message: 'turn \u202e round' });
    const there = `a person of beta: it is approved each time (approval ap-1, ${UNTIL})`;
    expect(await at.client.call('status', { task: 't-a' })).toMatchObject({ state: 'waiting', waiting_for: there });
    const here = await at.client.call('task_show', { task: 't-b' });
    expect(here.waits).toMatchObject({ who: 'a person of this node', approval: 'ap-1', answer_by_ms: 3_600_000 });
    expect(here.waits?.message).not.toContain('\u202e');
  });

  it('says nothing of it once it waits no more', async () => {
    at.node.asked.records.set('t-a', fakeMirror('t-a'));
    expect(await at.client.call('status', { task: 't-a' })).not.toHaveProperty('waiting_for');
  });
});

describe('a lease', () => {
  it('of another node is asked for there: the same wish is the same question, and a refusal says what would help', async () => {
    const wish = { peer: 'beta', profile: 'repo-dev', duration: '1h' } as const;
    const first = await at.client.call('request_lease', wish);
    expect(first).toMatchObject({ asked: true, state: 'pending', expires_at_ms: 5 });
    expect(await at.client.call('request_lease', wish)).toEqual(first);
    const longer = await at.client.call('request_lease', { ...wish, duration: '2h' });
    expect(longer.approval).not.toBe(first.approval);
    expect(await at.client.call('request_lease', { ...wish, profile: 'query' })).toMatchObject({
      ...{ asked: false, code: 'LEASE_REQUIRED', next_steps: ['ask a person at beta'] },
    });
  });

  it.each(['beta', 'self'])('of %s is asked for under the caller’s key, where there is one', async (peer) => {
    const wish = { peer, profile: 'repo-dev', duration: '1h', idempotency_key: 'my key' } as const;
    const first = await at.client.call('request_lease', wish);
    expect(first).toEqual({ asked: true, approval: 'ap-my key', state: 'pending', expires_at_ms: 5 });
    const { idempotency_key: _, ...without } = wish;
    expect((await at.client.call('request_lease', without)).approval).not.toBe(first.approval);
  });

  it('that was answered says how to ask anew', async () => {
    const answered = { asked: true, approval: 'ap-1', state: 'denied', answerByMs: 5 } as const;
    Object.assign(at.node.ports.origin, { requestLease: async () => answered });
    expect(await at.client.call('request_lease', { profile: 'repo-dev', duration: '1h' })).toMatchObject({
      ...{ state: 'denied', next_steps: ['ask for another one under a new idempotency key'] },
    });
  });
});
