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

const POLICY = `schema = 1
[node]
name = "box"
default_profile = "query"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[self]
profiles = ["query"]
`;

let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  node = await createTestNode({ clock, runner, policy: POLICY, slots: 1 });
});

afterEach(() => node.close());

/** The process dies and comes back on the same file; what the runner had started is still there. */
async function reboot(policy = POLICY): Promise<ScriptedRunner> {
  await node.kill();
  const after = createScriptedRunner({ clock });
  node = await createTestNode({ clock, runner: after, policy, slots: 1, dir: node.dir });
  return after;
}

async function ended(task: string): Promise<string | undefined> {
  for await (const _ of node.executor.watch(task, 0, new AbortController().signal)) void _;
  return node.executor.get(task)?.state;
}

describe('a database that fails for a while', () => {
  /** The state that cannot be stored now. */
  let refused: string | undefined;
  let flaky: TestNode;

  beforeEach(async () => {
    refused = undefined;
    flaky = await createTestNode({
      ...{ clock, runner, policy: POLICY, slots: 1, inMemory: true },
      wrapTasks: (tasks) => ({
        ...tasks,
        update(tx, id, version, change) {
          if (change.state === refused) throw new WritError('DATABASE_ERROR', 'disk full');
          return tasks.update(tx, id, version, change);
        },
      }),
    });
  });
  afterEach(() => flaky.close());

  async function over(task: string): Promise<string | undefined> {
    for await (const _ of flaky.executor.watch(task, 0, new AbortController().signal)) void _;
    return flaky.executor.get(task)?.state;
  }

  it('delays the start and the end of a task and loses neither', async () => {
    for (const id of ['t1', 't2']) await flaky.executor.submit(submitTrue(id));
    refused = 'running';
    (await runner.runOf('t1')).exit(0);
    expect(await over('t1')).toBe('completed');
    await clock.waitForTimers(1);
    expect(flaky.executor.get('t2')?.state).toBe('queued');
    refused = 'completed';
    clock.advance(1000);
    (await runner.runOf('t2')).exit(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(flaky.executor.get('t2')?.state).toBe('running');
    refused = undefined;
    clock.advance(1000);
    expect(await over('t2')).toBe('completed');
    expect(runner.runs).toHaveLength(2);
  });

  it('takes nothing in that it cannot store, and keeps no slot for it', async () => {
    refused = 'running';
    await expect(flaky.executor.submit(submitTrue('t1'))).rejects.toMatchObject({ code: 'DATABASE_ERROR' });
    expect(flaky.executor.get('t1')).toBeUndefined();
    expect(runner.preparations.map(({ state }) => state)).toEqual(['discarded']);
    refused = undefined;
    await flaky.executor.submit(submitTrue('t1'));
    (await runner.runOf('t1')).exit(0);
    expect(await over('t1')).toBe('completed');
  });
});

describe('recover', () => {
  it('ends the processes of what ran, then the task as lost', async () => {
    await node.executor.submit(submitTrue('t1'));
    const nonce = (await runner.runOf('t1')).spec.nonce;
    const after = await reboot();
    expect(await node.executor.recover()).toEqual({ lost: 1, killed: 1 });
    expect(after.strays).toEqual([nonce]);
    expect(node.executor.get('t1')).toMatchObject({ state: 'lost', outcome: { code: 'LOST' } });
    expect(after.runs).toHaveLength(0);
  });

  it('starts what waited and never ran, once, after deciding again', async () => {
    for (const id of ['t1', 't2']) await node.executor.submit(submitTrue(id));
    await runner.runOf('t1');
    const after = await reboot();
    await node.executor.recover();
    (await after.runOf('t2')).exit(0);
    expect(await ended('t2')).toBe('completed');
    expect(after.runs).toHaveLength(1);
  });

  it('does not start what policy no longer allows', async () => {
    for (const id of ['t1', 't2']) await node.executor.submit(submitTrue(id));
    await runner.runOf('t1');
    const after = await reboot(POLICY.replace('profiles = ["query"]', 'profiles = []'));
    await node.executor.recover();
    expect(await ended('t2')).toBe('failed');
    expect(node.executor.get('t2')?.outcome?.code).toBe('PROFILE_NOT_ALLOWED');
    expect(after.runs).toHaveLength(0);
  });

  it('ends as cancelled what was to be cancelled', async () => {
    runner.obeyStops(false);
    await node.executor.submit(submitTrue('t1'));
    await runner.runOf('t1');
    void node.executor.cancel('t1', 'person');
    await reboot();
    await node.executor.recover();
    expect(node.executor.get('t1')?.state).toBe('cancelled');
  });

  it('lets a cancel wait until the processes of the earlier boot are gone', async () => {
    await node.executor.submit(submitTrue('t1'));
    await runner.runOf('t1');
    await reboot();
    let answered = false;
    const cancel = node.executor.cancel('t1', 'person').finally(() => {
      answered = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    await node.executor.recover();
    expect((await cancel).state).toBe('cancelled');
  });

  it('leaves alone what has ended and what runs now', async () => {
    await node.executor.submit(submitTrue('t1'));
    (await runner.runOf('t1')).exit(0);
    await ended('t1');
    await node.executor.submit(submitTrue('t2'));
    await runner.runOf('t2');
    expect(await node.executor.recover()).toEqual({ lost: 0, killed: 0 });
    expect(node.executor.get('t2')?.state).toBe('running');
    expect(runner.strays).toEqual([]);
  });

  it('drops what an attempt of the earlier boot reports late', async () => {
    await node.executor.submit(submitTrue('t1'));
    const stale = await runner.runOf('t1');
    await reboot();
    await node.executor.recover();
    const before = node.executor.get('t1');
    stale.output('stdout', 'late');
    stale.exit(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(node.executor.get('t1')).toEqual(before);
  });
});
