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

/** What an agent asks for in a session of its own. */
function ofAgent(task: string, session: string): SubmitRequest {
  return submitTrue(task, { agent: 'claude-code', subject: { from: 'self', origin: 'self', session } });
}

/** What the person asks for, each time in a session of that call. */
function ofPerson(task: string): SubmitRequest {
  return submitTrue(task, { agent: 'cli', subject: { from: 'self', origin: 'self', session: `key-${task}` } });
}

/** Ends one run after the other; the tasks in the order in which they got the only slot. */
async function order(scripted: ScriptedRunner, tasks: readonly string[]): Promise<readonly string[]> {
  const firsts: string[] = [];
  for (let i = 0; i < tasks.length; i++) {
    const run = await Promise.race(tasks.filter((id) => !firsts.includes(id)).map((id) => scripted.runOf(id)));
    firsts.push(run.spec.task);
    run.exit(0);
  }
  return firsts;
}

async function reboot(): Promise<ScriptedRunner> {
  await node.kill();
  const after = createScriptedRunner({ clock });
  node = await createTestNode({ clock, runner: after, policy: POLICY, slots: 1, dir: node.dir });
  return after;
}

const IN_TURN = ['a1', 'p1', 'b1', 'p2', 'a2', 'a3'];

async function submitAll(): Promise<void> {
  for (const id of ['a0', 'a1', 'a2', 'a3']) await node.executor.submit(ofAgent(id, 'session-a'));
  await node.executor.submit(ofAgent('b1', 'session-b'));
  for (const id of ['p1', 'p2']) await node.executor.submit(ofPerson(id));
}

describe('tasks that this machine hands to itself', () => {
  it('start in turns of the person and of the agents, whose sessions share theirs', async () => {
    await submitAll();
    expect(await order(runner, ['a0', ...IN_TURN])).toEqual(['a0', ...IN_TURN]);
  });

  it('start in the same turns after a restart', async () => {
    await submitAll();
    await runner.runOf('a0');
    const after = await reboot();
    await node.executor.recover();
    // The first got the slot before anybody else was in line.
    const inTurn = ['a1', 'a2', 'p1', 'b1', 'p2', 'a3'];
    expect(await order(after, inTurn)).toEqual(inTurn);
  });

  it('are told how many get a slot before them', async () => {
    await submitAll();
    const { value } = await node.executor.watch('p2', 2, new AbortController().signal)[Symbol.asyncIterator]().next();
    expect(value.event.message).toBe('waits for a slot: all 1 are taken, 3 before it');
  });
});
