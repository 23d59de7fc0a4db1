import { sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planQuestion } from '../approvals/plan-kind.ts';
import { writeBasis, writeTaskBasis } from '../executions/basis.ts';
import {
  createGateFixture,
  GATE_POLICY,
  type GateFixture,
  HOUR_MS,
  IN_A,
  IN_B,
  NGINX,
} from '../testing/gate-fixture.ts';
import type { Need } from './windows.ts';

const STEP = sha256Hex('restart nginx');
const SUBJECT = { from: 'self', origin: IN_A.origin, session: 'a' };
const basisIn = (workspace: string | undefined) =>
  writeBasis({ subject: SUBJECT, ask: { chain: [], profile: 'ops', input: 'argv', ...(workspace && { workspace }) } });
const NEED: Need = {
  ...{ ...IN_A, class: 'config-mutation', target: NGINX, known: true, digest: STEP, profile: 'ops' },
  basis: basisIn('app'),
};

describe('windows', () => {
  let at: GateFixture;
  const covers = (change: Partial<Need> = {}) =>
    at.database.withReadTx((tx) => at.gate.windows.covers(tx, { ...NEED, ...change }, at.database.nowMs())) !==
    undefined;
  const claim = (change: Partial<Need> = {}) =>
    at.database.withWriteTx((tx) => at.gate.windows.claim(tx, { ...NEED, ...change })) !== undefined;
  const plan = (change: object = {}) => {
    return planQuestion(
      {
        ...{ title: 'restart', steps: [{ digest: STEP, class: 'config-mutation', needs: ['manage_services'] }] },
        ...{ onlySteps: false, windowMs: HOUR_MS, profile: 'ops' },
        basis: basisIn('app'),
        ...change,
      },
      24 * HOUR_MS,
      { asker: IN_A, lifetimeMs: HOUR_MS },
      { asker: { label: 'me', words: 'a-b-c-d' }, steps: [[{ label: 'argument 0', text: 'systemctl' }]] },
    );
  };
  const ask = (change: object = {}): string => {
    const outcome = at.ask(plan(change));
    if (!outcome.asked) throw new Error(outcome.refusal.message);
    return outcome.approval.id;
  };
  const openBy = (change: object = {}) => at.answer(ask(change), 'approve');
  beforeEach(async () => {
    at = await createGateFixture();
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
  });
  afterEach(() => at.close());

  it('are opened by a yes to a plan, for its agent in its session, and by nothing else', () => {
    const id = ask();
    expect([covers(), at.gate.approvals.get(id)?.preview]).toEqual([
      false,
      expect.stringContaining('a yes opens: the assent window of this agent in this session in workspace app for 1h'),
    ]);
    at.answer(id, 'approve');
    expect(at.gate.windows.list({})).toMatchObject([
      { ...{ kind: 'assent', session: 'a', agent: 'agent', approval: id }, profile: 'ops' },
    ]);
    expect([covers(), covers({ profile: 'other' }), claim({ profile: 'other' })]).toEqual([true, false, false]);
    expect(at.gate.windows.list({ key: IN_B })).toEqual([]);
    expect(at.events.at(-1)).toMatchObject({ kind: 'window' });
  });

  it('are not opened by a no', () => {
    at.answer(ask(), 'deny');
    expect([covers(), at.gate.windows.list({})]).toEqual([false, []]);
  });

  it.each<[string, Partial<Need>]>([
    ['another session', { session: 'b' }],
    ['another agent', { agent: 'other' }],
    ['another origin', { origin: 'wn-other' }],
    ['no session', { session: '' }],
    ['a blank session', { session: ' ' }],
    ['a blank agent', { agent: '\t' }],
    ['a blank origin', { origin: '' }],
    ['something destructive', { class: 'destructive' }],
    ['something destructive without a target', { class: 'destructive', target: undefined }],
    ['something destructive with a blank target', { class: 'destructive', target: ' ' }],
    ['another profile', { profile: 'dev' }],
    ['another workspace', { basis: basisIn('two') }],
    ['no workspace', { basis: basisIn(undefined) }],
    ['a task that works in another workspace', { basis: writeTaskBasis('two') }],
    ['a task that works in none', { basis: writeTaskBasis(undefined) }],
    ['a basis that cannot be read', { basis: { workspace: 'app', more: 1 } }],
    ['an unknown program that is no step of it', { known: false, digest: sha256Hex('other') }],
    ['what needs none', { class: 'read' }],
  ])('do not cover %s', (_, change) => {
    openBy();
    expect([covers(change), claim(change)]).toEqual([false, false]);
  });

  it('cover a service, a package or a container where a step of the plan named this very one, and no other', () => {
    const other = { digest: sha256Hex('stop') };
    openBy({ steps: [{ digest: STEP, class: 'config-mutation', needs: ['manage_services'], target: NGINX }] });
    expect([covers(other), claim(other)]).toEqual([true, true]);
    for (const target of [`${NGINX}2`, NGINX.replace('/service/', '/package/'), NGINX.replace('nginx', 'ttyd')]) {
      expect([covers({ ...other, target }), claim({ ...other, target })]).toEqual([false, false]);
    }
    expect(covers({ ...other, target: undefined })).toBe(true);
  });

  it('that a yes to one command opened for the session cover what it named, and no other', () => {
    const proposed = at.propose();
    if (!proposed.proposed || proposed.execution.approval === undefined) throw new Error('nothing was asked');
    at.answer(proposed.execution.approval, 'approve', 'session');
    const other = { digest: sha256Hex('stop'), basis: proposed.execution.basis };
    expect(covers(other)).toBe(true);
    expect(covers({ ...other, target: NGINX.replace('nginx', 'ttyd') })).toBe(false);
  });

  it.each([
    ['a plan that named a workspace cover that one', 'app', [true, false, false]],
    ['a plan that named no workspace cover what names none', undefined, [false, false, true]],
  ])('of %s, listed steps or not, and for a task as well', (_, workspace, covered) => {
    const window = {
      ...IN_A,
      kind: 'assent',
      profile: 'ops',
      approval: 'a1',
      ...(workspace && { workspace }),
    } as const;
    for (const more of [{}, { steps: [STEP] }]) {
      const opened = at.database.withWriteTx((tx) =>
        at.gate.windows.open(tx, { ...window, ...more, expiresAtMs: tx.nowMs + HOUR_MS }),
      );
      const places = ['app', 'two', undefined];
      expect(places.map((place) => covers({ target: undefined, basis: basisIn(place) }))).toEqual(covered);
      expect(places.map((place) => claim({ target: undefined, basis: writeTaskBasis(place) }))).toEqual(covered);
      at.gate.windows.close(opened.id, 'ap-1');
    }
  });

  it('may be of the steps of the plan alone, unknown programs too', () => {
    openBy({ onlySteps: true });
    expect([covers(), covers({ known: false }), covers({ digest: sha256Hex('other') })]).toEqual([true, true, false]);
  });

  it('are of the steps of the plan besides, unknown programs too, and of those of no other plan', () => {
    openBy({ onlySteps: false });
    expect([covers({ known: false }), claim({ known: false })]).toEqual([true, true]);
    const other = { known: false, digest: sha256Hex('other') };
    ask({ steps: [{ digest: other.digest, class: 'config-mutation', needs: ['manage_services'] }] });
    expect([covers(other), claim(other)]).toEqual([false, false]);
    expect(covers({ known: false, class: 'destructive', target: 'self/service/nginx' })).toBe(false);
  });

  it('end by use count', () => {
    openBy({ maxUses: 2 });
    expect([claim(), claim(), claim(), covers()]).toEqual([true, true, false, false]);
  });

  it('give a use back where nothing was spawned', () => {
    openBy({ maxUses: 1 });
    const [{ id = '' } = {}] = at.gate.windows.list({});
    claim();
    at.database.withWriteTx((tx) => at.gate.windows.giveBack(tx, id));
    expect(claim()).toBe(true);
  });

  it('end by time, and cover nothing while the clock stands back', () => {
    openBy();
    at.move(HOUR_MS - 1);
    expect(claim()).toBe(true);
    at.move(-62_000);
    expect([covers(), claim()]).toEqual([false, false]);
    at.move(62_001);
    expect([covers(), claim()]).toEqual([false, false]);
  });

  it('are closed by a person, once', () => {
    openBy();
    const [window] = at.gate.windows.list({});
    expect([at.gate.windows.close(window!.id, 'ap-1'), at.gate.windows.close(window!.id, 'ap-1')]).toEqual([
      true,
      false,
    ]);
    expect(() => at.gate.windows.close('none', 'ap-1')).toThrow(/no window/);
    expect([covers(), at.events.at(-1)]).toMatchObject([false, { kind: 'window', window: { closedBy: 'ap-1' } }]);
  });

  it('end with their session', () => {
    openBy();
    at.gate.endSession(IN_A, 'self', []);
    expect([covers(), at.gate.windows.list({})]).toEqual([false, []]);
  });

  it('close with a reload that takes their right away, and stay with one that does not', async () => {
    openBy();
    await at.engine.reload(`${GATE_POLICY}# a remark\n`, { acceptWidening: false });
    expect(covers()).toBe(true);
    await at.engine.reload(GATE_POLICY.replace('"ops", ', ''), { acceptWidening: false });
    expect([covers(), at.gate.windows.list({})]).toEqual([false, []]);
    await at.engine.reload(GATE_POLICY, { acceptWidening: true });
    expect(covers()).toBe(false);
  });

  it('cost a reload no durable commit where none is open', async () => {
    let writes = 0;
    const wrapDatabase = (real: typeof at.database): typeof at.database => ({
      ...real,
      withWriteTx: (fn) => {
        writes += 1;
        return real.withWriteTx(fn);
      },
    });
    const counted = await createGateFixture({ wrapDatabase });
    writes = 0;
    expect(counted.gate.windows.closeWithdrawn()).toBe(0);
    expect(writes).toBe(0);
    await counted.close();
  });

  it('close with the lease that their right rests on', () => {
    openBy();
    at.authority.revokeLease(at.authority.listLeases({})[0]!.id, 'ap-1');
    expect(at.gate.windows.list({})).toEqual([]);
  });

  it('are not opened by a yes that a reload has made illegal', async () => {
    const id = ask();
    await at.engine.reload(GATE_POLICY.replace('"manage_services", ', ''), { acceptWidening: false });
    expect(at.answer(id, 'approve')).toMatchObject({ decided: false, check: 'policy' });
    expect(at.gate.approvals.get(id)?.state).toBe('pending');
  });

  it('need a plan with steps and bounds', () => {
    const bad = [{ steps: [] }, ...[0, -1, 25 * HOUR_MS, 0.5].map((windowMs) => ({ windowMs })), { maxUses: 0 }];
    for (const change of bad) expect(() => plan(change)).toThrow(/plan/);
  });

  it('are removed long after', () => {
    openBy();
    at.move(32 * 24 * HOUR_MS);
    expect([at.gate.windows.sweep(), at.gate.windows.sweep()]).toEqual([1, 0]);
  });
});
