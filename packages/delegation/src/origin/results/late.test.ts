import { WritError } from '@writ/core';
import type { UnsignedResult } from '@writ/evidence';
import type { Mirror } from '@writ/task-store';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { asksBeta, createScriptedRunner, createTestNode, NODE_IDS, type TestNode } from '@writ/testkit/delegation';
import { passUntil } from '@writ/testkit/passing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTellingExecutor, type TellingExecutor } from '../../testing/telling-executor.ts';

const { alpha, beta } = NODE_IDS;
const POLICY = asksBeta('query');
const DAY_MS = 86_400_000;

let clock: FakeClock;
let other: TellingExecutor;
let asking: TestNode;
/** Pauses between two rounds that are under way. */
let pauses: Set<object>;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  pauses = new Set();
  other = await createTellingExecutor(clock);
  other.tell({ output: 'hello', inline: ({ envelope }) => envelope });
  asking = await createAsking();
});

afterEach(async () => {
  await asking.close();
  await other.close();
});

function createAsking(dir?: string): Promise<TestNode> {
  return createTestNode({
    ...{ clock: tellsPauses(clock), policy: POLICY, selfId: alpha, runner: createScriptedRunner({ clock }) },
    peers: { [beta]: other.client },
    ...(dir === undefined ? {} : { dir }),
  });
}

const until = (condition: () => boolean, stepMs = 100): Promise<void> => passUntil(clock, condition, stepMs);

const PAUSES_MS = [300_000, 600_000, 1_200_000, 2_400_000, 3_600_000];

function tellsPauses(real: FakeClock): FakeClock {
  return {
    ...real,
    setTimer(delayMs, fn) {
      const pause = {};
      if (PAUSES_MS.includes(delayMs)) pauses.add(pause);
      const over = (): void => void pauses.delete(pause);
      const cancel = real.setTimer(delayMs, () => {
        over();
        fn();
      });
      return () => {
        over();
        cancel();
      };
    },
  };
}

/** Lets much time pass between two rounds, and next to none in one: what really happens takes no time of this clock. */
const untilAfterPauses = (condition: () => boolean): Promise<void> =>
  passUntil(clock, condition, () => (pauses.size > 0 ? 60_000 : 1));

const silent = (): never => {
  throw new WritError('UNREACHABLE', 'the link is down');
};

const isSilent = (mirror?: Mirror): boolean => mirror?.accepted === true && mirror.unreachable;

/** A task whose executor has taken it on and is silent since. */
async function silentTask(isSo: (mirror?: Mirror) => boolean = isSilent): Promise<string> {
  other.onWatch = silent;
  const input = { kind: 'argv', argv: ['true'] } as const;
  const { task } = await asking.origin.delegate({
    ...{ to: 'beta', spec: { input, profile: 'query', timeoutMs: 1000 }, session: 's1', agent: 'tester' },
  });
  // Handed over again until that is stored, which reaches it each time.
  await until(() => isSo(asking.origin.get(task.id)));
  return task.id;
}

async function hasComeLate(id: string): Promise<void> {
  const lost = asking.origin.get(id)?.outcome;
  other.onWatch = () => {};
  await untilAfterPauses(() => asking.origin.result(id)?.acknowledgedAtMs !== undefined);
  expect(asking.origin.result(id)).toMatchObject({ late: true, result: { outcome: { state: 'completed' } } });
  expect(asking.origin.get(id)).toMatchObject({ state: 'lost', cursor: 3, unreachable: false, outcome: lost });
  expect(other.receipts).toEqual([id]);
  const told: unknown[] = [];
  for await (const { event } of asking.origin.watch(id, 0, new AbortController().signal)) told.push(event);
  expect(told).toMatchObject([{ kind: 'state' }, { kind: 'output' }, { kind: 'outcome', outcome: { state: 'lost' } }]);
  expect(asking.database.auditTail(20)).toContainEqual(expect.objectContaining({ action: 'mirror.late', subject: id }));
}

describe('forgetting a task', () => {
  it('ends it as lost, and keeps what comes later beside it', async () => {
    const id = await silentTask();
    expect(await asking.origin.forget(id, 'person')).toMatchObject({ state: 'lost', outcome: { code: 'LOST' } });
    expect(asking.database.auditTail(5)).toContainEqual(
      expect.objectContaining({ action: 'mirror.forgotten', actor: 'person', subject: id }),
    );
    expect(asking.origin.result(id)).toBeUndefined();
    await hasComeLate(id);
  });

  it('still takes a late result after a restart', async () => {
    const id = await silentTask();
    await asking.origin.forget(id, 'person');
    await asking.kill();
    asking = await createAsking(asking.dir);
    await asking.origin.recover();
    await hasComeLate(id);
  });

  it('is refused while its executor is reached', async () => {
    const id = await silentTask();
    // The end is told, and the result does not come yet.
    other.tell({});
    other.onPiece = () => held;
    let go: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    other.onWatch = () => {};
    await until(() => asking.origin.get(id)?.state === 'running');
    await expect(asking.origin.forget(id, 'person')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(asking.origin.forget('nothing', 'person')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    go();
  });

  it('changes nothing about a task that has ended', async () => {
    const id = await silentTask();
    other.onWatch = () => {};
    await until(() => asking.origin.get(id)?.state === 'completed');
    expect(await asking.origin.forget(id, 'person')).toMatchObject({ state: 'completed' });
  });

  it('waits no longer for an executor that does not know the task', async () => {
    const id = await silentTask();
    await asking.origin.forget(id, 'person');
    other.onWatch = () => {
      throw new WritError('NOT_FOUND', 'no such task');
    };
    await untilAfterPauses(() => asking.origin.get(id)?.unreachable === false);
    expect(asking.origin.get(id)?.state).toBe('lost');
  });
});

describe('tasks of one peer that were given up', () => {
  /** Given up while their executor was silent; `count` watches of it, and most of them at once, are counted from then on. */
  async function givenUp(count: number) {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push(await silentTask());
    const watches = { open: new Set<string>(), most: 0, all: 0 };
    const { watch } = other.client;
    Object.assign(other.client, {
      async *watch(...args: Parameters<typeof watch>) {
        const [task] = args;
        watches.all += 1;
        watches.open.add(task);
        watches.most = Math.max(watches.most, watches.open.size);
        try {
          yield* watch(...args);
        } finally {
          watches.open.delete(task);
        }
      },
    });
    for (const id of ids) await asking.origin.forget(id, 'person');
    return { ids, watches };
  }
  const isLate = (id: string): boolean => asking.origin.result(id)?.late === true;

  it('are asked for over one stream at a time, also after a restart', async () => {
    const { ids, watches } = await givenUp(5);
    await asking.kill();
    asking = await createAsking(asking.dir);
    other.onWatch = () => {};
    await asking.origin.recover();
    await untilAfterPauses(() => ids.every(isLate));
    expect(watches.most).toBe(1);
  });

  it('are not all tried while their peer is silent', async () => {
    const { watches } = await givenUp(5);
    await untilAfterPauses(() => watches.all >= 3);
    const fromMs = clock.nowMs();
    await untilAfterPauses(() => watches.all >= 5);
    // The pauses double: five, ten, twenty minutes and so on.
    expect(clock.nowMs() - fromMs).toBeGreaterThan(1_200_000);
  });

  it('do not wait for one of which nothing comes', async () => {
    const { ids } = await givenUp(3);
    const [first = '', ...others] = ids;
    let waits = false;
    const { watch } = other.client;
    Object.assign(other.client, {
      async *watch(task: string, after: number, signal: AbortSignal) {
        if (task !== first) return yield* watch(task, after, signal);
        waits = true;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    other.onWatch = () => {};
    await untilAfterPauses(() => waits);
    waits = false;
    clock.advance(60_000);
    await untilAfterPauses(() => others.every(isLate) && waits);
    expect(isLate(first)).toBe(false);
    other.client.watch = watch;
    clock.advance(60_000);
    await untilAfterPauses(() => isLate(first));
  });

  it('are asked for still while a clock that stepped ahead is doubted', async () => {
    const { ids, watches } = await givenUp(1);
    const isAwaited = (id: string): boolean => asking.origin.get(id)?.unreachable === true;
    clock.jump(40 * DAY_MS);
    clock.advance(3_600_000);
    const asked = watches.all;
    await untilAfterPauses(() => watches.all > asked);
    expect(ids.filter(isAwaited)).toEqual(ids);
    clock.advance(DAY_MS);
    await untilAfterPauses(() => !ids.some(isAwaited));
  });

  it('are asked for no more after thirty days of silence, which is told', async () => {
    const { ids, watches } = await givenUp(2);
    const isAwaited = (id: string): boolean => asking.origin.get(id)?.unreachable === true;
    clock.advance(30 * DAY_MS - 3_600_000);
    const asked = watches.all;
    await untilAfterPauses(() => watches.all > asked);
    expect(ids.filter(isAwaited)).toEqual(ids);
    clock.advance(3_600_000);
    await untilAfterPauses(() => !ids.some(isAwaited));
    const actions = asking.database.auditTail(10).filter(({ action }) => action === 'mirror.not-awaited');
    expect(actions.map(({ subject }) => subject).sort()).toEqual([...ids].sort());
    const before = watches.all;
    await asking.kill();
    asking = await createAsking(asking.dir);
    await asking.origin.recover();
    const stillMs = clock.nowMs() + DAY_MS;
    await passUntil(clock, () => clock.nowMs() > stillMs, 300_000);
    expect(watches.all).toBe(before);
  });
});

describe('a task that was given up after a day without its executor', () => {
  it('was not while any try still reached it, however long after the deadline', async () => {
    const id = await silentTask((mirror) => mirror?.unreachable === true);
    clock.advance(2 * DAY_MS - 60_000);
    let looks = 0;
    other.onLook = () => {
      looks += 1;
    };
    await until(() => looks > 1);
    other.onLook = silent;
    clock.advance(DAY_MS - 120_000);
    const stillMs = clock.nowMs() + 60_000;
    await until(() => clock.nowMs() > stillMs);
    expect(asking.origin.get(id)).toMatchObject({ state: 'submitted', unreachable: true });
    clock.advance(120_000);
    await until(() => asking.origin.get(id)?.state === 'lost');
    const message = 'beta could not be reached for 1d, and the deadline is over';
    expect(asking.origin.get(id)?.outcome).toMatchObject({ code: 'LOST', message });
  });

  it('keeps what comes later beside it', async () => {
    const startedAtMs = clock.nowMs();
    const result = (honest: UnsignedResult) => ({ ...honest, times: { ...honest.times, startedAtMs } });
    other.tell({ output: 'hello', inline: ({ envelope }) => envelope, result });
    const id = await silentTask();
    clock.advance(DAY_MS + 60_000);
    await until(() => asking.origin.get(id)?.state === 'lost');
    await hasComeLate(id);
  });
});
