import { WritError } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { createScriptedRunner, createTestNode, type ScriptedRunner, type TestNode } from '@writ/testkit/delegation';
import fc, { type Scheduler } from 'fast-check';

/** Policy of a node with a profile that is asked about and one that asks. */
export const QUESTIONS_POLICY = `schema = 1
[node]
name = "box"
[profiles.asked]
capabilities = ["inspect_status"]
commands = [["true"]]
runner = "shell"
isolation = "none"
require_approval = true
[profiles.talk]
capabilities = ["interactive"]
runner = "shell"
isolation = "none"
shell = "allow"
require_explicit = true
require_lease = true
[self]
profiles = ["asked", "talk"]
`;
const WITHOUT = QUESTIONS_POLICY.replace('"asked", "talk"', '"talk"');
const DAY_MS = 86_400_000;

/** What comes while somebody answers. */
const RIVALS = ['cancel', 'session', 'reload', 'time', 'nothing'] as const;
const RIVALS_OF_WORDS = ['cancel', 'session', 'exit', 'asker', 'nothing'] as const;

/** How much is tried. */
export interface Effort {
  readonly schedules: number;
  readonly seed: number;
}

/** One node for many races, each with a task and a session of its own. */
interface Place {
  readonly node: TestNode;
  readonly clock: FakeClock;
  readonly runner: ScriptedRunner;
  /** Sessions that have ended, for what interactive tasks ask. */
  readonly ended: Set<string>;
}

async function open(exitAtOnce: boolean): Promise<Place> {
  const clock = createFakeClock(Date.UTC(2026, 0, 1));
  const ended = new Set<string>();
  const runner = createScriptedRunner({ clock, onStart: (run) => void (exitAtOnce && run.exit(0)) });
  const node = await createTestNode({
    ...{ clock, runner, policy: QUESTIONS_POLICY, enrol: true, inMemory: true },
    turns: { isSessionLive: (_, { session }) => !ended.has(session ?? '') },
  });
  return { node, clock, runner, ended };
}

/** Runs a race under many orders of its steps; a node serves so many of them, since its time goes on with each. */
async function race(
  effort: Effort,
  exitAtOnce: boolean,
  run: (place: Place, scheduler: Scheduler, n: number) => Promise<void>,
): Promise<void> {
  const RACES_OF_A_NODE = 50;
  let place: Place | undefined;
  let n = 0;
  const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    n += 1;
    if (n % RACES_OF_A_NODE === 1) {
      await place?.node.close();
      place = await open(exitAtOnce);
    }
    if (place !== undefined) await run(place, scheduler, n);
  });
  try {
    await fc.assert(property, { numRuns: effort.schedules, seed: effort.seed, endOnFailure: true });
  } finally {
    await place?.node.close();
  }
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

const step = (scheduler: Scheduler, name: string): Promise<unknown> => scheduler.schedule(Promise.resolve(), name);

async function submit({ node }: Place, task: string, profile: string): Promise<void> {
  const answer = await node.executor.submit({
    ...{
      task,
      idempotencyKey: task,
      agent: 'tester',
      subject: { from: 'self', origin: 'self', session: `of ${task}` },
    },
    spec: { input: { kind: 'argv', argv: ['true'] }, profile },
  });
  if (!answer.accepted) throw new Error(`${answer.decision.code}: ${answer.decision.message}`);
}

async function untilEnded({ node }: Place, task: string): Promise<string> {
  for await (const { event } of node.executor.watch(task, 0, new AbortController().signal)) void event;
  return node.executor.get(task)?.state ?? 'gone';
}

function endSession({ node, ended }: Place, task: string): void {
  ended.add(`of ${task}`);
  node.database.withWriteTx((tx) =>
    node.executor.turns.sessionEnded(tx, { origin: node.identity.public.id, session: `of ${task}` }),
  );
}

/**
 * A task that waits for a person: a yes, a no, and its cancel, the end of its session, a reload that denies it or the end of the time
 * to answer, in every order. One of them decides; whoever comes later is told so, changes no row, and starts nothing.
 * Returns how many tasks ran.
 */
export async function proveWaiting(effort: Effort): Promise<number> {
  let ran = 0;
  await race(effort, true, async (place, scheduler, n) => {
    const { node, runner } = place;
    const task = `t${n}`;
    const rival = RIVALS[n % RIVALS.length] ?? 'nothing';
    await submit(place, task, 'asked');
    const id = node.executor.waitsFor(task)?.approval ?? '';
    const before = runner.runs.length;
    const came: string[] = [];
    const said = async (answer: 'approve' | 'deny'): Promise<void> => {
      await step(scheduler, answer);
      const rows = JSON.stringify(rowsOf(node, task, id));
      const outcome = node.person.answer(id, answer);
      if (outcome.decided) came.push(answer);
      else demand(JSON.stringify(rowsOf(node, task, id)) === rows, `a late ${answer} changed a row`);
      demand(outcome.decided === (came.at(-1) === answer), `${answer} after ${came.join()} was taken`);
      if (outcome.decided) return;
      const late = outcome.refusal.code === 'NOT_PENDING' ? `after ${outcome.decidedBy}` : outcome.refusal.code;
      const right = isAnswer(came[0])
        ? late.startsWith('after ap-')
        : late === (rival === 'time' ? 'after node' : 'NOT_FOUND');
      demand(right, `a late ${answer} heard ${late} after ${came.join()}`);
    };
    const rivalComes = async (): Promise<void> => {
      await step(scheduler, rival);
      await COMES[rival](place, task);
      // A reload takes its time: whoever answered meanwhile was faster.
      if (node.person.gate.approvals.get(id)?.state === STATES[rival]) came.push(rival);
    };
    const all = [said('approve'), said('deny'), rivalComes()];
    await scheduler.waitAll();
    await Promise.all(all);
    const state = await untilEnded(place, task);
    const runs = runner.runs.length - before;
    ran += runs;
    demand(came.length === 1, `decided ${came.length} times: ${came.join()}`);
    demand(runs <= (came[0] === 'approve' ? 1 : 0), `${came[0]} and it ran`);
    demand(state !== 'completed' || runs === 1, `it is ${state} and did not run`);
    demand(node.person.gate.approvals.get(id)?.state === STATES[came[0] ?? ''], 'the question tells another story');
    if (rival === 'reload') await node.engine.reload(QUESTIONS_POLICY, { acceptWidening: true });
  });
  return ran;
}

const isAnswer = (what: string | undefined): boolean => what === 'approve' || what === 'deny';

const STATES: Readonly<Record<string, string>> = {
  ...{ approve: 'approved', deny: 'denied', time: 'expired' },
  ...{ cancel: 'cancelled', session: 'cancelled', reload: 'cancelled' },
};

const COMES: Readonly<Record<(typeof RIVALS)[number], (place: Place, task: string) => unknown>> = {
  cancel: ({ node }, task) => node.executor.cancel(task, 'self'),
  session: ({ node }, task) =>
    node.person.gate.endSession({ origin: node.identity.public.id, session: `of ${task}` }, 'self', []),
  reload: ({ node }) => node.engine.reload(WITHOUT, { acceptWidening: false }),
  time({ node, clock }) {
    clock.advance(DAY_MS + 1);
    node.person.gate.approvals.sweep();
  },
  nothing: () => undefined,
};

function rowsOf(node: TestNode, task: string, approval: string): unknown {
  return node.database.withReadTx((tx) => [
    tx.prepare('SELECT * FROM task WHERE id = ?').get(task),
    tx.prepare('SELECT * FROM approval WHERE id = ?').get(approval),
    tx.prepare('SELECT * FROM question WHERE task = ? ORDER BY n').all(task),
    tx.prepare('SELECT COUNT(*) AS events FROM task_event WHERE task_n = (SELECT n FROM task WHERE id = ?)').get(task),
  ]);
}

/**
 * A running task that asks: two replies, and its cancel, the end of its session, its own exit or its asker going away, in every order.
 * One reply wins and the other hears of whom; what comes after the end finds nothing, and changes no row. Returns how many replies won.
 */
export async function proveReplies(effort: Effort): Promise<number> {
  let won = 0;
  await race(effort, false, async (place, scheduler, n) => {
    const { node, runner } = place;
    const task = `t${n}`;
    const rival = RIVALS_OF_WORDS[n % RIVALS_OF_WORDS.length] ?? 'nothing';
    node.authority.grantLease({ peer: 'self', profile: 'talk', durationMs: DAY_MS / 2, issuedBy: 'p', maxUses: 1 });
    await submit(place, task, 'talk');
    const run = await runner.runOf(task);
    const stop = new AbortController();
    const asked = node.executor.turns
      .ask(task, { questions: [{ kind: 'input', text: 'which branch?' }] }, stop.signal)
      .then(({ answers }) => answers[0]?.by ?? 'nobody', codeOf);
    const came: string[] = [];
    const replies = async (by: string): Promise<void> => {
      await step(scheduler, by);
      const before = JSON.stringify(rowsOf(node, task, ''));
      const reply = { question: '1.1', key: by, content: { kind: 'input', text: by } } as const;
      try {
        node.executor.turns.reply(task, reply, by);
        came.push(by);
      } catch (error) {
        const code = codeOf(error);
        demand(came.length > 0, `${by} was first and heard ${code}`);
        demand(JSON.stringify(rowsOf(node, task, '')) === before, 'a late reply changed a row');
        const isTold = error instanceof WritError && error.details.by === came[0];
        demand(code === 'NOT_FOUND' ? came.some((one) => one === rival) : isTold, `a late reply heard ${code}`);
      }
    };
    const rivalComes = async (): Promise<void> => {
      await step(scheduler, rival);
      if (rival === 'cancel') void node.executor.cancel(task, 'self');
      if (rival === 'session') endSession(place, task);
      if (rival === 'exit') run.exit(0);
      if (rival === 'asker') stop.abort();
      if (rival === 'exit') await untilEnded(place, task);
      if (rival !== 'nothing') came.push(rival);
    };
    const all = [replies('wn-a'), replies('wn-b'), rivalComes()];
    await scheduler.waitAll();
    await Promise.all(all);
    const heard = await asked;
    const [first = ''] = came;
    const isReply = first.startsWith('wn-');
    if (isReply) won += 1;
    demand(came.filter((one) => one.startsWith('wn-')).length <= 1, 'two replies won');
    // Who asked may be gone before it reads what was replied.
    demand(isReply ? [first, 'CANCELLED', 'NOT_FOUND'].includes(heard) : !heard.startsWith('wn-'), `it heard ${heard}`);
    stop.abort();
    run.exit(0);
    await untilEnded(place, task);
  });
  return won;
}

function codeOf(error: unknown): string {
  return error instanceof WritError ? error.code : String(error);
}
