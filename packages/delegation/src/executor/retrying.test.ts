import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  createScriptedRunner,
  createTestNode,
  type ScriptedRunner,
  submitTrue,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WatchedEvent } from '../types.ts';

const POLICY = `schema = 1
[node]
name = "box"
default_profile = "query"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
retry = "safe"
[self]
profiles = ["query"]
`;
const NEVER = POLICY.replace('retry = "safe"\n', '');

let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;
/** What the transcript of the task holds, whichever boot reads it. */
let transcript: string;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  transcript = '';
  runner = createRunner();
  node = await createTestNode({ clock, runner, policy: POLICY, slots: 1 });
});
afterEach(() => node.close());

function createRunner(): ScriptedRunner {
  const scripted = createScriptedRunner({ clock });
  const readTranscript: ScriptedRunner['readTranscript'] = async (_task, offset, limit) =>
    Buffer.from(transcript).subarray(offset, offset + limit);
  return Object.assign(scripted, { readTranscript });
}

async function reboot(policy = POLICY): Promise<void> {
  await node.kill();
  runner = createRunner();
  node = await createTestNode({ clock, runner, policy, slots: 1, dir: node.dir });
}

async function watched(task: string): Promise<WatchedEvent[]> {
  const events: WatchedEvent[] = [];
  for await (const event of node.executor.watch(task, 0, new AbortController().signal)) events.push(event);
  return events;
}

describe('an attempt that was lost, of a profile that may be retried', () => {
  it('is made again with the next epoch, and both are told without a gap', async () => {
    await node.executor.submit(submitTrue('t1'));
    const first = await runner.runOf('t1');
    first.output('stdout', 'told');
    // The rest of it was written, and the node died before it was told.
    transcript = 'told, untold';
    await reboot();
    expect(await node.executor.recover()).toEqual({ lost: 0, killed: 1 });
    expect(runner.strays).toEqual([first.spec.nonce]);
    const second = await runner.runOf('t1');
    expect(second.spec).toMatchObject({ epoch: 2 });
    expect(second.spec.nonce).not.toBe(first.spec.nonce);
    second.exit(0);
    const events = await watched('t1');
    expect(node.executor.get('t1')).toMatchObject({ state: 'completed', epoch: 2 });
    expect(events.map(({ event }) => event.seq)).toEqual(events.map((_, at) => at + 1));
    expect(Buffer.concat(events.map(({ data }) => data ?? new Uint8Array())).toString()).toBe('told, untold');
    expect(events.map(({ event }) => event)).toContainEqual(
      expect.objectContaining({
        kind: 'state',
        state: 'queued',
        epoch: 2,
        code: 'LOST',
        message: expect.stringMatching(/attempt 1 was lost/),
      }),
    );
  });

  it('changes nothing any more from then on', async () => {
    await node.executor.submit(submitTrue('t1'));
    await runner.runOf('t1');
    await reboot();
    await node.executor.recover();
    const { lastSeq } = node.executor.get('t1') ?? {};
    const late = node.database.withWriteTx((tx) =>
      node.tasks.append(tx, 't1', 1, [{ kind: 'output', stream: 'stdout', offset: 0, length: 4 }]),
    );
    expect(late).toEqual([]);
    expect(node.executor.get('t1')?.lastSeq).toBeGreaterThanOrEqual(lastSeq ?? 0);
    (await runner.runOf('t1')).exit(0);
    expect((await watched('t1')).some(({ event }) => event.kind === 'output')).toBe(false);
  });

  it('is made three times at most', async () => {
    await node.executor.submit(submitTrue('t1'));
    for (const epoch of [1, 2]) {
      expect((await runner.runOf('t1')).spec.epoch).toBe(epoch);
      await reboot();
      expect(await node.executor.recover()).toMatchObject({ lost: 0 });
    }
    await runner.runOf('t1');
    await reboot();
    expect(await node.executor.recover()).toMatchObject({ lost: 1 });
    expect(node.executor.get('t1')).toMatchObject({ state: 'lost', epoch: 3 });
  });

  it('waits for its turn again where the node dies before it has one', async () => {
    await node.executor.submit(submitTrue('t1'));
    await runner.runOf('t1');
    await node.kill();
    runner = createRunner();
    node = await createTestNode({ clock, runner, policy: POLICY, slots: 0, dir: node.dir });
    await node.executor.recover();
    expect(node.executor.get('t1')).toMatchObject({ state: 'queued', epoch: 2 });
    await reboot();
    await node.executor.recover();
    const run = await runner.runOf('t1');
    expect(run.spec.epoch).toBe(2);
    run.exit(0);
    await watched('t1');
  });

  it.each<[string, () => Promise<void> | void]>([
    ['whose profile says never by now', () => reboot(NEVER)],
    ['that policy would not start any more', () => reboot(POLICY.replace('profiles = ["query"]', 'profiles = []'))],
    [
      'whose told output is gone',
      async () => {
        (await runner.runOf('t1')).output('stdout', 'told');
        await reboot();
      },
    ],
  ])('is not made again: one %s is lost', async (_which, die) => {
    await node.executor.submit(submitTrue('t1'));
    await runner.runOf('t1');
    await die();
    expect(await node.executor.recover()).toMatchObject({ lost: 1 });
    expect(runner.runs).toEqual([]);
  });

  it('is not made again where the attempt was started under a profile that said never', async () => {
    await reboot(NEVER);
    await node.executor.submit(submitTrue('t1'));
    await runner.runOf('t1');
    await reboot(POLICY);
    expect(await node.executor.recover()).toMatchObject({ lost: 1 });
  });

  it('is not made again where a cancel was asked for', async () => {
    runner.obeyStops(false);
    await node.executor.submit(submitTrue('t1'));
    await runner.runOf('t1');
    void node.executor.cancel('t1', 'person');
    await reboot();
    await node.executor.recover();
    expect(node.executor.get('t1')?.state).toBe('cancelled');
  });
});
