import { WritError } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  createScriptedRunner,
  createTestNode,
  type ScriptedRunner,
  submitTrue,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubmitRequest } from '../types.ts';

const POLICY = `schema = 1
[node]
name = "box"
default_profile = "query"
[workspaces.app]
path = "/repo/app"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[profiles.repo-dev]
capabilities = ["read_repo", "edit_repo"]
shell = "allow"
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[self]
profiles = ["query", "repo-dev"]
workspaces = ["app"]
`;
const WITHOUT_REPO_DEV = POLICY.replace('profiles = ["query", "repo-dev"]', 'profiles = ["query"]');
const ELSEWHERE = POLICY.replace('/repo/app', '/repo/moved');

let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;
let open: () => void;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  node = await createTestNode({ clock, runner, policy: POLICY, slots: 1 });
  // One use: whoever claims it without running takes it from the next.
  node.authority.grantLease({ ...LEASE, maxUses: 1 });
  hold();
});

afterEach(() => node.close());

const LEASE = { peer: 'self', profile: 'repo-dev', durationMs: 3_600_000, issuedBy: 'person' } as const;

/** The next clones wait until `open` is called. */
function hold(): void {
  runner.holdPreparations(new Promise((resolve) => (open = resolve)));
}

function request(task: string): SubmitRequest {
  return submitTrue(task, { spec: { input: { kind: 'argv', argv: ['true'] }, profile: 'repo-dev', workspace: 'app' } });
}

async function submitUntilPreparing(task: string): Promise<void> {
  await node.executor.submit(request(task));
  await runner.preparationOf(task);
}

/** Resolves when the task is terminal. */
async function outcome(task: string): Promise<string> {
  for await (const _ of node.executor.watch(task, 0, new AbortController().signal)) void _;
  const ended = node.executor.get(task);
  return `${ended?.state} ${ended?.outcome?.code ?? ''}`.trim();
}

const reload = (text: string): Promise<unknown> => node.engine.reload(text, { acceptWidening: true });
const uses = (): readonly number[] => node.authority.listLeases({ includeDead: true }).map((lease) => lease.uses);
const states = (): readonly string[] => runner.preparations.map(({ state }) => state);

describe('a clone that takes long', () => {
  it('holds no reload up, and one that takes the profile away ends the task without a process', async () => {
    await submitUntilPreparing('t1');
    await reload(WITHOUT_REPO_DEV);
    expect(await outcome('t1')).toBe('failed PROFILE_NOT_ALLOWED');
    expect(states()).toEqual(['broken']);
    expect(runner.runs).toHaveLength(0);
    expect(uses()).toEqual([0]);
  });

  it('is not used where the profile went away in the turn in which it was ready', async () => {
    await submitUntilPreparing('t1');
    node.engine.onChange(() => open());
    await reload(WITHOUT_REPO_DEV);
    expect(await outcome('t1')).toBe('failed PROFILE_NOT_ALLOWED');
    expect(runner.runs).toHaveLength(0);
    expect(states()).not.toContain('started');
  });

  it('ends with a revoked lease', async () => {
    await submitUntilPreparing('t1');
    for (const { id } of node.authority.listLeases({})) node.authority.revokeLease(id, 'person');
    expect(await outcome('t1')).toBe('failed LEASE_REVOKED');
    expect(states()).toEqual(['broken']);
  });

  it('is made again where the workspace is another by then', async () => {
    await submitUntilPreparing('t1');
    await reload(ELSEWHERE);
    open();
    const run = await runner.runOf('t1');
    expect(run.spec.workspace?.path).toBe('/repo/moved');
    expect(states()).toEqual(['discarded', 'started']);
    run.exit(0);
    expect(await outcome('t1')).toBe('completed');
    expect(uses()).toEqual([1]);
  });

  it('is broken off by a cancel, which ends the task as cancelled', async () => {
    await submitUntilPreparing('t1');
    expect((await node.executor.cancel('t1', 'person')).state).toBe('cancelled');
    expect(states()).toEqual(['broken']);
    expect(node.executor.get('t1')?.attemptNonce).toBeUndefined();
    expect(uses()).toEqual([0]);
  });

  it('is broken off by the end of the node, and the task starts after the next start of it', async () => {
    await submitUntilPreparing('t1');
    await node.executor.close(60_000);
    expect(states()).toEqual(['broken']);
    expect(node.executor.get('t1')?.state).toBe('queued');
  });
});

describe('a preparation that fails', () => {
  it('ends the task with the code of the runner, and no lease was ever claimed', async () => {
    runner.failPreparations(new WritError('GIT_FAILED', 'no such branch'));
    await node.executor.submit(request('t1'));
    expect(await outcome('t1')).toBe('failed GIT_FAILED');
    expect(uses()).toEqual([0]);
    expect(node.database.auditTail(50).map(({ action }) => action)).not.toContain('lease.use-returned');
    runner.failPreparations(undefined);
    open();
    await node.executor.submit(request('t2'));
    (await runner.runOf('t2')).exit(0);
    expect(await outcome('t2')).toBe('completed');
  });
});

describe('a clone that a crash left behind', () => {
  /** The process dies and comes back on the same file. */
  async function reboot(): Promise<ScriptedRunner> {
    await node.kill();
    const after = createScriptedRunner({ clock });
    node = await createTestNode({ clock, runner: after, policy: POLICY, slots: 1, dir: node.dir });
    return after;
  }

  it('is ended by its marker before the task is prepared again', async () => {
    await submitUntilPreparing('t1');
    const marker = runner.preparations[0]?.spec.nonce;
    const after = await reboot();
    expect(await node.executor.recover()).toEqual({ lost: 0, killed: 1 });
    expect(after.strays).toEqual([marker]);
    (await after.runOf('t1')).exit(0);
    expect(await outcome('t1')).toBe('completed');
  });

  it('is gone before a cancel of its task is answered', async () => {
    await submitUntilPreparing('t1');
    const after = await reboot();
    const cancelled = node.executor.cancel('t1', 'person').then(() => after.strays.length);
    await node.executor.recover();
    expect(await cancelled).toBe(1);
    expect(node.executor.get('t1')?.state).toBe('cancelled');
    expect(after.preparations).toHaveLength(0);
  });

  it('is gone before its task is withdrawn, which happens as soon as it is queued again', async () => {
    await submitUntilPreparing('t1');
    const after = await reboot();
    const withdrawn = node.executor.endWhere(() => true, 'TRUST_REVOKED', 'no peer any more');
    after.holdPreparations(new Promise(() => {}));
    await node.executor.recover();
    expect(await withdrawn).toBe(1);
    expect(after.strays).toHaveLength(1);
    expect(node.executor.get('t1')?.outcome?.code).toBe('TRUST_REVOKED');
    expect(after.runs).toHaveLength(0);
  });
});
