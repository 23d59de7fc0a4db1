import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { createScriptedRunner, createTestNode, type ScriptedRunner, type TestNode } from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubmitRequest } from '../../types.ts';

const START_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

const POLICY = `schema = 1
[node]
name = "box"
[workspaces.app]
path = "/repo/app"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[profiles.asked]
capabilities = ["inspect_status"]
commands = [["true"]]
runner = "shell"
isolation = "none"
require_approval = true
timeout = "1m"
[profiles.lent]
capabilities = ["read_repo", "run_tests"]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
timeout = "10m"
[profiles.both]
capabilities = ["read_repo", "run_tests"]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
require_approval = true
[self]
profiles = ["query", "asked", "lent", "both"]
workspaces = ["app"]
may_request_lease = true
`;

let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;

beforeEach(() => open());
afterEach(() => node.close());

async function open(options: { enrol?: boolean; policy?: string } = {}): Promise<void> {
  clock = createFakeClock(START_MS);
  runner = createScriptedRunner({ clock });
  node = await createTestNode({
    clock,
    runner,
    policy: options.policy ?? POLICY,
    enrol: options.enrol ?? true,
    slots: 2,
  });
}

function request(task: string, profile = 'asked', more: Partial<SubmitRequest> = {}): SubmitRequest {
  const workspace = profile === 'asked' || profile === 'query' ? {} : { workspace: 'app' };
  return {
    ...{ task, idempotencyKey: `key-${task}`, agent: 'tester' },
    spec: { input: { kind: 'argv', argv: ['true'] }, profile, ...workspace },
    subject: { from: 'self', origin: 'self', session: 's1' },
    ...more,
  };
}

async function submit(task: string, profile?: string, more?: Partial<SubmitRequest>): Promise<string> {
  const answer = await node.executor.submit(request(task, profile, more));
  if (!answer.accepted) throw new Error(`${answer.decision.code}: ${answer.decision.message}`);
  expect(answer.task.state).toBe('waiting');
  return waitsFor(task);
}

function waitsFor(task: string): string {
  return node.executor.waitsFor(task)?.approval ?? 'nothing';
}

function approval(id: string) {
  return node.person.gate.approvals.get(id);
}

function said(id: string, answer: 'approve' | 'deny'): string {
  const outcome = node.person.answer(id, answer);
  return outcome.decided ? outcome.approval.state : outcome.refusal.code;
}

/** Resolves when the task is terminal. */
async function outcome(task: string): Promise<string> {
  for await (const { event } of node.executor.watch(task, 0, new AbortController().signal)) void event;
  const { state, outcome: ended } = node.executor.get(task) ?? {};
  return `${state} ${ended?.code ?? ''}`.trim();
}

async function finish(task: string): Promise<string> {
  (await runner.runOf(task)).exit(0);
  return outcome(task);
}

async function reload(policy: string): Promise<void> {
  const outcome = await node.engine.reload(policy, { acceptWidening: true });
  if (!outcome.reloaded) throw new Error(JSON.stringify(outcome.violations));
}

describe('a task that policy asks a person about', () => {
  it('waits with one question that shows all of it, and runs after a yes', async () => {
    const id = await submit('t1');
    expect(runner.runs).toHaveLength(0);
    expect(node.executor.waitsFor('t1')).toEqual({
      ...{ approval: id, answerByMs: START_MS + 24 * HOUR_MS, code: 'APPROVAL_REQUIRED', sinceMs: START_MS },
      message: expect.stringContaining('approved by a person'),
    });
    const asked = approval(id);
    expect(asked).toMatchObject({ kind: 'task', task: 't1', session: 's1', agent: 'tester', requestedBy: 'self' });
    for (const line of ['argument 0: true', 'profile: asked', 'runner: shell', 'isolation: none', 'network: deny']) {
      expect(asked?.preview.split('\n')).toContain(line);
    }
    expect(said(id, 'approve')).toBe('approved');
    expect(await finish('t1')).toBe('completed');
    expect(approval(id)?.usedAtMs).toBeDefined();
    expect(node.executor.waitsFor('t1')).toBeUndefined();
  });

  it('is rejected after a no, and when nobody answers', async () => {
    expect(said(await submit('t1'), 'deny')).toBe('denied');
    expect(await outcome('t1')).toBe('rejected APPROVAL_REQUIRED');
    expect(node.executor.get('t1')?.outcome?.message).toBe('a person said no');
    await submit('t2');
    clock.advance(24 * HOUR_MS + 1);
    expect(node.person.gate.approvals.sweep().expired).toBe(1);
    expect(await outcome('t2')).toBe('rejected EXPIRED');
    expect(runner.runs).toHaveLength(0);
  });

  it('is refused at once where nobody could answer, and makes no task', async () => {
    await node.close();
    await open({ enrol: false });
    const answer = await node.executor.submit(request('t1'));
    expect(answer).toMatchObject({ accepted: false, decision: { effect: 'ask', code: 'APPROVAL_REQUIRED' } });
    expect(answer).toMatchObject({ decision: { message: expect.stringContaining('no approver is enrolled') } });
    expect(node.executor.get('t1')).toBeUndefined();
  });

  it('is one task for one key, however often it is sent', async () => {
    const id = await submit('t1');
    expect(await submit('t1')).toBe(id);
    expect(node.person.gate.approvals.list({ pendingOnly: true, limit: 9 })).toHaveLength(1);
  });

  it('is refused where as many questions wait as may', async () => {
    for (let at = 0; at < 8; at++) await submit(`t${at}`);
    const answer = await node.executor.submit(request('t8'));
    expect(answer).toMatchObject({ accepted: false, decision: { code: 'LIMIT_EXCEEDED' } });
  });

  it('is refused where it cannot be shown whole', async () => {
    const argv = ['true', 'x'.repeat(300_000)];
    const more = { spec: { input: { kind: 'argv', argv }, profile: 'asked' } } as const;
    await expect(node.executor.submit(request('t1', 'asked', more))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(node.executor.get('t1')).toBeUndefined();
  });

  it('ends its question with itself, and cannot be answered then', async () => {
    const id = await submit('t1');
    expect((await node.executor.cancel('t1', 'self')).outcome?.code).toBe('CANCELLED');
    expect(approval(id)?.state).toBe('cancelled');
    expect(said(id, 'approve')).toBe('NOT_FOUND');
    expect(said(id, 'deny')).toBe('NOT_FOUND');
    expect(await outcome('t1')).toBe('cancelled CANCELLED');
  });

  it('ends with its trust as rejected: it was never let in', async () => {
    const id = await submit('t1');
    await node.executor.endWhere(() => true, 'TRUST_REVOKED', 'gone');
    expect(await outcome('t1')).toBe('rejected TRUST_REVOKED');
    expect(approval(id)?.state).toBe('cancelled');
  });

  it('is rejected where a clock that went back is accepted', async () => {
    const id = await submit('t1');
    clock.jump(-2 * HOUR_MS);
    node.person.gate.acceptClock('person');
    expect(await outcome('t1')).toBe('rejected EXPIRED');
    expect(approval(id)?.state).toBe('expired');
  });

  it('ends with its session, which takes no new work then', async () => {
    const id = await submit('t1');
    const key = { origin: node.identity.public.id, session: 's1' };
    expect(node.person.gate.endSession(key, 'self', [])).toBe(true);
    expect(await outcome('t1')).toBe('cancelled CANCELLED');
    expect(approval(id)?.state).toBe('cancelled');
    for (const profile of ['query', 'asked']) {
      await expect(node.executor.submit(request(`n-${profile}`, profile))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    // What was taken in before is told again.
    await expect(node.executor.submit(request('t1'))).resolves.toMatchObject({ accepted: true });
  });

  it('is not asked about in a session of another agent', async () => {
    await submit('t1');
    const other = node.executor.submit(request('t2', 'asked', { agent: 'other' }));
    await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(node.executor.get('t2')).toBeUndefined();
  });
});

describe('a yes and what came after it', () => {
  /** Two other tasks hold the slots, so that what is approved has to queue. */
  async function fill(): Promise<void> {
    for (const task of ['a', 'b']) {
      await node.executor.submit(
        request(task, 'query', { spec: { input: { kind: 'argv', argv: ['true'] }, profile: 'query' } }),
      );
      await runner.runOf(task);
    }
  }
  async function free(): Promise<void> {
    for (const task of ['a', 'b']) (await runner.runOf(task)).exit(0);
  }

  it('is not used for what would do something else by the time it starts', async () => {
    await fill();
    expect(said(await submit('t1'), 'approve')).toBe('approved');
    await reload(POLICY.replace('commands = [["true"]]', 'commands = [["true"], ["false"]]'));
    await free();
    expect(await outcome('t1')).toBe('failed CHANGED_SINCE_APPROVAL');
    expect(runner.runs).toHaveLength(2);
  });

  it('does not start what a reload has denied', async () => {
    await fill();
    expect(said(await submit('t1'), 'approve')).toBe('approved');
    await reload(POLICY.replace('profiles = ["query", "asked",', 'profiles = ["query",'));
    expect(await outcome('t1')).toBe('failed PROFILE_NOT_ALLOWED');
    await free();
  });

  it('is too old when it was not used in time', async () => {
    await fill();
    expect(said(await submit('t1'), 'approve')).toBe('approved');
    clock.advance(24 * HOUR_MS + 1);
    await free();
    expect(await outcome('t1')).toBe('failed EXPIRED');
  });

  it.each(['asked', 'lent'])('is not used after its session has ended (profile %s)', async (profile) => {
    await fill();
    expect(said(await submit('t1', profile), 'approve')).toBe('approved');
    node.person.gate.endSession({ origin: node.identity.public.id, session: 's1' }, 'self', []);
    await free();
    expect(await outcome('t1')).toBe('failed NOT_FOUND');
  });

  it('keeps what runs by it running through a reload that leaves it allowed', async () => {
    said(await submit('t1'), 'approve');
    await runner.runOf('t1');
    await reload(POLICY.replace('timeout = "10m"', 'timeout = "11m"'));
    expect(node.executor.get('t1')?.state).toBe('running');
    expect(await finish('t1')).toBe('completed');
  });
});

describe('a reload while a task waits', () => {
  it('ends it where it is denied now, with its question', async () => {
    const id = await submit('t1');
    await reload(POLICY.replace('profiles = ["query", "asked",', 'profiles = ["query",'));
    expect(await outcome('t1')).toBe('rejected PROFILE_NOT_ALLOWED');
    expect(approval(id)?.state).toBe('cancelled');
  });

  it('lets it go where nobody has to be asked any more', async () => {
    const id = await submit('t1');
    await reload(POLICY.replace('require_approval = true\ntimeout = "1m"', 'timeout = "1m"'));
    expect(await finish('t1')).toBe('completed');
    expect(approval(id)?.state).toBe('cancelled');
  });

  it('asks anew where it would do something else, and a yes to the old question is none', async () => {
    const id = await submit('t1');
    await reload(POLICY.replace('commands = [["true"]]', 'commands = [["true"], ["false"]]'));
    const anew = waitsFor('t1');
    expect(anew).not.toBe(id);
    expect(said(id, 'approve')).toBe('NOT_PENDING');
    expect(said(anew, 'approve')).toBe('approved');
    expect(await finish('t1')).toBe('completed');
  });

  it('asks everything anew, with as many questions as may wait', async () => {
    for (let at = 0; at < 8; at++) await submit(`t${at}`);
    await reload(POLICY.replace('commands = [["true"]]', 'commands = [["true"], ["false"]]'));
    expect(node.executor.list({ limit: 9 }).map(({ state }) => state)).toEqual(Array(8).fill('waiting'));
    expect(node.person.gate.approvals.list({ pendingOnly: true, limit: 99 })).toHaveLength(8);
  });

  it('leaves it as it is where nothing of it has changed', async () => {
    const id = await submit('t1');
    await reload(POLICY.replace('timeout = "10m"', 'timeout = "11m"'));
    expect(waitsFor('t1')).toBe(id);
  });

  it('is no way around the answer: what policy refuses cannot be approved, and can be denied', async () => {
    const id = await submit('t1');
    // The same answer, before the change is looked at and after.
    const statement = node.person.gate.approvals.statement(id, { answer: 'approve', scope: 'once' });
    expect(statement?.digest).toBe(approval(id)?.digest);
    const withdrawn = POLICY.replace('[self]', '[self]\nenabled = false');
    await reload(withdrawn);
    expect(said(id, 'approve')).toBe('NOT_FOUND');
    expect(await outcome('t1')).toMatch(/^rejected /);
  });
});

describe('a task that needs a lease', () => {
  it('waits for one, for this session, this workspace and one use, and runs by it', async () => {
    const id = await submit('t1', 'lent');
    expect(approval(id)).toMatchObject({ kind: 'lease', task: 't1' });
    expect(said(id, 'approve')).toBe('approved');
    expect(await finish('t1')).toBe('completed');
    expect(node.authority.listLeases({ includeDead: true })).toMatchObject([
      { peer: 'self', profile: 'lent', session: 's1', workspaces: ['app'], maxUses: 1, uses: 1 },
    ]);
  });

  it('is rejected with a no', async () => {
    said(await submit('t1', 'lent'), 'deny');
    expect(await outcome('t1')).toBe('rejected APPROVAL_REQUIRED');
    expect(node.authority.listLeases({ includeDead: true })).toEqual([]);
  });

  it('waits for the approval after the lease where both are asked for: one stands for nothing but itself', async () => {
    const first = await submit('t1', 'both');
    expect(said(first, 'approve')).toBe('approved');
    const second = waitsFor('t1');
    expect(approval(second)).toMatchObject({ kind: 'task', state: 'pending' });
    expect(runner.runs).toHaveLength(0);
    expect(said(second, 'approve')).toBe('approved');
    expect(await finish('t1')).toBe('completed');
  });
});
