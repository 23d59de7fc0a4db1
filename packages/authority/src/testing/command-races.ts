import { sha256Hex } from '@writ/core';
import type { ApprovalScope, Execution } from '@writ/lease-store';
import type { Scheduler } from 'fast-check';
import { planQuestion } from '../approvals/plan-kind.ts';
import { writeBasis } from '../executions/basis.ts';
import type { Asker } from '../record-types.ts';
import { GATE_POLICY, type GateFixture, HOUR_MS, IN_A, NGINX } from './gate-fixture.ts';
import { halfDone } from './half-done.ts';
import { type Effort, underSchedules } from './races.ts';

/** What ends meanwhile; one of them in each course. */
const ENDS = ['session', 'lease', 'policy', 'window', 'nothing'] as const;
const LESS = GATE_POLICY.replace('"manage_services", ', '');

/** Two sessions of one agent, what they ask for, and what became of it. */
interface Course {
  readonly at: GateFixture;
  readonly scheduler: Scheduler;
  readonly run: number;
  readonly a: Asker;
  readonly b: Asker;
  /** Each start: which command, and whether what it rests on had been taken away before. */
  readonly starts: { readonly execution: Execution; readonly late: boolean }[];
  taken: (typeof ENDS)[number];
}

/**
 * Two sessions ask for the same change and a destructive one, a plan is asked about, two people answer, two workers start what is
 * ready, and one thing is taken away meanwhile: in every order that the scheduler finds. Returns how many commands started.
 */
export async function proveCommands(create: () => Promise<GateFixture>, effort: Effort): Promise<number> {
  let started = 0;
  await underSchedules(effort, async (scheduler, run) => {
    const at = await create();
    try {
      started += await race(begin(at, scheduler, run));
    } finally {
      at.close();
    }
  });
  return started;
}

async function race(course: Course): Promise<number> {
  const { a, b, run } = course;
  const work = [
    propose(course, a, 'config-mutation'),
    propose(course, a, 'config-mutation', 'another'),
    propose(course, b, 'config-mutation'),
    propose(course, a, 'destructive'),
    askPlan(course),
    answer(course, 'approve'),
    answer(course, 'deny'),
    startReady(course),
    startReady(course),
    takeAway(course, ENDS[run % ENDS.length] ?? 'nothing'),
  ];
  await course.scheduler.waitAll();
  await Promise.all(work);
  look(course);
  return course.starts.length;
}

function begin(at: GateFixture, scheduler: Scheduler, run: number): Course {
  const [a, b] = [
    { ...IN_A, session: `a ${run}` },
    { ...IN_A, session: `b ${run}` },
  ] as const;
  at.database.withWriteTx((tx) => {
    for (const { origin, session, agent } of [a, b]) at.options.sessions.start(tx, { origin, id: session, agent });
  });
  for (const { session } of [a, b]) {
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'ap-1', session });
  }
  return { at, scheduler, run, a, b, starts: [], taken: 'nothing' };
}

const step = ({ scheduler }: Course, name: string): Promise<unknown> => scheduler.schedule(Promise.resolve(), name);
const digestOf = (run: number, of: string): string => sha256Hex(`${of} ${run}`);
const basisOf = ({ requestedBy, origin, session }: Asker) =>
  writeBasis({
    subject: { from: requestedBy, origin, session },
    ask: { chain: [], profile: 'ops', workspace: 'app', input: 'argv' },
  });

async function propose(
  course: Course,
  asker: Asker,
  of: 'config-mutation' | 'destructive',
  what: string = of,
): Promise<void> {
  const { at, run } = course;
  await step(course, `propose ${what}`);
  const needs = of === 'destructive' ? ['destructive'] : ['manage_services'];
  const digest = digestOf(run, what);
  const idempotencyKey = `${what} ${run}`;
  at.gate.executions.propose(at.proposal({ asker, digest, class: of, needs, target: NGINX, idempotencyKey }));
}

async function askPlan(course: Course): Promise<void> {
  const { at, run, a } = course;
  await step(course, 'plan');
  const steps = [
    { digest: digestOf(run, 'config-mutation'), class: 'config-mutation', needs: ['manage_services'] },
  ] as const;
  const plan = { title: `plan ${run}`, steps, onlySteps: run % 2 === 0, windowMs: HOUR_MS, maxUses: 1, profile: 'ops' };
  const shown = { asker: { label: 'me', words: 'a-b-c-d' }, steps: [[{ label: 'argument 0', text: 'systemctl' }]] };
  at.ask(planQuestion({ ...plan, basis: basisOf(a) }, HOUR_MS, { asker: a, lifetimeMs: HOUR_MS }, shown));
}

/** Answers whatever waits in both sessions, a few times over: looks, then answers. */
async function answer(course: Course, said: 'approve' | 'deny'): Promise<void> {
  const { at, run } = course;
  for (let round = 0; round < 3; round++) {
    await step(course, `look for questions, ${said}`);
    const waiting = at.gate.approvals.list({ pendingOnly: true, limit: 9 });
    // A no is said now and then, so that there is something to start.
    for (const { id, scopes } of said === 'deny' && (run + round) % 3 > 0 ? [] : waiting) {
      const scope: ApprovalScope = scopes[(run + round) % scopes.length] ?? 'once';
      const statement = at.gate.approvals.statement(
        id,
        said === 'approve' ? { answer: said, scope } : { answer: said },
      );
      await step(course, said);
      if (statement !== undefined) at.gate.approvals.decide(id, { statement, proof: at.proofOf(statement) });
    }
  }
}

async function startReady(course: Course): Promise<void> {
  const { at, starts } = course;
  for (let round = 0; round < 4; round++) {
    await step(course, 'look for what is ready');
    for (const id of at.gate.executions.ready(9)) {
      const { digest = '' } = at.gate.executions.get(id) ?? {};
      await step(course, 'start');
      const outcome = at.gate.executions.start(id, digest);
      if (!outcome.started) continue;
      starts.push({ execution: outcome.execution, late: isTaken(course, outcome.execution) });
      await step(course, 'finish');
      at.gate.executions.finish(id, 'complete', { code: 'OK', message: 'done' });
    }
  }
}

function isTaken({ taken, a }: Course, { session }: Execution): boolean {
  if (taken === 'policy') return true;
  return (taken === 'session' || taken === 'lease') && session === a.session;
}

async function takeAway(course: Course, what: Course['taken']): Promise<void> {
  const { at, a } = course;
  await step(course, `${what} goes`);
  const { origin, session } = a;
  if (what === 'session') at.gate.endSession({ origin, session }, 'person', []);
  if (what === 'policy') await at.engine.reload(LESS, { acceptWidening: false });
  for (const { id, session: of } of what === 'lease' ? at.authority.listLeases({}) : []) {
    if (of === session) at.authority.revokeLease(id, 'ap-1');
  }
  for (const { id } of what === 'window' ? at.gate.windows.list({}) : []) at.gate.windows.close(id, 'ap-1');
  course.taken = what;
}

function look({ at, starts, run, taken }: Course): void {
  const where = `course ${run}, without its ${taken}`;
  const ids = starts.map(({ execution }) => execution.id);
  if (new Set(ids).size < ids.length) throw new Error(`${where}: a command started twice`);
  // What the policy took needed `manage_services`; the destructive one did not.
  const late = starts.filter((start) => start.late && (taken !== 'policy' || start.execution.class !== 'destructive'));
  if (late.length > 0) throw new Error(`${where}: ${late[0]?.execution.class} started after the end`);
  const bad = at.database.withReadTx(halfDone);
  if (bad !== undefined) throw new Error(`${where}: ${bad}`);
}
