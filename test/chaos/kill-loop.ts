import { type MeshNode, PATIENCE_MS, type TaskEvent, until, within } from '@writ/testkit/mesh';
import type { ChainWorld } from './chain-world.ts';
import { numbersFrom } from './numbers.ts';

/** When in the life of the work a node is killed. */
const PHASES = ['handing over', 'begun', 'halfway', 'cancelling', 'any time'] as const;
type Phase = (typeof PHASES)[number];

const KINDS = ['handed on', 'in a clone', 'handed on', 'without a clone'] as const;

/** Tasks that are under way at each kill. */
const WISHES = 4;
/** Longest wait at the phase `any time`: as long as the work takes, and a little more, milliseconds. */
const ANY_TIME_MS = 900;
/** How long after the restart everything may take to be known at the origin, milliseconds. */
const SETTLED_MS = 4 * PATIENCE_MS;

/** What a loop came to. */
export interface KillFigures {
  readonly kills: Readonly<Record<string, number>>;
  readonly tasks: number;
  /** Of them by the state at the origin. */
  readonly states: Readonly<Record<string, number>>;
  readonly executions: number;
  /** What must never be; each line says what and where. */
  readonly violations: readonly string[];
}

/** One wish of alpha's; its key makes a retry after a crash the same task. */
interface Wish {
  readonly key: string;
  /** Hands half of the work on to gamma; otherwise it is done at beta, in a clone or without one. */
  readonly kind: 'handed on' | 'in a clone' | 'without a clone';
}

/**
 * Kills origin, middle and end of a chain in turn, at every phase of the work, and starts them again: every accepted task
 * must become terminal at the origin, run at most once, leave no process, and no event may be missing or doubled.
 */
export async function killLoop(
  world: ChainWorld,
  how: { readonly kills: number; readonly seed: number; readonly tell: (line: string) => void },
): Promise<KillFigures> {
  const random = numbersFrom(how.seed);
  const kills: Record<string, number> = {};
  const tasks: string[] = [];
  for (let nth = 0; nth < how.kills; nth += 1) {
    const victim = world.nodes[nth % world.nodes.length] ?? world.alpha;
    const phase = PHASES[Math.floor(nth / world.nodes.length) % PHASES.length] ?? 'any time';
    const wishes = Array.from({ length: WISHES }, (_, at) => ({
      key: `kill-${how.seed}-${nth}-${at}`,
      kind: KINDS[(nth + at) % KINDS.length] ?? 'handed on',
    }));
    tasks.push(...(await oneKill(world, { victim, phase, wishes, random })));
    const name = `${victim.name} ${phase}`;
    kills[name] = (kills[name] ?? 0) + 1;
    how.tell(`${nth + 1}/${how.kills} ${name}: ${tasks.length} tasks, ${world.witnessed().length} executions`);
  }
  return { kills, tasks: tasks.length, ...(await examine(world, tasks)) };
}

/** Asks, kills at the phase, starts again, and waits until the origin knows what became of all. Returns the tasks. */
async function oneKill(
  world: ChainWorld,
  round: {
    readonly victim: MeshNode;
    readonly phase: Phase;
    readonly wishes: readonly Wish[];
    readonly random: () => number;
  },
): Promise<readonly string[]> {
  const { victim, phase, wishes, random } = round;
  const asked = wishes.map((wish) => askFor(world, wish).catch(() => undefined));
  await reach(world, phase, asked, random);
  await victim.kill();
  await victim.up();
  const first = await Promise.all(asked);
  const tasks: string[] = [];
  // What was answered with a task is one; what died on the way is asked again under its key.
  for (const [at, wish] of wishes.entries()) tasks.push(first[at] ?? (await until(wish.key, () => retry(world, wish))));
  for (const task of tasks) await untilKnown(world.alpha, task);
  await until('no work is left', () => world.running().length === 0);
  return tasks;
}

async function askFor(world: ChainWorld, { key, kind }: Wish): Promise<string> {
  const place = kind === 'without a clone' ? { profile: 'query' } : { profile: 'relay', workspace: 'app' };
  const argv = [...world.argv(kind === 'handed on')];
  const answer = await world.alpha.client().call('delegate', { to: 'beta', ...place, argv, idempotency_key: key });
  if (!answer.accepted) throw new Error(`refused: ${answer.decided?.code}`);
  return answer.task;
}

/** Undefined where the other node is not back yet. */
function retry(world: ChainWorld, wish: Wish): Promise<string | undefined> {
  return askFor(world, wish).catch((error: { code?: string }) => {
    if (error.code === 'UNREACHABLE' || error.code === 'NOT_RUNNING') return undefined;
    throw error;
  });
}

/** Resolves when the work stands where the kill is meant to hit it. */
async function reach(
  world: ChainWorld,
  phase: Phase,
  asked: readonly Promise<string | undefined>[],
  random: () => number,
): Promise<void> {
  const before = world.witnessed().length;
  if (phase === 'handing over') return;
  if (phase === 'any time') return pauseFor(random() * ANY_TIME_MS);
  await until('work has begun', () => world.witnessed().length > before);
  if (phase === 'begun') return;
  const task = await Promise.race(asked);
  if (task === undefined) return;
  if (phase === 'halfway') await untilEvent(world.alpha, task, ({ kind }) => kind === 'output');
  // Nobody waits for it: the node may be dead before it answers.
  else
    void world.alpha
      .client()
      .call('cancel', { task })
      .catch(() => undefined);
}

async function pauseFor(ms: number): Promise<void> {
  const untilMs = performance.now() + ms;
  await until('the moment of the kill', () => performance.now() >= untilMs);
}

async function untilEvent(node: MeshNode, task: string, match: (event: TaskEvent) => boolean): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for await (const event of node.client().stream('task_watch', { task }, { signal })) if (match(event)) return;
}

async function untilKnown(node: MeshNode, task: string): Promise<void> {
  await until(
    `${task} is terminal at ${node.name}`,
    async () => (await node.client().call('status', { task })).finished,
    SETTLED_MS,
  );
}

/** Looks at everything that is left of all rounds. */
async function examine(
  world: ChainWorld,
  tasks: readonly string[],
): Promise<Pick<KillFigures, 'states' | 'executions' | 'violations'>> {
  const violations: string[] = [];
  const states: Record<string, number> = {};
  const witnessed = world.witnessed();
  const attempts = new Map<string, number>();
  for (const line of witnessed) attempts.set(line, (attempts.get(line) ?? 0) + 1);
  for (const [line, times] of attempts) if (times > 1) violations.push(`attempt ${line} ran ${times} times`);
  if (new Set(tasks).size !== tasks.length) violations.push('two wishes became one task');
  for (const task of tasks) {
    const { outcome, state } = await world.alpha.client().call('status', { task });
    states[state] = (states[state] ?? 0) + 1;
    if (outcome === undefined) violations.push(`${task} has no outcome`);
    const ran = witnessed.filter((line) => line.startsWith(`${task} `)).length;
    if (ran > 1) violations.push(`${task} ran ${ran} times`);
    if (state === 'completed' && ran !== 1) violations.push(`${task} is completed and ran ${ran} times`);
    violations.push(...(await gaps(world, task)));
  }
  return { states, executions: witnessed.length, violations };
}

/** What the two ends tell of one task has to be the same, and without a gap. */
async function gaps(world: ChainWorld, task: string): Promise<readonly string[]> {
  const here = await eventsOf(world.alpha, task);
  const there = await eventsOf(world.beta, task).catch((error: { code?: string }) => {
    // It never arrived: then it ended here alone.
    if (error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  const told = (events: readonly TaskEvent[]): string => JSON.stringify(events.map(({ seq, kind }) => [seq, kind]));
  const violations: string[] = [];
  if (here.some(({ seq }, at) => seq !== at + 1)) violations.push(`${task} has a gap at the origin: ${told(here)}`);
  if (there !== undefined && told(here) !== told(there)) {
    violations.push(`${task} is told differently: ${told(here)} at the origin, ${told(there)} at the executor`);
  }
  return violations;
}

async function eventsOf(node: MeshNode, task: string): Promise<readonly TaskEvent[]> {
  const events: TaskEvent[] = [];
  const read = async (): Promise<void> => {
    for await (const event of node.client().stream('task_watch', { task })) events.push(event);
  };
  await within(`all events of ${task}`, read());
  return events;
}
