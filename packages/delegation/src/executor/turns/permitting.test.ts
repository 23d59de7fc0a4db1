import type { KindRules } from '@writ/authority';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { createScriptedRunner, createTestNode, type ScriptedRunner, type TestNode } from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TurnDesk } from '../../turn-types.ts';
import type { ToolRequest } from '../../types.ts';

const POLICY = `schema = 1
[node]
name = "box"
default_profile = "mute"
[profiles.edit]
capabilities = ["edit_repo", "run_tests", "interactive"]
commands = [["npm", "test"]]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[profiles.mute]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
commands = [["true"]]
[workspaces.app]
path = "/srv/app"
[self]
profiles = ["edit", "mute"]
workspaces = ["app"]
`;
type Approval = Parameters<KindRules['settle']>[1];

const forever = new AbortController().signal;
const SECRET = 'correct-horse-battery';

let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;
const looked: string[] = [];
/** Commands that are held, and for whom. */
let commands: string[];
let holders: Parameters<NonNullable<TurnDesk['tools']['hold']>>[2][];
let asked: Parameters<TurnDesk['askApprover']>[1][];
let withdrawn: string[];
let refusal: string | undefined;
let facts: ReturnType<TurnDesk['tools']['classify']>;

const desk: Partial<TurnDesk> = {
  isSessionLive: () => true,
  askApprover(_tx, question) {
    if (refusal !== undefined) return { asked: false, code: refusal, message: `because of ${refusal}` };
    asked.push(question);
    return { asked: true, approval: `a${asked.length}` };
  },
  withdrawApproval: (_tx, approval) => void withdrawn.push(approval),
  tools: {
    // As a node that has others look at thousands of commands does: it knows what is held alone.
    classify: (argv) => (commands.includes(argv.join(' ')) ? facts : { class: 'destructive', needs: [] }),
    hold: async (argv, _cwd, asker) => {
      commands.push(argv.join(' '));
      holders.push(asker);
      return () => void commands.splice(commands.indexOf(argv.join(' ')), 1);
    },
    resolvePath: (path) => path,
    leadsTo: (path) => {
      looked.push(path);
      return path;
    },
  },
};

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  [asked, withdrawn, refusal] = [[], [], undefined];
  [commands, holders] = [[], []];
  facts = { class: 'destructive', needs: [] };
  node = await createTestNode({ clock, runner, policy: POLICY, turns: desk });
  node.authority.grantLease({ peer: 'self', profile: 'edit', durationMs: 3_600_000, issuedBy: 'person' });
  const answer = await node.executor.submit({
    ...{ task: 't1', idempotencyKey: 't1', agent: 'tester' },
    subject: { from: 'self', origin: 'self', session: 's1' },
    spec: { input: { kind: 'argv', argv: ['npm', 'test'] }, profile: 'edit', workspace: 'app' },
  });
  if (!answer.accepted) throw new Error(answer.decision.message);
  await runner.runOf('t1');
});
afterEach(() => node.close());

async function permit(request: Partial<ToolRequest>, signal?: AbortSignal) {
  return (await runner.runOf('t1')).permit(request, signal);
}
const stateOf = () => node.executor.get('t1')?.state;
const rows = () => node.database.withReadTx((tx) => tx.prepare('SELECT id, state FROM question ORDER BY n').all());
const openText = () => node.executor.turns.turn('t1')?.questions[0]?.text;

/** The approval that was asked for, as its rules read it. */
function approvalOf(at = 0, state: Approval['state'] = 'pending'): Approval {
  const { subject = null, digest = '' } = asked[at] ?? {};
  return { id: `a${at + 1}`, kind: 'permission', state, subject, digest, decidedBy: 'ap-1' } as Approval;
}
const settle = (state: Approval['state'], at = 0) =>
  node.database.withWriteTx((tx) => node.executor.turns.permission.settle(tx, approvalOf(at, state)));

/** Until the question is there: it is put in the turn after the one in which it is asked. */
async function untilAsked(count = 1): Promise<void> {
  while (asked.length < count) await new Promise((resolve) => setImmediate(resolve));
}

describe('what the grant answers', () => {
  it('looks for so many files of one call and no more, and refuses a call that names others without a look', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `file-${at}`);
    expect(await permit({ kind: 'read', paths: names(40) })).toMatchObject({ allowed: true });
    looked.length = 0;
    expect(await permit({ kind: 'read', paths: names(5000) })).toEqual({
      ...{ allowed: false, reason: expect.stringContaining('about 5000 files, and at most 64') },
    });
    expect(looked).toEqual([]);
  });

  it.each<[string, Partial<ToolRequest>, boolean]>([
    ['a file of the workspace', { kind: 'edit', paths: ['a.ts'] }, true],
    ['a change in the workspace', { kind: 'edit', changes: [{ path: 'a.ts', after: '' }] }, true],
    ['a change elsewhere', { kind: 'edit', paths: ['a.ts'], changes: [{ path: '/etc/hosts', after: '' }] }, false],
    ['a command of the profile', { kind: 'execute', input: { command: 'npm test' } }, true],
    ['another command', { kind: 'execute', input: { command: 'npm publish' } }, false],
    ['the network', { kind: 'fetch', input: { url: 'https://a.example/' } }, false],
  ])('%s is answered at once, and nobody is asked', async (_, request, allowed) => {
    expect(await permit(request)).toMatchObject({ allowed });
    expect([rows(), asked, stateOf()]).toEqual([[], [], 'running']);
  });

  it('a command that nobody can look at whole is refused', async () => {
    const command = ['npm', 'x'.repeat(40_000)];
    expect(await permit({ kind: 'execute', input: { command } })).toMatchObject({ allowed: false });
    expect(asked).toEqual([]);
  });

  it('is taken back by a reload: what the profile lists no more is refused', async () => {
    const request = { kind: 'execute', input: { command: 'npm test' } } as const;
    await node.engine.reload(POLICY.replace('[["npm", "test"]]', '[["npm", "test", "**"]]'), { acceptWidening: true });
    expect(await permit(request)).toMatchObject({ allowed: false });
  });
});

const UNTOLD = { kind: 'edit', title: 'mend it' } as const;

describe('what is left to a person', () => {
  it('waits for the approver: the task requires an approval, and goes on with the answer', async () => {
    const answer = permit(UNTOLD);
    await untilAsked();
    expect(stateOf()).toBe('approval_required');
    settle('approved');
    expect(await answer).toEqual({ allowed: true, by: 'ap-1' });
    expect(stateOf()).toBe('running');
    expect(rows()).toEqual([{ id: '1.1', state: 'approved' }]);
  });

  it.each([
    ['denied', 'denied by ap-1'],
    ['expired', 'nobody answered: the question is expired'],
    ['cancelled', 'nobody answered: the question is withdrawn'],
  ] as const)('that is %s is a no', async (state, reason) => {
    const answer = permit(UNTOLD);
    await untilAsked();
    settle(state);
    expect(await answer).toEqual({ allowed: false, reason });
    expect(stateOf()).toBe('running');
  });

  it('is shown whole: kind, title, why, command, files, input and changes', async () => {
    const changes = [{ path: '/w/b', before: 'one\n', after: 'two\n' }];
    const other = { title: 'odd', paths: ['/w/a'], input: { deep: ['x'] }, changes } as const;
    void permit(other).catch(() => {});
    await untilAsked();
    expect(asked[0]?.lines).toEqual([
      { label: 'the agent asks leave to', text: 'use a tool: odd' },
      { label: 'a person is asked since', text: 'no right says what a call of this kind may do' },
      { label: 'file', text: '/w/a' },
      { label: 'input', text: '{"deep":["x"]}' },
      { label: 'would write', text: '/w/b' },
      { label: 'instead of', text: '"one\\n"' },
      { label: 'this', text: '"two\\n"' },
    ]);
    expect(openText()).toContain('the agent asks leave to: use a tool: odd\n');
  });

  it('stands in the record up to a length, and whole before the approver and under the digest', async () => {
    const input = { text: 'y'.repeat(10_000) };
    void permit({ title: 'long', input }).catch(() => {});
    await untilAsked();
    expect(openText()).toMatch(/characters more, which the approver sees$/);
    expect(asked[0]?.lines.map(({ text }) => text)).toContain(JSON.stringify(input));
    const { permission } = node.executor.turns;
    const approval = approvalOf();
    const digestOf = (one: Approval) => node.database.withReadTx((tx) => permission.digestNow(tx, one));
    expect(digestOf(approval)).toBe(approval.digest);
    const other = structuredClone(approval.subject) as { tool: { input: { text: string } } };
    other.tool.input.text = `${input.text}y`;
    expect(digestOf({ ...approval, subject: other as never })).not.toBe(approval.digest);
  });

  it('holds nothing that the task was given in confidence', async () => {
    const credential = node.executor.turns.ask('t1', { questions: [{ kind: 'credential', text: 'which' }] }, forever);
    const content = { kind: 'credential', secret: Buffer.from(SECRET) } as const;
    node.executor.turns.reply('t1', { question: '1.1', key: 'k', content }, 'self');
    await credential;
    const input = { header: ['Bearer', { token: SECRET }], [SECRET]: 1 };
    void permit({
      title: SECRET,
      input,
      paths: [SECRET],
      changes: [{ path: 'a', before: SECRET, after: SECRET }],
    }).catch(() => {});
    await untilAsked();
    expect(JSON.stringify(asked[0])).toContain('[redacted]');
    expect(JSON.stringify(asked[0])).not.toContain(SECRET);
  });

  it('is judged as it would be made, not as it is shown: what is left out there is not less', async () => {
    const credential = node.executor.turns.ask('t1', { questions: [{ kind: 'credential', text: 'which' }] }, forever);
    const content = { kind: 'credential', secret: Buffer.from('file_path') } as const;
    node.executor.turns.reply('t1', { question: '1.1', key: 'k', content }, 'self');
    await credential;
    // Without the key that the secret is, it would be about a file of the workspace alone.
    const answer = permit({ kind: 'edit', paths: ['a.ts'], input: { file_path: 7 } });
    await untilAsked();
    expect(JSON.stringify(asked[0]?.subject)).toContain('{"[redacted]":7}');
    settle('denied');
    expect(await answer).toEqual({ allowed: false, reason: 'denied by ap-1' });
  });

  it('is also a call of which not all is known, and that is shown', async () => {
    void permit({ kind: 'edit', paths: ['a.ts'], untold: true }).catch(() => {});
    await untilAsked();
    expect(asked[0]?.lines).toContainEqual({ label: 'not all', text: 'of what was told of it before is kept' });
    expect(asked[0]?.subject).toMatchObject({ tool: { untold: true } });
  });

  it('stands on what its command came to for as long as it waits, and no longer', async () => {
    facts = { class: 'config-mutation', needs: ['run_tests'] };
    const refusalNow = () => node.database.withReadTx((tx) => node.executor.turns.permission.refusal(tx, approvalOf()));
    const answer = permit({ kind: 'execute', input: { command: 'tidy up' } });
    await untilAsked();
    expect(new Set(commands)).toEqual(new Set(['tidy up']));
    expect(refusalNow()).toBeUndefined();
    settle('approved');
    expect(await answer).toMatchObject({ allowed: true });
    expect(commands).toEqual([]);
  });

  it.each([
    ['that is denied', { kind: 'execute', input: { command: 'rm x' } }],
    ['whose question is withdrawn', { kind: 'execute', input: { command: 'tidy up' } }],
  ] as const)('is nothing that is held for a call %s', async (_, call) => {
    facts = { class: 'config-mutation', needs: call.input.command === 'rm x' ? ['edit_system'] : ['run_tests'] };
    const ends = new AbortController();
    const answer = permit(call, ends.signal).catch(() => undefined);
    if (facts.needs.includes('run_tests')) await untilAsked();
    ends.abort();
    await answer;
    expect([holders.length > 0, commands]).toEqual([true, []]);
  });

  it('is looked at for the task and its sender, whatever folder the agent names', async () => {
    for (const cwd of ['/t/1', '/t/2']) await permit({ kind: 'execute', input: { command: 'ls', cwd } });
    expect(holders).toEqual(Array.from({ length: 2 }, () => ({ requestedBy: 'self', session: 's1', task: 't1' })));
  });

  it('is no more than the grant holds when the yes comes', async () => {
    facts = { class: 'config-mutation', needs: ['run_tests'] };
    const answer = permit({ kind: 'execute', input: { command: 'tidy up' } });
    await untilAsked();
    facts = { class: 'destructive', needs: ['run_tests'] };
    settle('approved');
    expect(await answer).toMatchObject({ allowed: false, reason: expect.stringContaining('it needs destructive') });
  });

  it('is a no at once where nobody could ever answer, and leaves no question', async () => {
    refusal = 'APPROVAL_REQUIRED';
    expect(await permit(UNTOLD)).toEqual({
      allowed: false,
      reason: 'which files it would change cannot be told; because of APPROVAL_REQUIRED',
    });
    expect([rows(), stateOf()]).toEqual([[], 'running']);
  });

  it('is asked about each call apart, and the task goes on when all are answered', async () => {
    const answers = [permit(UNTOLD), permit(UNTOLD)];
    await untilAsked(2);
    settle('approved', 1);
    expect(stateOf()).toBe('approval_required');
    settle('denied', 0);
    expect(await Promise.all(answers)).toMatchObject([{ allowed: false }, { allowed: true }]);
    expect(stateOf()).toBe('running');
  });

  it('is at most as many at once as a task may ask', async () => {
    const all = Array.from({ length: 17 }, () => permit(UNTOLD));
    expect(await all[16]).toMatchObject({ allowed: false, reason: expect.stringContaining('at most 16 questions') });
    for (let at = 0; at < 16; at += 1) settle('denied', at);
    await Promise.all(all);
  });
});

describe('what a person cannot give', () => {
  it('is what the grant holds no more by the time of the answer', async () => {
    void permit(UNTOLD).catch(() => {});
    await untilAsked();
    const refused = (one: Approval) =>
      node.database.withReadTx((tx) => node.executor.turns.permission.refusal(tx, one)?.code);
    expect(refused(approvalOf())).toBeUndefined();
    const other = {
      ...(approvalOf().subject as object),
      tool: { ...UNTOLD, kind: 'fetch', paths: [], input: null, changes: [] },
    };
    expect(refused({ ...approvalOf(), subject: other as never })).toBe('GRANT_EXCEEDED');
  });
});

describe('what vanishes while an agent waits for leave', () => {
  it('withdraws the question when the agent takes its own back', async () => {
    const stop = new AbortController();
    const answer = permit(UNTOLD, stop.signal);
    await untilAsked();
    stop.abort();
    await expect(answer).rejects.toMatchObject({ code: 'CANCELLED' });
    expect([rows(), withdrawn, stateOf()]).toEqual([[{ id: '1.1', state: 'withdrawn' }], ['a1'], 'running']);
  });

  it('is a no when the session ends; the task goes on', async () => {
    const answer = permit(UNTOLD);
    await untilAsked();
    node.database.withWriteTx((tx) =>
      node.executor.turns.sessionEnded(tx, { origin: node.identity.public.id, session: 's1' }),
    );
    expect(await answer).toMatchObject({ allowed: false, reason: expect.stringContaining('has ended') });
    expect([rows(), stateOf()]).toEqual([[{ id: '1.1', state: 'ended' }], 'running']);
  });

  it('ends with the task, and takes no late answer', async () => {
    const answer = permit(UNTOLD);
    await untilAsked();
    await node.executor.cancel('t1', 'self');
    expect(await answer).toMatchObject({ allowed: false });
    expect(withdrawn).toEqual(['a1']);
    settle('approved');
    expect([rows(), stateOf()]).toEqual([[{ id: '1.1', state: 'ended' }], 'cancelled']);
    expect(await permit(UNTOLD)).toMatchObject({ allowed: false });
  });

  it('ends with its node: the next one asks nobody about it', async () => {
    permit(UNTOLD).catch(() => {});
    await untilAsked();
    await node.kill();
    node = await createTestNode({ clock, runner, policy: POLICY, dir: node.dir, turns: desk });
    await node.executor.recover();
    expect([rows(), withdrawn, stateOf()]).toEqual([[{ id: '1.1', state: 'ended' }], ['a1'], 'lost']);
  });
});
