import { type Result, readResult } from '@writ/evidence';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { createScriptedRunner, createTestNode, type ScriptedRunner, type TestNode } from '@writ/testkit/delegation';
import { afterEach, describe, expect, it } from 'vitest';

const HOUR_MS = 3_600_000;

const policy = (mode: 'passphrase' | 'terminal'): string => `schema = 1
[node]
name = "box"
[approvals]
mode = "${mode}"
[workspaces.app]
path = "/repo/app"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[profiles.asked]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
require_approval = true
[profiles.lent]
capabilities = ["read_repo", "run_tests"]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[self]
profiles = ["query", "asked", "lent"]
workspaces = ["app"]
may_request_lease = true
`;

let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;
afterEach(() => node.close());

async function open({ mode = 'passphrase' as 'passphrase' | 'terminal', enrol = true } = {}): Promise<void> {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  node = await createTestNode({ clock, runner, policy: policy(mode), enrol, inMemory: true });
}

/** The question that the task waits for; empty where it waits for none. */
async function submit(profile: string): Promise<string> {
  const answer = await node.executor.submit({
    ...{ task: 't1', idempotencyKey: 'k', agent: 'tester' },
    spec: { input: { kind: 'argv', argv: ['true'] }, profile, ...(profile === 'lent' ? { workspace: 'app' } : {}) },
    subject: { from: 'self', origin: 'self', session: 's1' },
  });
  if (!answer.accepted) throw new Error(answer.decision.message);
  return node.executor.waitsFor('t1')?.approval ?? '';
}

/** What was signed about who decided. */
async function signed(isRun = true): Promise<Pick<Result, 'approvals' | 'unseparated' | 'lease'>> {
  if (isRun) (await runner.runOf('t1')).exit(0);
  for await (const { event } of node.executor.watch('t1', 0, new AbortController().signal)) void event;
  const { approvals, unseparated, lease } = readResult(node.executor.result('t1')?.envelope ?? new Uint8Array());
  return { approvals, lease, ...(unseparated === undefined ? {} : { unseparated }) };
}

const named = (id: string) => ({ id, digest: node.person.gate.approvals.get(id)?.digest });
const lend = () =>
  node.authority.grantLease({ peer: 'self', profile: 'lent', durationMs: HOUR_MS, issuedBy: 'person' }).id;

describe('evidence of a task', () => {
  it('names nobody where nobody had to be asked', async () => {
    await open({ enrol: false });
    await submit('query');
    expect(await signed()).toEqual({ approvals: [], lease: null });
  });

  it('names what an approver said yes to, and to what by digest', async () => {
    await open();
    const id = await submit('asked');
    node.person.answer(id, 'approve');
    expect(await signed()).toEqual({ approvals: [named(id)], lease: null });
  });

  it('names a no, too', async () => {
    await open();
    const id = await submit('asked');
    node.person.answer(id, 'deny');
    expect(await signed(false)).toEqual({ approvals: [named(id)], lease: null });
  });

  it('names nothing that nobody answered', async () => {
    await open();
    await submit('asked');
    clock.advance(25 * HOUR_MS);
    node.person.gate.approvals.sweep();
    expect(await signed(false)).toEqual({ approvals: [], lease: null });
  });

  it('says `unseparated` where a terminal stood for the approver', async () => {
    await open({ mode: 'terminal', enrol: false });
    const id = await submit('asked');
    const statement = node.person.gate.approvals.statement(id, { answer: 'approve', scope: 'once' });
    if (statement === undefined) throw new Error('no such question');
    expect(node.person.gate.approvals.decide(id, { statement, proof: { kind: 'terminal' } }).decided).toBe(true);
    expect(await signed()).toEqual({ approvals: [named(id)], lease: null, unseparated: true });
  });

  it('names the yes that lent its lease', async () => {
    await open();
    const id = await submit('lent');
    node.person.answer(id, 'approve');
    expect(await signed()).toEqual({ approvals: [named(id)], lease: id });
  });

  it('names the yes that lent its lease when it was asked for by itself', async () => {
    await open();
    const whose = { from: 'self', session: 's1', agent: 'tester', key: 'k' } as const;
    const asked = node.requestLease({ ...whose, profile: 'lent', durationMs: HOUR_MS, onlyThisSession: false });
    if (!asked.asked) throw new Error(asked.decision.message);
    node.person.answer(asked.approval, 'approve');
    await submit('lent');
    expect(await signed()).toEqual({ approvals: [named(asked.approval)], lease: asked.approval });
  });

  it('says `unseparated` where its lease was lent by the host token alone', async () => {
    await open({ enrol: false });
    const lease = lend();
    await submit('lent');
    expect(await signed()).toEqual({ approvals: [], lease, unseparated: true });
  });

  it('does not say so where an approver was there, without whom nothing is lent', async () => {
    await open();
    const lease = lend();
    await submit('lent');
    expect(await signed()).toEqual({ approvals: [], lease });
  });
});
