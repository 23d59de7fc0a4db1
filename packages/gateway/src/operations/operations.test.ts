import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BETA_ID } from '../testing/fake-config.ts';
import { completed, fakeMirror, fakeTask } from '../testing/fake-records.ts';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;

beforeEach(async () => {
  at = await startListening();
});
afterEach(() => at.stop());

describe('delegate', () => {
  it('hands on what was asked, in a session of its own, with names folded', async () => {
    const answer = await at.client.call('delegate', {
      to: 'Beta',
      argv: ['npm', 'test'],
      profile: 'Query',
      workspace: 'app',
      timeout: '90s',
      idempotency_key: 'k',
    });
    expect(answer).toMatchObject({
      accepted: true,
      task: 't-1',
      state: 'running',
      decided: { by: 'peer', effect: 'allow', code: 'OK', profile: 'query', runner: 'shell', generation: 7 },
    });
    expect(at.node.delegated).toEqual([
      {
        to: 'beta',
        spec: { input: { kind: 'argv', argv: ['npm', 'test'] }, profile: 'query', workspace: 'app', timeoutMs: 90_000 },
        session: 's-1',
        agent: 'cli',
        idempotencyKey: 'k',
      },
    ]);
    await at.client.call('delegate', { to: 'beta', prompt: 'fix it' });
    expect(at.node.delegated[1]).toMatchObject({
      session: 's-2',
      spec: { input: { kind: 'prompt', prompt: 'fix it' } },
    });
  });

  it('answers a refusal as a value that says what would help', async () => {
    expect(await at.client.call('delegate', { to: 'beta', argv: ['true'], profile: 'repo-dev' })).toMatchObject({
      accepted: false,
      decided: {
        ...{ by: 'peer', effect: 'deny', code: 'LEASE_REQUIRED', generation: 7 },
        next_steps: [
          'ask for one (an agent: tool request_lease): writ lease request repo-dev --peer beta --for 1h',
          'ask a person at beta',
        ],
      },
    });
  });

  it('refuses what is no name and no duration before anything is stored', async () => {
    const base = { to: 'beta', argv: ['true'] };
    await expect(at.client.call('delegate', { ...base, profile: '../x' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await expect(at.client.call('delegate', { ...base, timeout: 'soon' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    expect(at.node.delegated).toEqual([]);
    expect(at.node.sessions).toEqual([]);
  });
});

describe('status, cancel and transcript', () => {
  it('find a task on either side', async () => {
    at.node.asked.records.set('t-a', fakeMirror('t-a'));
    at.node.executing.records.set('t-b', fakeTask('t-b'));
    expect(await at.client.call('status', { task: 't-a' })).toMatchObject({
      side: 'asked',
      work: 'npm test',
      peer: 'beta',
    });
    expect(await at.client.call('status', { task: 't-b' })).toMatchObject({ side: 'executing', peer: 'beta' });
    await expect(at.client.call('status', { task: 't-c' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('show a task that this node gave itself once, as asked', async () => {
    at.node.asked.records.set('t-s', fakeMirror('t-s', { peer: 'self', peerLabel: 'self' }));
    at.node.executing.records.set('t-s', fakeTask('t-s', { sender: 'self', deadlineMs: 99 }));
    expect((await at.client.call('list_tasks', {})).tasks).toMatchObject([
      { task: 't-s', side: 'asked', peer: 'self' },
    ]);
    const executing = await at.client.call('list_tasks', { side: 'executing' });
    expect(executing.tasks).toMatchObject([{ task: 't-s', side: 'executing' }]);
    expect(await at.client.call('task_show', { task: 't-s' })).toMatchObject({
      side: 'asked',
      deadline_ms: 99,
      epoch: 1,
    });
  });

  it('cancel at the end that has it, and say who did', async () => {
    at.node.asked.records.set('t-a', fakeMirror('t-a'));
    at.node.executing.records.set('t-b', fakeTask('t-b'));
    expect(await at.client.call('cancel', { task: 't-a' })).toMatchObject({ state: 'cancelled', finished: true });
    expect(await at.client.call('cancel', { task: 't-b' })).toMatchObject({ state: 'cancelled' });
    expect(at.node.asked.cancelled).toEqual([{ id: 't-a', by: 'person' }]);
    expect(at.node.executing.cancelled).toEqual([{ id: 't-b', by: 'person' }]);
  });

  it('read a transcript page by page without cutting a character', async () => {
    at.node.asked.records.set('t-a', fakeMirror('t-a'));
    at.node.asked.transcripts.set('t-a', { bytes: Buffer.from('aaé\u0007b'), end: true });
    const first = await at.client.call('transcript', { task: 't-a', limit: 3 });
    expect(first).toEqual({ task: 't-a', log: 'log:t-a#0', text: 'aa', next_offset: 2, end: false });
    expect(await at.client.call('transcript', { task: 't-a', offset: 2 })).toEqual({
      task: 't-a',
      log: 'log:t-a#2',
      text: 'é\\u{7}b',
      next_offset: 6,
      end: true,
    });
  });
});

describe('wait', () => {
  it('answers at once for a task that is finished', async () => {
    at.node.asked.records.set('t-a', fakeMirror('t-a', { state: 'completed', outcome: completed }));
    expect(await at.client.call('wait', { task: 't-a' })).toMatchObject({ finished: true, timed_out: false });
    expect(at.node.asked.taken).toBe(0);
  });

  it('answers when the outcome comes, and leaves no timer', async () => {
    at.node.asked.records.set('t-a', fakeMirror('t-a'));
    const waiting = at.client.call('wait', { task: 't-a', timeout_seconds: 600 });
    await at.node.asked.watched(1);
    at.node.asked.records.set('t-a', fakeMirror('t-a', { state: 'completed', outcome: completed }));
    at.node.asked.append('t-a', { kind: 'outcome', outcome: completed });
    expect(await waiting).toMatchObject({ state: 'completed', timed_out: false });
    expect(at.node.clock.timers).toBe(0);
    expect(at.node.asked.watchers).toBe(0);
  });

  it('answers with the state of now when the time is over, and lets go of the task', async () => {
    at.node.executing.records.set('t-b', fakeTask('t-b'));
    const waiting = at.client.call('wait', { task: 't-b', timeout_seconds: 30 });
    await at.node.clock.armed(30_000);
    at.node.clock.advance(30_000);
    expect(await waiting).toMatchObject({ state: 'running', timed_out: true });
    await at.node.executing.watched(0);
  });

  it('lets go when the caller leaves', async () => {
    at.node.asked.records.set('t-a', fakeMirror('t-a'));
    const abort = new AbortController();
    const waiting = at.client.call('wait', { task: 't-a' }, { signal: abort.signal });
    await at.node.asked.watched(1);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    await at.node.asked.watched(0);
  });
});

describe('list_tasks', () => {
  beforeEach(() => {
    for (const n of [1, 3, 5, 7]) at.node.asked.records.set(`t-${n}`, fakeMirror(`t-${n}`));
    for (const n of [2, 4, 6]) {
      at.node.executing.records.set(`t-${n}`, fakeTask(`t-${n}`, { state: n === 4 ? 'lost' : 'running' }));
    }
  });

  it('merges both sides, newest first, and goes on page by page to the end', async () => {
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = await at.client.call('list_tasks', { limit: 2, ...(before === undefined ? {} : { before }) });
      seen.push(...page.tasks.map(({ task }) => task));
      before = page.next_before;
    } while (before !== undefined);
    expect(seen).toEqual(['t-7', 't-6', 't-5', 't-4', 't-3', 't-2', 't-1']);
  });

  it('takes a side, a state and a peer', async () => {
    const names = async (input: { side?: 'asked'; state?: 'lost'; peer?: string }): Promise<string[]> =>
      (await at.client.call('list_tasks', input)).tasks.map(({ task }) => task);
    expect(await names({ side: 'asked' })).toEqual(['t-7', 't-5', 't-3', 't-1']);
    expect(await names({ state: 'lost' })).toEqual(['t-4']);
    expect(await names({ peer: BETA_ID })).toHaveLength(7);
    expect(await names({ peer: 'gamma' })).toEqual([]);
    await expect(names({ peer: 'bet' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      nextSteps: ['did you mean `beta`?', expect.any(String)],
    });
  });
});

describe('discovery', () => {
  it('lists peers with what may be asked of them', async () => {
    const { peers } = await at.client.call('list_peers', {});
    expect(peers).toMatchObject([
      { label: 'beta', link: 'up', address: '127.0.0.1:7420', profiles_we_may_ask: ['query', 'repo-dev'] },
      { label: 'gamma', link: 'none' },
    ]);
  });

  it('lists own profiles, and what a peer offers', async () => {
    expect((await at.client.call('list_profiles', {})).profiles).toMatchObject([
      { name: 'query', may_ask: true },
      { name: 'repo-dev', may_ask: false, requires_lease: true },
    ]);
    expect(await at.client.call('list_profiles', { peer: 'BETA' })).toMatchObject({
      of: 'beta',
      generation: 3,
      profiles: [{ name: 'repo-dev', may_ask: true }],
    });
    await expect(at.client.call('list_profiles', { peer: 'gamma' })).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('what a person does', () => {
  it('lends and takes back a lease', async () => {
    const { lease } = await at.client.call('lease_grant', {
      peer: 'beta',
      profile: 'repo-dev',
      duration: '8h',
      max_uses: 2,
    });
    expect(lease).toMatchObject({ peer: 'beta', live: true, max_uses: 2, issued_by: 'person' });
    expect((await at.client.call('lease_list', {})).leases).toHaveLength(1);
    expect(await at.client.call('lease_revoke', { lease: lease.id })).toEqual({ lease: lease.id, revoked: true });
    expect(await at.client.call('lease_revoke', { lease: lease.id })).toMatchObject({ revoked: false });
    expect((await at.client.call('lease_list', { all: true })).leases).toMatchObject([{ live: false }]);
    await expect(at.client.call('lease_revoke', { lease: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('explains with the decision and trace of the engine', async () => {
    expect(await at.client.call('policy_explain', { from: 'beta', profile: 'repo-dev' })).toMatchObject({
      direction: 'incoming',
      code: 'LEASE_REQUIRED',
      generation: 7,
      trace: [{ rule: 'lease', outcome: 'deny', line: 9 }],
    });
    expect(await at.client.call('policy_explain', { to: 'beta' })).toMatchObject({ direction: 'outgoing', code: 'OK' });
    await expect(at.client.call('policy_explain', { to: 'beta', from: 'beta' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });

  it('stops the node after the answer', async () => {
    expect(await at.client.call('node_stop', {})).toEqual({ stopping: true, pid: 4242 });
    expect(at.node.stops).toBe(1);
  });

  it('shows the node with what is not separated and not sandboxed', async () => {
    at.node.asked.records.set('t-a', fakeMirror('t-a'));
    at.node.asked.records.set('t-b', fakeMirror('t-b', { state: 'failed' }));
    expect(await at.client.call('node_status', {})).toMatchObject({
      unseparated: true,
      commands_problem: 'no thread',
      upstream_problems: [],
      isolation_none: ['query'],
      held_work: [{ sender: 'self', bytes: 100, share_bytes: 500 }],
      keep_tasks_ms: 7_776_000_000,
      undeleted_workspaces: ['/w/trash-1'],
      unreadable_rows: ['task/t-9'],
      running_asked: 1,
      running_here: 0,
      peers: [{ label: 'beta', link: 'up' }, { label: 'gamma' }],
    });
  });

  it('joins and sees each step', async () => {
    at.node.joins = (async function* () {
      yield { kind: 'proved', peerId: 'wn-x', label: 'x', words: 'red fox' } as const;
      yield { kind: 'paired', peerId: 'wn-x', label: 'x', profiles: ['query'], workspaces: [], generation: 9 } as const;
    })();
    const kinds: string[] = [];
    for await (const item of at.client.stream('peer_join', { code: ' code \n' })) kinds.push(item.kind);
    expect(kinds).toEqual(['proved', 'paired']);
  });

  it('answers every other operation in the shape that it states', async () => {
    const { client } = at;
    await client.call('peer_list', {});
    await client.call('peer_show', { peer: 'beta' });
    await client.call('peer_confirm', { invite: 'i-1', accept: true });
    await client.call('peer_remove', { peer: 'beta' });
    await client.call('policy_validate', {});
    expect(await client.call('policy_validate', { text: '=' })).toMatchObject({ valid: false });
    await client.call('policy_test', {});
    await client.call('policy_reload', { accept: true });
    await client.call('policy_status', {});
    await client.call('audit_tail', {});
    await client.call('clock_accept', {});
    const verdict = await client.call('profile_validate', {
      name: 'x',
      capabilities: ['edit_repo'],
      require_explicit: true,
      require_lease: false,
    });
    expect(verdict).toMatchObject({ valid: false, violations: [{ code: 'HIGH_RISK_NEEDS_LEASE' }] });
  });
});
