import { sha256Hex } from '@writ/core';
import type { Approval } from '@writ/lease-store';
import { planQuestion } from '../approvals/plan-kind.ts';
import type { DecideOutcome } from '../approvals/types.ts';
import { writeBasis } from '../executions/basis.ts';
import { approverNamed, createGateFixture, GATE_POLICY, type GateFixture, HOUR_MS, IN_A } from './gate-fixture.ts';

/** What a person is asked about in a race. */
export type AskedKind = 'execution' | 'task command' | 'plan' | 'permission';
/** What happens while the person answers. */
export type RivalName = 'task ends' | 'session ends' | 'reload' | 'revoke' | 'expiry' | 'other yes' | 'other no';
/** When it happens: before the person looks, between look and answer, after the answer. */
export type Moment = 'look' | 'answer' | 'start';

/** One race: who answers what, and what comes in between. */
export interface Race {
  readonly kind: AskedKind;
  readonly answer: 'approve' | 'deny';
  readonly rival: RivalName;
  readonly moment: Moment;
}

/** What became of a race. */
export interface RaceOutcome {
  readonly outcome: DecideOutcome;
  /** The question's state at the end. */
  readonly state: Approval['state'];
  /** Whether the rows after an answer that was not taken are those before it, whole. */
  readonly unchanged: boolean;
  /** Events of approvals that the answer itself caused. */
  readonly told: number;
  /** Whether the command could be started afterwards, and how it ended otherwise; a plan: whether its window is open. */
  readonly afterwards: string;
}

const TASK = 'task of the race';
const ASKER = { ...IN_A, task: TASK };
const STEP = sha256Hex('restart nginx');
const BASIS = writeBasis({
  subject: { from: 'self', origin: IN_A.origin, session: IN_A.session },
  ask: { chain: [], profile: 'ops', workspace: 'app', input: 'argv' },
});

const RIVALS: Readonly<Record<RivalName, (at: GateFixture, approval: string) => unknown>> = {
  'task ends': (at) => {
    at.liveTasks.delete(TASK);
    at.database.withWriteTx((tx) => at.gate.taskEnded(tx, TASK));
  },
  'session ends': (at) => at.gate.endSession({ origin: IN_A.origin, session: IN_A.session }, 'person', []),
  reload: (at) => at.engine.reload(GATE_POLICY.replace('"manage_services", ', ''), { acceptWidening: false }),
  revoke: (at) => {
    for (const { id } of at.authority.listLeases({})) at.authority.revokeLease(id, 'ap-1');
  },
  expiry: (at) => {
    at.move(HOUR_MS);
    at.gate.approvals.sweep();
    at.gate.executions.sweep();
  },
  'other yes': (at, approval) => at.answer(approval, 'approve', undefined, 'ap-2'),
  'other no': (at, approval) => at.answer(approval, 'deny', undefined, 'ap-2'),
};

/** Runs one race on a node of its own. Throws where somebody could not even ask. */
export async function runRace({ kind, answer, rival, moment }: Race): Promise<RaceOutcome> {
  const at = await createGateFixture();
  try {
    at.database.withWriteTx((tx) => at.options.approvers.enroll(tx, approverNamed('ap-2')));
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
    at.liveTasks.add(TASK);
    at.taskClosure.push('manage_services');
    const { approval, execution } = ask(at, kind);
    if (moment === 'look') await RIVALS[rival](at, approval);
    const said = answer === 'approve' ? ({ answer, scope: firstScope(at, approval) } as const) : { answer };
    const statement = at.gate.approvals.statement(approval, said);
    if (statement === undefined) throw new Error('the question is gone');
    const proof = at.proofOf(statement);
    if (moment === 'answer') await RIVALS[rival](at, approval);
    const before = JSON.stringify(at.rows());
    at.events.length = 0;
    const outcome = at.gate.approvals.decide(approval, { statement, proof });
    const told = at.events.filter((event) => event.kind === 'approval').length;
    const unchanged = JSON.stringify(at.rows()) === before;
    if (moment === 'start') await RIVALS[rival](at, approval);
    const afterwards = execution === undefined ? `${at.gate.windows.list({}).length} open` : startOf(at, execution);
    return { outcome, unchanged, told, afterwards, state: at.gate.approvals.get(approval)?.state ?? 'pending' };
  } finally {
    at.close();
  }
}

function ask(at: GateFixture, kind: AskedKind): { readonly approval: string; readonly execution?: string } {
  if (kind === 'execution' || kind === 'task command') {
    const proposed = at.propose(kind === 'execution' ? {} : { asker: ASKER });
    if (!proposed.proposed) throw new Error(proposed.refusal.message);
    const { id, approval } = proposed.execution;
    if (approval === undefined) throw new Error('it was not asked about');
    return { approval, execution: id };
  }
  const outcome = at.ask(kind === 'permission' ? { asker: ASKER } : plan());
  if (!outcome.asked) throw new Error(outcome.refusal.message);
  return { approval: outcome.approval.id };
}

function plan() {
  const steps = [{ digest: STEP, class: 'config-mutation', needs: ['manage_services'] }] as const;
  return planQuestion(
    { title: 'restart', steps, onlySteps: true, windowMs: HOUR_MS, profile: 'ops', basis: BASIS },
    24 * HOUR_MS,
    { asker: IN_A, lifetimeMs: HOUR_MS },
    { asker: { label: 'me', words: 'a-b-c-d' }, steps: [[{ label: 'argument 0', text: 'systemctl' }]] },
  );
}

function firstScope(at: GateFixture, id: string) {
  return at.gate.approvals.get(id)?.scopes[0] ?? 'once';
}

function startOf(at: GateFixture, id: string): string {
  const outcome = at.gate.executions.start(id, STEP);
  if (outcome.started) return 'runs';
  return outcome.waits ? 'waits' : `${outcome.execution?.state}: ${outcome.execution?.outcome?.code}`;
}
