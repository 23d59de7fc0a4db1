import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAKE_APPROVAL } from '../testing/fake-gate.ts';
import { HOST_TOKEN, TASK_TOKEN } from '../testing/fake-node.ts';
import { type Listening, startListening } from '../testing/listening.ts';
import { createQueue } from './queue.ts';

let at: Listening;
beforeEach(async () => {
  at = await startListening();
});
afterEach(() => at.stop());

const LEASE = { kind: 'lease_grant', peer: 'beta', profile: 'repo-dev', duration: '1h' } as const;

describe('questions on the control socket', () => {
  it('are listed by what they are about, and shown whole', async () => {
    const { approvals } = await at.client.call('approval_list', {});
    expect(approvals).toMatchObject([
      { id: 'a-1', kind: 'lease', about: 'lend profile: repo-dev', requested_by: 'self' },
    ]);
    const { approval } = await at.client.call('approval_show', { approval: 'a-1' });
    expect(approval.preview).toBe(FAKE_APPROVAL.preview);
    await expect(at.client.call('approval_show', { approval: 'a-2' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are answered with a statement and a proof, and a check that fails is a value', async () => {
    const { statement } = await at.client.call('approval_statement', { approval: 'a-1', answer: 'deny' });
    expect(statement).toEqual({
      ...{ node: 'wn-alpha', approval: 'a-1', kind: 'lease', digest: 'd', preview: 'p', answer: 'deny' },
      expiresAtMs: FAKE_APPROVAL.expiresAtMs,
    });
    const proof = { kind: 'passphrase', approver: 'ap-1', signature: 's' } as const;
    expect(await at.client.call('approval_decide', { statement, proof })).toMatchObject({
      ...{ decided: false, check: 'pending', code: 'NOT_PENDING', decided_by: 'ap-1' },
    });
  });

  it('say of a yes to a configuration whether it is in force, and of no other answer', async () => {
    const decided = async (kind: 'policy' | 'lease', answer: 'approve' | 'deny') => {
      const approval = { ...FAKE_APPROVAL, kind };
      Object.assign(at.node.ports.gate.approvals, { decide: () => ({ decided: true, approval }) });
      const { statement } = await at.client.call('approval_statement', { approval: 'a-1', answer });
      return (await at.client.call('approval_decide', { statement, proof: { kind: 'terminal' } })).in_force;
    };
    expect(await decided('policy', 'approve')).toBe(false);
    expect([await decided('policy', 'deny'), await decided('lease', 'approve')]).toEqual([undefined, undefined]);
  });

  it('are taken back by whoever asked, with what they were given, and by no other who has the host token', async () => {
    const { approval, ticket } = await at.client.call('approval_ask', { about: LEASE });
    const withdraw = async (given: string) =>
      (await at.client.call('approval_withdraw', { approval: approval.id, ticket: given })).withdrawn;
    expect([await withdraw('another'), await withdraw(ticket)]).toEqual([false, true]);
  });

  it('take no passphrase anywhere', async () => {
    const { statement } = await at.client.call('approval_statement', { approval: 'a-1', answer: 'deny' });
    const proof = { kind: 'passphrase', approver: 'ap-1', signature: 's', passphrase: 'secret' };
    await expect(at.client.call('approval_decide', { statement, proof } as never)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });

  it('are nothing that a task can see, ask, answer or take back', async () => {
    const task = at.clientWith(TASK_TOKEN);
    for (const name of [
      'approval_list',
      'approval_show',
      'approval_ask',
      'approval_statement',
      'approval_decide',
      'approval_withdraw',
      'approver_list',
      'approver_enroll',
      'window_list',
      'window_close',
      'session_start',
      'session_end',
      'request_lease',
    ] as const) {
      await expect(task.call(name, {} as never), name).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

describe('what gives somebody more', () => {
  it('is refused to the host token where an approver answers, with the command to type', async () => {
    Object.assign(at.node.ports.person, { hasApprover: () => true });
    const { kind: _, ...terms } = LEASE;
    const client = at.clientWith(HOST_TOKEN);
    await expect(client.call('lease_grant', terms)).rejects.toMatchObject({
      code: 'NOT_APPROVER',
      nextSteps: ['type at a terminal: writ lease grant beta repo-dev --for 1h'],
    });
    await expect(client.call('lease_renew', { lease: 'l-1', duration: '1h' })).rejects.toMatchObject({
      code: 'NOT_APPROVER',
    });
    const end = { ends_at_ms: Date.UTC(2030, 0, 2, 18) };
    const until = '--for "until HH:MM", as the clock there says at 2030-01-02T18:00:00.000Z';
    await expect(client.call('lease_grant', { peer: 'beta', profile: 'repo-dev', ...end })).rejects.toMatchObject({
      nextSteps: [`type at a terminal: writ lease grant beta repo-dev ${until}`],
    });
    await expect(client.call('lease_renew', { lease: 'l-1', ...end })).rejects.toMatchObject({
      nextSteps: [`type at a terminal: writ lease renew l-1 ${until}`],
    });
    for (const span of [{}, { duration: '1h', ends_at_ms: 1 }]) {
      const wrong = { peer: 'beta', profile: 'repo-dev', ...span };
      await expect(client.call('lease_grant', wrong)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    await expect(client.call('clock_accept', {})).rejects.toMatchObject({
      code: 'NOT_APPROVER',
      nextSteps: ['type at a terminal: writ lease accept-clock'],
    });
    await expect(client.call('policy_reload', { accept: true })).rejects.toMatchObject({ code: 'NOT_APPROVER' });
    expect((await client.call('policy_reload', {})).reloaded).toBe(true);
    expect(at.node.leases.size).toBe(0);
    expect((await client.call('approval_ask', { about: LEASE })).approval.id).toBe('a-1');
  });
});

describe('a queue between listeners and one reader', () => {
  it('keeps what comes while nobody reads, and ends with its signal', async () => {
    const over = new AbortController();
    const queue = createQueue<number>(over.signal);
    queue.send(1);
    queue.send(2);
    const read = queue[Symbol.asyncIterator]();
    expect((await read.next()).value).toBe(1);
    expect((await read.next()).value).toBe(2);
    const third = read.next();
    queue.send(3);
    expect((await third).value).toBe(3);
    const last = read.next();
    over.abort();
    expect((await last).done).toBe(true);
  });
});
