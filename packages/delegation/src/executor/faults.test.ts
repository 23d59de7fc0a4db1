import { WritError } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  createScriptedRunner,
  createTestNode,
  NODE_IDS,
  type ScriptedRunner,
  submitTrue,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubmitRequest } from '../types.ts';

const { alpha } = NODE_IDS;

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
[peers.alpha]
id = "${alpha}"
profiles = ["query"]
`;
const WITHOUT_QUERY = POLICY.replaceAll('profiles = ["query"]', 'profiles = []');

let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;
/** What the records of tasks refuse now. */
let failing: 'get' | 'update' | undefined;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  failing = undefined;
  node = await createTestNode({
    ...{ clock, runner, policy: POLICY, slots: 1, inMemory: true },
    wrapTasks: (tasks) => ({
      ...tasks,
      get(tx, id) {
        if (failing === 'get') throw new WritError('DATABASE_ERROR', 'disk full');
        return tasks.get(tx, id);
      },
      update(tx, id, version, change) {
        if (failing === 'update') throw new WritError('DATABASE_ERROR', 'disk full');
        return tasks.update(tx, id, version, change);
      },
    }),
  });
});

afterEach(() => node.close());

function request(task: string, from = 'self'): SubmitRequest {
  return submitTrue(task, { subject: { from, origin: from, session: 's1' } });
}

async function ended(task: string): Promise<string> {
  for await (const _ of node.executor.watch(task, 0, new AbortController().signal)) void _;
  const { state, outcome } = node.executor.get(task) ?? {};
  return `${state} ${outcome?.code ?? ''}`.trim();
}

const reload = (text: string): Promise<unknown> => node.engine.reload(text, { acceptWidening: true });

describe('an id that this node gave to a task elsewhere', () => {
  function ask(id: string, peer: string): void {
    node.database.withWriteTx((tx) => {
      const spec = { input: { kind: 'argv', argv: ['true'] } } as const;
      const wish = { id, peer, peerLabel: 'there', session: 's1', agent: 'tester', idempotencyKey: id, spec };
      node.mirrors.insert(tx, wish);
    });
  }

  it('is for no task of a peer, told in the words of any other id that is taken', async () => {
    await node.executor.submit(request('own'));
    ask('asked', alpha);
    ask('mine', 'self');
    const told = (task: string): Promise<unknown> =>
      node.executor.submit(request(task, alpha)).catch(({ code, message }: WritError) => `${code} ${message}`);
    expect(await told('asked')).toBe(await told('own'));
    expect(await told('mine')).toBe(await told('own'));
    expect(node.executor.get('asked')).toBeUndefined();
    expect(await node.executor.submit(request('mine'))).toMatchObject({ accepted: true });
  });
});

describe('a withdrawal while the database fails', () => {
  it('stops at once what runs', async () => {
    await node.executor.submit(request('t1'));
    const run = await runner.runOf('t1');
    failing = 'get';
    await reload(WITHOUT_QUERY);
    expect(run.stops).toHaveLength(1);
    await clock.waitForTimers(1);
    failing = undefined;
    clock.advance(1000);
    expect(await ended('t1')).toMatch(/^failed/);
  });

  it('ends what waits as soon as that can be stored', async () => {
    for (const id of ['t1', 't2']) await node.executor.submit(request(id));
    const run = await runner.runOf('t1');
    runner.obeyStops(false);
    failing = 'update';
    await reload(WITHOUT_QUERY);
    expect(node.executor.get('t2')?.state).toBe('queued');
    failing = undefined;
    clock.advance(1000);
    expect(await ended('t2')).toMatch(/^failed/);
    run.exit(0);
  });
});

describe('a start', () => {
  it('that was refused when it was prepared and is permitted now is prepared again', async () => {
    const { previewStart } = node.authority;
    let looks = 0;
    node.authority.previewStart = (subject, ask) => {
      looks += 1;
      const decision = previewStart(subject, ask);
      return looks <= 3 ? { ...decision, effect: 'deny' } : decision;
    };
    await node.executor.submit(request('t1'));
    (await runner.runOf('t1')).exit(0);
    expect(await ended('t1')).toBe('completed');
    expect(node.executor.get('t1')?.epoch).toBe(1);
  });

  it('that is broken ends its task and frees its slot', async () => {
    for (const id of ['t1', 't2', 't3']) await node.executor.submit(request(id));
    const { previewStart } = node.authority;
    node.authority.previewStart = () => {
      node.authority.previewStart = previewStart;
      throw new TypeError('nobody thought of this');
    };
    (await runner.runOf('t1')).exit(0);
    expect(await ended('t2')).toBe('failed INTERNAL');
    (await runner.runOf('t3')).exit(0);
    expect(await ended('t3')).toBe('completed');
  });
});
