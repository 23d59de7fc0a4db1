import { WritError } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  asksBeta,
  askTrue,
  createPeerLink,
  createPeerServer,
  createScriptedRunner,
  createTestNode,
  type LinkFault,
  NODE_IDS,
  type PeerLink,
  type ScriptedRunner,
  servesAlpha,
  type TestNode,
} from '@writ/testkit/delegation';
import { passUntil } from '@writ/testkit/passing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isTerminal } from '../index.ts';

const { alpha, beta } = NODE_IDS;

const BETA_POLICY = servesAlpha(`[peers.alpha.limits]
max_concurrent = 10000
tasks_per_hour = 10000
`);

const ALPHA_POLICY = asksBeta('query');

let clock: FakeClock;
let runner: ScriptedRunner;
let executing: TestNode;
let asking: TestNode;
let link: PeerLink;
let callFault: (call: string, nth: number) => LinkFault | undefined;
/** Submits on their way now, and the most that ever were. */
let underWay: { now: number; most: number };

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock, onStart: (run) => run.exit(0) });
  callFault = () => undefined;
  underWay = { now: 0, most: 0 };
  executing = await createTestNode({ clock, runner, policy: BETA_POLICY, inMemory: true, slots: 8 });
  const { executor } = executing;
  link = createPeerLink({
    server: createPeerServer({ executor, sender: alpha, clock }),
    call: (call, nth) => callFault(call, nth),
  });
  const counted: PeerLink = {
    ...link,
    async submit(request) {
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      try {
        // An answer never comes within the same turn.
        await new Promise((resolve) => setImmediate(resolve));
        return await link.submit(request);
      } finally {
        underWay.now -= 1;
      }
    },
  };
  asking = await createTestNode({
    ...{ clock, policy: ALPHA_POLICY, selfId: alpha, runner: createScriptedRunner({ clock }), inMemory: true },
    peers: { [beta]: counted },
  });
});

afterEach(async () => {
  await asking.close();
  await executing.close();
});

const until = (condition: () => boolean): Promise<void> => passUntil(clock, condition);

const overloaded = (): never => {
  throw new WritError('RATE_LIMITED', 'too many calls');
};

describe('a peer that has too much to do', () => {
  it('gets five hundred tasks at once, each exactly once, and none fails', { timeout: 180_000 }, async () => {
    const warnings: string[] = [];
    const warn = (warning: Error): void => void warnings.push(warning.name);
    process.on('warning', warn);
    callFault = (call, nth) => {
      if (call === 'submit' && nth % 3 === 0) return overloaded();
      if (call === 'submit' && nth % 3 === 1 && nth < 700) return { kind: 'drop-answer' };
      return call === 'watch' && nth % 7 === 0 ? overloaded() : undefined;
    };
    const answers = Promise.all(Array.from({ length: 500 }, () => asking.origin.delegate(askTrue())));
    let ids: readonly string[] = [];
    void answers.then((all) => {
      ids = all.map(({ task }) => task.id);
    });
    await until(() => ids.length > 0);
    expect((await answers).every(({ accepted }) => accepted)).toBe(true);
    const open = [...ids];
    await until(() => {
      // Each is looked at until it has ended, and not five hundred at every turn.
      while (isTerminal(asking.origin.get(open.at(-1) ?? '')?.state ?? 'submitted')) open.pop();
      return open.length === 0;
    });
    const ended = ids.map((id) => asking.origin.get(id)?.outcome);
    expect(ended.filter((outcome) => outcome?.state !== 'completed')).toEqual([]);
    expect(new Set(runner.runs.map(({ spec }) => spec.task))).toEqual(new Set(ids));
    expect(runner.runs).toHaveLength(500);
    expect(underWay.most).toBe(64);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  it('has not refused what was sent to it and not answered', async () => {
    callFault = (call, nth) => {
      if (call !== 'submit') return undefined;
      return nth === 1 ? { kind: 'drop-answer' } : overloaded();
    };
    let id: string | undefined;
    void asking.origin.delegate(askTrue()).then(({ task }) => {
      id = task.id;
    });
    await until(() => id !== undefined);
    expect(asking.origin.get(id ?? '')).toMatchObject({ state: 'submitted', unreachable: true });
    callFault = () => undefined;
    await until(() => asking.origin.get(id ?? '')?.state === 'completed');
    expect(runner.runs).toHaveLength(1);
  });

  it('ends by its own word what this node forbids after it was sent', async () => {
    callFault = (call) => (call === 'submit' ? { kind: 'drop-answer' } : undefined);
    const delegating = asking.origin.delegate(askTrue());
    await until(() => executing.executor.list({ limit: 1 }).length === 1);
    const outside = ALPHA_POLICY.replace('profiles = ["query"]', 'profiles = []');
    await asking.engine.reload(outside, { acceptWidening: true });
    let cancelled = 0;
    callFault = (call) => {
      if (call === 'submit') return { kind: 'drop-answer' };
      if (call !== 'cancel') return undefined;
      cancelled += 1;
      return cancelled < 3 ? overloaded() : undefined;
    };
    const id = executing.executor.list({ limit: 1 })[0]?.id ?? '';
    await until(() => isTerminal(asking.origin.get(id)?.state ?? 'submitted'));
    await delegating;
    expect(cancelled).toBeGreaterThanOrEqual(3);
    // It had ended before the cancel came: that is the truth, and it is told.
    expect(asking.origin.get(id)?.state).toBe('completed');
  });
});
