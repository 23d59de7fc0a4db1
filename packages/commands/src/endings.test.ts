import { createExecutionStore } from '@writ/lease-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeskFixture, type DeskFixture, HOUR_MS, IN_A, PEER_ID, SELF_ID } from './testing/desk-fixture.ts';
import { createDeskVerbs } from './testing/desk-verbs.ts';
import type { CommandCaller, CommandSpec } from './types.ts';

const READ: CommandSpec = { argv: ['uptime'], profile: 'ops' };
const TASK: CommandCaller = { kind: 'task', task: 't-1' };

let at: DeskFixture;
const { ask, started, ended } = createDeskVerbs(() => at);
const stateOf = (id: string) => at.desk.show({ kind: 'host' }, id).state;
beforeEach(async () => {
  at = await createDeskFixture();
});
afterEach(() => at.close());

describe('the end of a session', () => {
  it('leaves it nothing: no command, no plan, no window', async () => {
    const restart = { ...READ, argv: ['systemctl', 'restart', 'nginx'] };
    const view = await ask(restart);
    at.yes(view.approval, 'session');
    (await started(view)).end();
    expect(at.gate.windows.list({})).toHaveLength(1);
    at.gate.endSession({ origin: SELF_ID, session: 'a' }, 'self', []);
    expect(at.gate.windows.list({})).toEqual([]);
    const plan = { title: 'nginx', steps: [restart], profile: 'ops', onlySteps: true, windowMs: HOUR_MS };
    for (const wish of [{ kind: 'command', command: READ } as const, { kind: 'plan', plan } as const]) {
      expect(await at.desk.ask(IN_A, wish, `late ${wish.kind}`)).toMatchObject({
        ...{ accepted: false, refusal: { code: 'NOT_FOUND' } },
      });
    }
    expect(at.gate.executions.list({ limit: 9 })).toHaveLength(1);
  });
});

describe('a moment in which nobody can tell what a command is', () => {
  it('passes, and a yes outlasts it', async () => {
    const view = await ask({ ...READ, argv: ['systemctl', 'restart', 'nginx'] });
    at.untold = 'late';
    const said: string[] = [];
    const watching = (async () => {
      for await (const item of at.desk.watch({ kind: 'host' }, view.id, 0, new AbortController().signal))
        if (item.kind === 'state') said.push(item.command.why);
    })();
    at.yes(view.approval);
    // Whoever watches is told, too.
    await expect.poll(() => said).toContainEqual(expect.stringContaining('waits, and is tried again'));
    at.untold = undefined;
    at.clock.advance(5_000);
    (await started(view)).end();
    expect(await ended(view)).toMatchObject({ state: 'completed' });
    await watching;
    expect(said.at(-1)).not.toContain('tried again');
  });

  it.each([
    ['late', 'TIMED_OUT', 'in the time that there is'],
    ['full', 'LIMIT_EXCEEDED', 'too many commands wait'],
    ['fault', 'RUNNER_UNAVAILABLE', 'no command can be looked at'],
    ['closing', 'SHUTTING_DOWN', 'shutting down'],
  ] as const)('refuses what is asked meanwhile, and says why: %s', async (untold, code, message) => {
    at.untold = untold;
    const answer = await at.desk.ask(IN_A, { kind: 'command', command: READ }, untold);
    expect(answer).toMatchObject({
      ...{ accepted: false, refusal: { code, message: expect.stringContaining(message) } },
    });
    at.untold = undefined;
  });
});

describe('the end of a lease', () => {
  it('ends what runs by it, also where the clock jumps over it', async () => {
    for (const { id } of at.authority.listLeases({ peer: 'self' })) at.authority.revokeLease(id, 'ap-1');
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 60_000, issuedBy: 'ap-1' });
    const view = await ask(READ);
    expect((await started(view)).order.timeoutMs).toBe(600_000);
    // The machine slept: no timer has counted that.
    at.clock.jump(60_000);
    expect(at.gate.executions.withdrawn()).toMatchObject([{ refusal: { code: 'LEASE_EXPIRED' } }]);
    at.clock.advance(5_000);
    expect(await ended(view)).toMatchObject({ state: 'cancelled', outcome: { code: 'LEASE_EXPIRED' } });
    expect(at.clock.pendingTimers()).toBe(1);
  });
});

describe('the end of a task', () => {
  beforeEach(() => {
    at.contexts.set('t-1', {
      ...{ task: 't-1', origin: PEER_ID, session: 's', agent: 'other', ids: [PEER_ID], writs: [], workspaces: [] },
      ...{ closure: ['inspect_status', 'manage_services'], network: 'deny', runner: 'shell', isolation: 'none' },
      ...{ maxOutputBytes: 1, depth: 0, expiresAtMs: at.clock.nowMs() + HOUR_MS },
    });
  });

  it('finds what it runs, however much was asked for since', async () => {
    const first = await ask(READ, TASK);
    await started(first);
    const store = createExecutionStore();
    at.database.withWriteTx((tx) => {
      const row = store.get(tx, first.id);
      if (row === undefined) throw new Error('gone');
      for (let i = 0; i <= 1000; i++) {
        const later = store.insert(tx, { ...row, id: `later-${i}`, idempotencyKey: `later ${i}` });
        store.move(tx, later, { state: 'cancelled' });
      }
    });
    await at.desk.endOf('t-1');
    expect((await ended(first)).outcome?.message).toBe('the task that asked for it has ended');
  });

  it('is answered when no process is left, and starts nothing meanwhile', async () => {
    const [runs, waits] = [await ask(READ, TASK), await ask({ ...READ, argv: ['systemctl', 'restart', 'x'] }, TASK)];
    const process = await started(runs);
    let isAnswered = false;
    at.holdStops = true;
    const ending = at.desk.endOf('t-1').then(() => {
      isAnswered = true;
    });
    at.yes(waits.approval);
    expect(await ended(waits)).toMatchObject({ state: 'failed', outcome: { code: 'CANCELLED' } });
    expect([isAnswered, stateOf(runs.id), at.processes.has(waits.id)]).toEqual([false, 'running', false]);
    process.end({ ending: { kind: 'cancel', cause: 'ended' } });
    await ending;
    expect((await ended(runs)).state).toBe('cancelled');
    at.desk.taskEnded('t-1');
  });

  it('waits for one that is just being started', async () => {
    let ending: Promise<void> | undefined;
    at.onStart = () => {
      ending = at.desk.endOf('t-1');
    };
    const view = await ask(READ, TASK);
    expect((await ended(view)).state).toBe('cancelled');
    await ending;
  });

  it('leaves what others run', async () => {
    const view = await ask(READ, IN_A);
    await started(view);
    await at.desk.endOf('t-1');
    expect(stateOf(view.id)).toBe('running');
  });
});

describe('what an earlier node left', () => {
  it('has an unknown outcome once none of its processes is left', async () => {
    const view = await ask(READ);
    await started(view);
    const states: string[] = [];
    at.onEndLeft = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      states.push(stateOf(view.id));
    };
    expect([await at.desk.recover(), await at.desk.recover()]).toEqual([1, 0]);
    expect([states, stateOf(view.id)]).toEqual([['running'], 'outcome_unknown']);
  });
});
