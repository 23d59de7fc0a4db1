import { digestJson, nextTurn } from '@writ/core';
import type { TaskContext } from '@writ/delegation';
import type { VerifiedChain, WritClaims } from '@writ/identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createDeskFixture,
  type DeskFixture,
  HOUR_MS,
  IN_A,
  IN_B,
  PEER_ID,
  POLICY,
  SELF_ID,
} from './testing/desk-fixture.ts';
import { createDeskVerbs } from './testing/desk-verbs.ts';
import type { CommandCaller, CommandSpec, CommandView, PlanSpec, WatchedCommand, Wish } from './types.ts';
import { boundWish } from './wish.ts';

/** A caller that waits as long as it takes. */
const WAITING = new AbortController().signal;
const READ: CommandSpec = { argv: ['uptime'], profile: 'ops' };
const RESTART: CommandSpec = { argv: ['systemctl', 'restart', 'nginx'], profile: 'ops' };
const NOW_S = 1_800_000_000;

describe('the desk of gated commands', () => {
  let at: DeskFixture;
  beforeEach(async () => {
    at = await createDeskFixture();
  });
  afterEach(async () => {
    await at.close();
    expect(at.held.count).toBe(0);
  });

  const { answer, ask, started, ended } = createDeskVerbs(() => at);

  it('starts a read by itself, and tells its output and then its end', async () => {
    const view = await ask({ ...READ, stdin: 'AAE=', cwd: '/srv' });
    const told: WatchedCommand[] = [];
    const watching = (async () => {
      for await (const item of at.desk.watch(IN_A, view.id, 0, new AbortController().signal)) told.push(item);
    })();
    const process = await started(view);
    expect(process.order).toMatchObject({
      ...{ program: '/held/bin/uptime', argv: ['uptime'], cwd: '/srv', env: { PATH: '/bin', LANG: 'C' } },
      ...{ stdin: Buffer.from([0, 1]), timeoutMs: 600_000 },
    });
    process.write('one');
    process.write('two');
    process.end({ ending: { kind: 'exit', exitCode: 3 }, truncated: true });
    await watching;
    expect(told.map((item) => (item.kind === 'state' ? item.command.state : `${item.next} ${item.data}`))).toEqual(
      expect.arrayContaining(['running', '1 one', '2 two', 'failed']),
    );
    expect(told.at(-1)).toMatchObject({
      command: { outcome: { code: 'WORKER_FAILED', exitCode: 3, message: expect.stringContaining('not all') } },
    });
  });

  it('keeps one execution for one key of one session, whatever has become of its files', async () => {
    const first = await ask(RESTART, IN_A, 'k');
    at.files.set('/bin/systemctl', 'another one');
    expect((await ask(RESTART, IN_A, 'k')).id).toBe(first.id);
    for (const [other, what] of [
      [{ argv: ['uptime'] }, 'the arguments is not'],
      [{ cwd: '/srv' }, 'the directory is not'],
      [{ stdin: '' }, 'the standard input is not'],
      [{ profile: 'looks' }, 'the profile is not'],
      [{ workspace: 'app', cwd: '/' }, 'the workspace is not'],
      [{ argv: ['uptime'], profile: 'looks' }, 'the arguments, the profile are not'],
    ] as const) {
      const message = expect.stringContaining(`another command: ${what}`);
      await expect(ask({ ...RESTART, ...other }, IN_A, 'k')).rejects.toMatchObject({ code: 'CONFLICT', message });
    }
    expect((await ask(RESTART, IN_B, 'k')).id).not.toBe(first.id);
  });

  it('says what a change waits for, and starts it after the yes', async () => {
    const view = await ask(RESTART);
    expect(view).toMatchObject({ state: 'pending_approval', target: 'self/service/nginx', class: 'config-mutation' });
    expect(view.why).toBe(`waits for a person on beta since 2027-01-15T08:00:00.000Z, approval ${view.approval}`);
    expect(at.gate.approvals.get(view.approval ?? '')?.preview).toContain('asked by: beta (');
    at.yes(view.approval);
    (await started(view)).end();
    expect(await ended(view)).toMatchObject({ state: 'completed', outcome: { exitCode: 0 } });
  });

  it('refuses what policy does not grant, before anybody is asked', async () => {
    const codes = await Promise.all(
      [
        { ...READ, profile: 'nothing' },
        { ...READ, profile: 'boxed' },
        { ...READ, workspace: 'none' },
        { argv: ['gone'], profile: 'ops' },
      ].map(async (command) => {
        const said = await answer(IN_A, command);
        return said.accepted ? said : said.refusal.code;
      }),
    );
    expect(codes).toEqual(['PROFILE_UNKNOWN', 'ISOLATION_UNAVAILABLE', 'WORKSPACE_NOT_ALLOWED', 'BAD_REQUEST']);
    await expect(answer({ kind: 'host' }, READ)).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
    expect(at.gate.executions.list({ limit: 9 })).toEqual([]);
  });

  it('looks at no file for whoever lacks the right to run what would read it', async () => {
    at.files.set('/srv/large', 'x');
    const lacking = { argv: ['systemctl', 'restart', '/srv/large'], profile: 'looks' };
    const plan = {
      ...{ title: 'x', onlySteps: false, windowMs: HOUR_MS },
      profile: 'looks',
      steps: [{ argv: lacking.argv }],
    };
    const before = at.held.looks;
    expect(await answer(IN_A, lacking)).toMatchObject({ accepted: false, refusal: { code: 'PROFILE_NOT_ALLOWED' } });
    expect(await at.desk.ask(IN_A, { kind: 'plan', plan }, 'p')).toMatchObject({
      accepted: false,
      refusal: { code: 'PROFILE_NOT_ALLOWED' },
    });
    expect(at.held.looks).toBe(before);
  });

  it('reads and decides nothing for whom there is no room, nor for who asks too fast', async () => {
    const asked = Array.from({ length: 64 }, () => ask(READ));
    await Promise.all(asked);
    const reads = at.held.reads.length;
    const rowsOf = (action: string) => at.database.auditAfter(0, 9999).filter((row) => row.action === action).length;
    const decisions = rowsOf('decision.allow');
    const refused = async (caller: CommandCaller, message: string) =>
      expect(await answer(caller, READ)).toMatchObject({
        ...{ accepted: false, refusal: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining(message) } },
      });
    await refused(IN_A, 'run or wait already, the most for a session');
    expect(rowsOf('execution.refused')).toBe(1);
    for (let times = 0; times < 240; times += 1) await answer(IN_A, READ);
    await refused(IN_A, 'more is asked for than');
    // One row each for the first few; the rest is counted.
    expect(rowsOf('execution.refused')).toBe(4);
    expect([at.held.reads.length, rowsOf('decision.allow')]).toEqual([reads, decisions]);
    expect(await answer(IN_B, READ)).toMatchObject({ accepted: true });
  });

  it('asks anew for what changed since it was asked for, and leaves what never stands still', async () => {
    let view = await ask(RESTART);
    for (let round = 1; round <= 9; round++) {
      at.files.set('/bin/systemctl', `version ${round}`);
      at.yes(view.approval);
      const last = await ended(view);
      expect(last).toMatchObject({ state: 'failed', outcome: { code: 'CHANGED_SINCE_APPROVAL' } });
      if (last.next === undefined) {
        expect(round).toBe(9);
        break;
      }
      view = at.desk.show(IN_A, last.next);
      expect(view.state).toBe('pending_approval');
    }
    expect(at.processes.size).toBe(0);
    expect(at.desk.list(IN_A, 20)).toHaveLength(9);
  });

  it('cancels what waits and what runs, and answers when it has ended', async () => {
    const waiting = await ask(RESTART);
    expect(await at.desk.cancel(IN_A, waiting.id, WAITING)).toMatchObject({ state: 'cancelled' });
    const running = await ask(READ);
    await started(running);
    expect(await at.desk.cancel(IN_A, running.id, WAITING)).toMatchObject({
      state: 'cancelled',
      outcome: { code: 'CANCELLED', message: 'its caller cancelled it' },
    });
    expect(await at.desk.cancel(IN_A, running.id, WAITING)).toMatchObject({ state: 'cancelled' });
  });

  it('ends what runs also for a caller that does not wait for it', async () => {
    const view = await ask(READ);
    await started(view);
    await expect(at.desk.cancel(IN_A, view.id, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    expect((await ended(view)).state).toBe('cancelled');
  });

  it('cancels what is just being started', async () => {
    let cancelling: Promise<CommandView> | undefined;
    at.onStart = ({ id }) => {
      cancelling = at.desk.cancel(IN_A, id, WAITING);
    };
    const view = await ask(READ);
    expect((await ended(view)).state).toBe('cancelled');
    expect((await cancelling)?.state).toBe('cancelled');
  });

  it('ends what runs when its lease or its policy is taken away', async () => {
    const [one, two] = [await ask(READ), await ask(READ, IN_B)];
    await Promise.all([started(one), started(two)]);
    const lease = at.authority.listLeases({ peer: 'self' })[0]?.id ?? '';
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'ap-1' });
    at.authority.revokeLease(lease, 'ap-1');
    expect([await ended(one), await ended(two)].map(({ outcome }) => outcome?.code)).toEqual([
      'LEASE_REVOKED',
      'LEASE_REVOKED',
    ]);
    const three = await ask(READ);
    await started(three);
    await at.engine.reload(POLICY.replace('"inspect_status", "manage', '"manage'), { acceptWidening: false });
    expect(await ended(three)).toMatchObject({ state: 'cancelled', outcome: { code: 'PROFILE_NOT_ALLOWED' } });
  });

  it('starts nothing on the machine itself once the profile asks for isolation', async () => {
    const view = await ask(RESTART);
    await at.engine.reload(POLICY.replace('isolation = "none"', 'isolation = "required"'), { acceptWidening: false });
    at.yes(view.approval);
    expect(await ended(view)).toMatchObject({ state: 'failed', outcome: { code: 'ISOLATION_UNAVAILABLE' } });
  });

  it('ends with the node: nothing is left running, and nothing more is taken up', async () => {
    const view = await ask(READ);
    await started(view);
    await at.desk.close();
    expect(at.desk.show(IN_A, view.id)).toMatchObject({ state: 'cancelled', why: 'the node went down while it ran' });
    expect((await ask(READ)).state).toBe('proposed');
  });

  it('says why a read does not start while the clock stands back, and starts it once that is right', async () => {
    at.database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'test' }));
    at.clock.jump(-2 * HOUR_MS);
    const view = await ask({ ...READ, profile: 'looks' });
    expect(view).toMatchObject({ state: 'proposed', why: expect.stringContaining('the clock of beta went back') });
    at.clock.jump(2 * HOUR_MS);
    at.clock.advance(5000);
    (await started(view)).end({ ending: { kind: 'exit', exitCode: 0 }, truncated: false });
    expect((await ended(view)).state).toBe('completed');
  });

  it('asks once about a plan under one key, whatever became of the question, and takes no other plan under it', async () => {
    const plan: PlanSpec = { title: 'nginx', steps: [RESTART], profile: 'ops', onlySteps: true, windowMs: HOUR_MS };
    const propose = async (key: string, change: Partial<PlanSpec> = {}, caller = IN_A) => {
      const said = await at.desk.ask(caller, { kind: 'plan', plan: { ...plan, ...change } }, key);
      if (!said.accepted || !('question' in said)) throw new Error('no question');
      return said.question;
    };
    const [first, again] = await Promise.all([propose('p'), propose('p')]);
    expect(again).toEqual(first);
    await expect(propose('p', { title: 'apache' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await propose('p', {}, IN_B)).approval).not.toBe(first.approval);
    at.yes(first.approval, 'session');
    at.files.set('/bin/systemctl', 'another one');
    expect(await propose('p')).toEqual({
      ...first,
      state: 'approved',
      why: `was approved, approval ${first.approval}`,
    });
    expect(await propose('q')).toMatchObject({ state: 'pending' });
    expect(at.gate.approvals.list({ pendingOnly: false, limit: 9 })).toHaveLength(3);
  });

  it('covers a plan’s steps with one yes, in its session', async () => {
    const plan: PlanSpec = { title: 'nginx', steps: [RESTART], profile: 'ops', onlySteps: true, windowMs: HOUR_MS };
    const said = await at.desk.ask(IN_A, { kind: 'plan', plan }, 'plan');
    if (!said.accepted || !('question' in said)) throw new Error(JSON.stringify(said));
    expect(said.question.steps).toEqual([
      { argv: RESTART.argv, class: 'config-mutation', needs: ['manage_services'], target: 'self/service/nginx' },
    ]);
    at.yes(said.question.approval, 'session');
    const [mine, other, theirs] = [
      await ask(RESTART),
      await ask({ ...RESTART, argv: ['systemctl', 'restart', 'sshd'] }),
      await ask(RESTART, IN_B),
    ];
    (await started(mine)).end();
    expect((await ended(mine)).window).toBeDefined();
    expect([other.state, theirs.state]).toEqual(['pending_approval', 'pending_approval']);
    const tooMuch = { ...plan, steps: [RESTART, { argv: ['systemctl', 'mask', 'x'], stdin: '/w==' }] };
    expect(await at.desk.ask(IN_A, { kind: 'plan', plan: tooMuch }, 'plan 2')).toMatchObject({
      accepted: false,
      refusal: { code: 'BAD_REQUEST' },
    });
  });

  it('reads a plan no further once nobody waits for it, and asks nothing', async () => {
    const steps = Array.from({ length: 8 }, () => RESTART);
    const plan: PlanSpec = { title: 'nginx', steps, profile: 'ops', onlySteps: true, windowMs: HOUR_MS };
    const gone = new AbortController();
    const asked = at.desk.ask(IN_A, { kind: 'plan', plan }, 'gone', gone.signal);
    // Between two steps: everybody else has a turn there.
    await nextTurn();
    gone.abort();
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(at.gate.approvals.list({ pendingOnly: false, limit: 9 })).toEqual([]);
  });

  it('covers a plan’s steps in the workspace that the plan named, and in no other and in none', async () => {
    const step = { ...RESTART, cwd: '/srv' };
    const plan: PlanSpec = { title: 'nginx', steps: [step], workspace: 'app', onlySteps: true, windowMs: HOUR_MS };
    const said = await at.desk.ask(IN_A, { kind: 'plan', plan: { ...plan, profile: 'ops' } }, 'plan');
    if (!said.accepted || !('question' in said)) throw new Error(JSON.stringify(said));
    expect(at.gate.approvals.get(said.question.approval)?.preview).toContain('in this session in workspace app for 1h');
    at.yes(said.question.approval, 'session');
    const other = await ask({ ...step, workspace: 'two' });
    expect(other.state).toBe('pending_approval');
    const none = await at.desk.ask(IN_A, { kind: 'command', command: step }, 'without');
    expect(none).toMatchObject({ accepted: false, refusal: { code: 'CONFLICT' } });
    const mine = await ask({ ...step, workspace: 'app' });
    (await started(mine)).end();
    expect((await ended(mine)).window).toBeDefined();
    expect(at.gate.approvals.get(other.approval ?? '')?.preview).toContain('in this session in workspace two');
  });

  describe('for a task', () => {
    const TASK: CommandCaller = { kind: 'task', task: 't-1' };
    const context: TaskContext = {
      ...{ task: 't-1', origin: PEER_ID, session: 's', agent: 'other', ids: [PEER_ID], writs: [] },
      ...{ closure: ['inspect_status'], workspaces: ['app'], network: 'deny', runner: 'shell', isolation: 'none' },
      ...{ maxOutputBytes: 1, depth: 0 },
      ...{ expiresAtMs: NOW_S * 1000 + HOUR_MS, files: { dir: '/srv/clone' } },
    };
    beforeEach(() => at.contexts.set('t-1', context));

    it('asks in its session, within its grant, where it works', async () => {
      const view = await ask({ argv: ['uptime'] }, TASK);
      expect(view).toMatchObject({ cwd: '/srv/clone', profile: 'ops', task: 't-1', requestedBy: PEER_ID });
      expect(at.gate.executions.get(view.id)).toMatchObject({
        ...{ origin: PEER_ID, session: 's', agent: 'other', basis: { workspace: 'app' } },
      });
      const codes = await Promise.all(
        [
          { argv: ['systemctl', 'restart', 'x'] },
          { ...READ, profile: 'boxed' },
          { argv: ['uptime'], workspace: 'lib' },
        ].map(async (command) => {
          const said = await answer(TASK, command);
          return said.accepted ? said : said.refusal.code;
        }),
      );
      expect(codes).toEqual(['PROFILE_NOT_ALLOWED', 'PROFILE_NOT_ALLOWED', 'GRANT_EXCEEDED']);
    });

    it('has keys of its own, which say nothing of those of a task beside it', async () => {
      at.contexts.set('t-2', { ...context, task: 't-2' });
      const mine = await ask({ argv: ['uptime'] }, TASK, 'k');
      expect((await ask({ argv: ['uptime'] }, TASK, 'k')).id).toBe(mine.id);
      const beside = await ask({ argv: ['uptime'], cwd: '/srv' }, { kind: 'task', task: 't-2' }, 'k');
      expect(beside.id).not.toBe(mine.id);
    });

    it('shows it its own and nothing else, and ends them with it', async () => {
      at.contexts.set('t-2', { ...context, task: 't-2' });
      const [mine, sibling, hosts] = [
        await ask({ argv: ['uptime'] }, TASK),
        await ask({ argv: ['uptime'] }, { kind: 'task', task: 't-2' }),
        await ask(READ),
      ];
      expect(at.desk.list(TASK, 9).map(({ id }) => id)).toEqual([mine.id]);
      for (const { id } of [sibling, hosts]) {
        expect(() => at.desk.show(TASK, id)).toThrow('no execution');
        const elsewhere = expect.stringContaining('writ execution show EXECUTION --peer PEER');
        expect(() => at.desk.show(TASK, id)).toThrow(
          expect.objectContaining({ nextSteps: expect.arrayContaining([elsewhere]) }),
        );
        expect(() => at.desk.watch(TASK, id, 0, new AbortController().signal)).toThrow('no execution');
        await expect(at.desk.cancel(TASK, id, WAITING)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      }
      // Nor does its sender reach what the task itself asked for.
      expect(() => at.desk.show({ kind: 'peer', id: PEER_ID }, mine.id)).toThrow('no execution');
      await Promise.all([started(mine), started(sibling)]);
      await at.desk.endOf('t-1');
      expect((await ended(mine)).why).toBe('the task that asked for it has ended');
      expect(at.desk.show(IN_A, sibling.id).state).toBe('running');
    });
  });

  describe('for a peer', () => {
    const wish = (command: CommandSpec): Wish => ({ kind: 'command', command });
    const chain = (command: CommandSpec, key: string, change: Partial<WritClaims>): VerifiedChain => {
      const last: WritClaims = {
        ...{ v: 1, iss: PEER_ID, aud: SELF_ID, task: key, origin: PEER_ID, session: 'theirs', agent: 'their-agent' },
        ...{ profile: 'ops', depth: 0, iat: NOW_S, exp: NOW_S + 600, nonce: '', generation: 1 },
        request: digestJson(JSON.parse(JSON.stringify(boundWish(wish(command))))),
        grant: {
          closure: ['destructive', 'inspect_status', 'manage_services'],
          workspaces: [],
          network: 'deny',
          maxOutputBytes: 1,
        },
        ...change,
      };
      return { hops: [last], ids: [PEER_ID], last };
    };
    const from = (command: CommandSpec, key: string, change: Partial<WritClaims> = {}): CommandCaller => ({
      kind: 'peer',
      id: PEER_ID,
      chain: chain(command, key, change),
    });

    it('stores the session of its writ with the command, which waits no longer than the writ lives', async () => {
      const view = await ask(RESTART, from(RESTART, 'x'), 'x');
      expect(at.gate.executions.get(view.id)).toMatchObject({
        ...{ origin: PEER_ID, session: 'theirs', agent: 'their-agent', requestedBy: PEER_ID },
        expiresAtMs: (NOW_S + 600) * 1000,
      });
      expect(at.desk.show({ kind: 'peer', id: PEER_ID }, view.id).id).toBe(view.id);
      expect(() => at.desk.show({ kind: 'peer', id: SELF_ID }, view.id)).toThrow('no execution');
      const hosts = await ask(READ);
      expect(at.desk.list({ kind: 'peer', id: PEER_ID }, 9).map(({ id }) => id)).toEqual([view.id]);
      expect(() => at.desk.show({ kind: 'peer', id: PEER_ID }, hosts.id)).toThrow('no execution');
      at.yes(view.approval);
      expect((await started(view)).order.timeoutMs).toBe(600_000);
    });

    it.each<[string, CommandCaller]>([
      ['another command', from(READ, 'x')],
      ['another key', from(RESTART, 'y')],
      ['another profile', from(RESTART, 'x', { profile: 'boxed' })],
      ['a workspace', from(RESTART, 'x', { workspace: 'app' })],
      ['a task', from(RESTART, 'x', { request: digestJson(JSON.parse(JSON.stringify(RESTART))) })],
      ['longer than a day', from(RESTART, 'x', { exp: NOW_S + 90_000 })],
    ])('refuses a writ for %s', async (_, caller) => {
      await expect(ask(RESTART, caller, 'x')).rejects.toMatchObject({ code: 'WRIT_INVALID' });
    });

    it('grants no more than each hop of its chain', async () => {
      const grant = { closure: ['manage_services'], workspaces: [], network: 'deny', maxOutputBytes: 1 } as const;
      const stop: CommandSpec = { argv: ['systemctl', 'stop', 'nginx'], profile: 'ops' };
      const said = await answer(from(stop, 'x', { grant }), stop, 'x');
      expect(said).toMatchObject({
        accepted: false,
        refusal: { code: 'GRANT_EXCEEDED' },
      });
    });
  });
});
