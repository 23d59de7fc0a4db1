import { appendFileSync } from 'node:fs';
import { sha256Hex } from '@writ/core';
import type { Execution } from '@writ/lease-store';
import { withSteps } from '@writ/testkit/steps';
import { planQuestion } from '../approvals/plan-kind.ts';
import { writeBasis } from '../executions/basis.ts';
import { createGateFixture, GATE_POLICY, type GateFixture, HOUR_MS, IN_A, OTHER_ID } from './gate-fixture.ts';

/** Work of one process: everything that authority stores, over and over, until it is killed inside step `killAt`. */
export interface KillPlan {
  readonly path: string;
  /** One line for each acknowledged effect: table, id, state. */
  readonly witness: string;
  readonly killAt: number;
}

/** The clock stands in all these processes, so that all that they ask is asked within one minute. */
const MANY = GATE_POLICY.replace('[leases]', '[approvals]\nmax_pending = 10000\n[leases]');

/** Never returns normally: the process kills itself with SIGKILL. */
export async function workUntilKilled({ path, witness, killAt }: KillPlan): Promise<void> {
  let step = 0;
  const count = (): void => {
    step += 1;
    if (step === killAt) process.kill(process.pid, 'SIGKILL');
  };
  const at = await createGateFixture({ path, policy: MANY, wrapDatabase: (real) => withSteps(real, count) });
  const saw = (table: string, id: string, state: string): void => appendFileSync(witness, `${table} ${id} ${state}\n`);
  at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
  at.gate.executions.recover();
  // What earlier processes left unanswered would be too much to ask for more one day.
  for (const { id } of at.gate.approvals.list({ pendingOnly: true, limit: 99 })) {
    at.database.withWriteTx((tx) => at.gate.approvals.cancel(tx, id));
  }
  for (let round = 0; ; round++) workOnce(at, `${process.pid} ${round}`, round, saw);
}

type Saw = (table: string, id: string, state: string) => void;

function workOnce(at: GateFixture, name: string, round: number, saw: Saw): void {
  const others = [endSession, takeLeaseBack, openByPlan, askAndWithdraw];
  others[round % others.length]?.(at, name, saw);
  const proposed = at.gate.executions.propose(at.proposal({ digest: sha256Hex(name), idempotencyKey: name }));
  if (!proposed.proposed) throw new Error(proposed.refusal.message);
  const { execution } = proposed;
  saw('execution', execution.id, execution.state);
  if (execution.approval !== undefined) answer(at, execution.approval, round, saw);
  const started = at.gate.executions.start(execution.id, execution.digest);
  if (started.started) {
    saw('execution', execution.id, 'running');
    finish(at, execution, round, saw);
  }
  // One session has at most so many windows open: closed by a person now and then.
  for (const window of at.gate.windows.list({}).slice(round % 2)) {
    at.gate.windows.close(window.id, 'ap-1');
    saw('window', window.id, 'closed');
  }
}

/** A session with a command that waits, a window and a question, all of which end with it. */
function endSession(at: GateFixture, name: string, saw: Saw): void {
  const asker = { ...IN_A, session: name.replace(' ', '-') };
  const { origin, session, agent } = asker;
  at.database.withWriteTx((tx) => at.options.sessions.start(tx, { origin, id: session, agent }));
  saw('session', session, 'live');
  const basis = basisIn(session);
  const digest = sha256Hex(`${name} in a session`);
  const proposed = at.gate.executions.propose(at.proposal({ asker, basis, digest, idempotencyKey: name }));
  if (!proposed.proposed) throw new Error(proposed.refusal.message);
  saw('execution', proposed.execution.id, proposed.execution.state);
  openByPlan(at, name, saw, session);
  at.gate.endSession({ origin, session }, 'person', [OTHER_ID]);
  saw('session', session, 'ended');
  saw('execution', proposed.execution.id, 'cancelled');
}

function takeLeaseBack({ authority }: GateFixture, _: string, saw: Saw): void {
  const lease = { peer: 'self', profile: 'dev', durationMs: HOUR_MS, maxUses: 3, issuedBy: 'ap-1' };
  const { id } = authority.grantLease(lease);
  saw('lease', id, 'lent');
  authority.renewLease(id, { durationMs: 2 * HOUR_MS }, 'ap-1');
  saw('lease', id, 'renewed');
  authority.revokeLease(id, 'ap-1');
  saw('lease', id, 'revoked');
}

function openByPlan(at: GateFixture, name: string, saw: Saw, session: string = IN_A.session): void {
  const steps = [{ digest: sha256Hex(name), class: 'config-mutation', needs: ['manage_services'] }] as const;
  const plan = { title: name, steps, onlySteps: true, windowMs: HOUR_MS, maxUses: 1, profile: 'ops' };
  const shown = { asker: { label: 'me', words: 'a-b-c-d' }, steps: [[{ label: 'argument 0', text: 'systemctl' }]] };
  const asking = { asker: { ...IN_A, session }, lifetimeMs: HOUR_MS };
  const outcome = at.ask(planQuestion({ ...plan, basis: basisIn(session) }, HOUR_MS, asking, shown));
  if (!outcome.asked) throw new Error(outcome.refusal.message);
  saw('approval', outcome.approval.id, 'pending');
  if (!at.answer(outcome.approval.id, 'approve', 'session').decided) throw new Error('the plan was not approved');
  saw('approval', outcome.approval.id, 'approved');
  const [window] = at.gate.windows.list({ key: asking.asker });
  if (window !== undefined) saw('window', window.id, 'open');
}

function askAndWithdraw(at: GateFixture, name: string, saw: Saw): void {
  const outcome = at.ask({ digest: sha256Hex(`question ${name}`) });
  if (!outcome.asked) throw new Error(outcome.refusal.message);
  const { id } = outcome.approval;
  saw('approval', id, 'pending');
  at.database.withWriteTx((tx) => at.gate.approvals.cancel(tx, id));
  saw('approval', id, 'cancelled');
}

function basisIn(session: string) {
  const subject = { from: IN_A.requestedBy, origin: IN_A.origin, session };
  return writeBasis({ subject, ask: { chain: [], profile: 'ops', workspace: 'app', input: 'argv' } });
}

function answer(at: GateFixture, approval: string, round: number, saw: Saw): void {
  const outcome =
    round % 5 === 3
      ? at.answer(approval, 'deny')
      : at.answer(approval, 'approve', round % 5 === 1 ? 'session' : 'once');
  if (outcome.decided) saw('approval', approval, outcome.approval.state);
}

function finish(at: GateFixture, { id }: Execution, round: number, saw: Saw): void {
  const outcome = { code: 'OK', message: 'done' };
  const ended =
    round % 3 === 2 ? at.gate.executions.notSpawned(id, outcome) : at.gate.executions.finish(id, 'complete', outcome);
  if (ended !== undefined) saw('execution', id, ended.state);
}
