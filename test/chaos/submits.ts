import { createSystemClock } from '@writ/core';
import {
  createPeerLink,
  createPeerServer,
  createScriptedRunner,
  createTestNode,
  type LinkFault,
  NODE_IDS,
  type TestNode,
} from '@writ/testkit/delegation';
import { numbersFrom } from './numbers.ts';

const { alpha, beta } = NODE_IDS;

const BETA_POLICY = `schema = 1
[node]
name = "beta"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[peers.alpha]
id = "${alpha}"
profiles = ["query"]
[peers.alpha.limits]
max_concurrent = 100000
tasks_per_hour = 100000
`;

const ALPHA_POLICY = `schema = 1
[node]
name = "alpha"
[peers.beta]
id = "${beta}"
address = "127.0.0.1:1"
[peers.beta.outbound]
profiles = ["query"]
`;

/** Most times that one wish is made. */
const MOST_TIMES = 5;
/** Wishes that are made at once. */
const AT_ONCE = 64;

/** What came of many wishes. */
export interface SubmitFigures {
  readonly wishes: number;
  /** Calls of `delegate`, one to five for each wish. */
  readonly delegates: number;
  /** `Submit`s that left, those that a link lost or doubled included. */
  readonly submits: number;
  readonly tasksAtExecutor: number;
  readonly starts: number;
  readonly completed: number;
}

/**
 * Makes each wish one to five times under its key, at once, over a wire that loses requests and answers and doubles what it
 * carries. Both ends are real: database, policy, writs, signed results; only processes and the wire are not.
 */
export async function manySubmits(how: { readonly wishes: number; readonly seed: number }): Promise<SubmitFigures> {
  const random = numbersFrom(how.seed);
  const clock = createSystemClock();
  const runner = createScriptedRunner({ clock, onStart: (run) => run.exit(0) });
  const executing = await createTestNode({ clock, runner, policy: BETA_POLICY, inMemory: true, slots: 8 });
  const link = createPeerLink({
    server: createPeerServer({ executor: executing.executor, sender: alpha, clock }),
    call: (call) => (call === 'submit' ? faultOf(random()) : undefined),
  });
  const asking = await createTestNode({
    clock,
    runner: createScriptedRunner({ clock }),
    policy: ALPHA_POLICY,
    selfId: alpha,
    inMemory: true,
    peers: { [beta]: link },
  });
  try {
    const wishes = Array.from({ length: how.wishes }, (_, nth) => ({
      nth,
      times: 1 + Math.floor(random() * MOST_TIMES),
    }));
    const tasks = new Set<string>();
    const waiting = [...wishes];
    const worker = async (): Promise<void> => {
      for (let wish = waiting.pop(); wish !== undefined; wish = waiting.pop()) tasks.add(await make(asking, wish));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const ended = await Promise.all([...tasks].map((task) => endOf(asking, task)));
    return {
      wishes: wishes.length,
      delegates: wishes.reduce((sum, { times }) => sum + times, 0),
      submits: link.calls.submit,
      tasksAtExecutor: countTasks(executing),
      starts: runner.runs.length,
      completed: ended.filter((state) => state === 'completed').length,
    };
  } finally {
    await asking.close();
    await executing.close();
  }
}

function faultOf(chance: number): LinkFault | undefined {
  if (chance < 0.15) return { kind: 'drop-answer' };
  if (chance < 0.25) return { kind: 'duplicate' };
  // It may have arrived, for all that the sender knows.
  if (chance < 0.35) return { kind: 'drop-request' };
  return undefined;
}

/** Every time the same task, also where the first answer is still under way. */
async function make(asking: TestNode, wish: { readonly nth: number; readonly times: number }): Promise<string> {
  const once = async (): Promise<string> => {
    const { task } = await asking.origin.delegate({
      to: 'beta',
      spec: { input: { kind: 'argv', argv: ['true', String(wish.nth)] }, profile: 'query' },
      session: 'many',
      agent: 'chaos',
      idempotencyKey: `wish-${wish.nth}`,
    });
    return task.id;
  };
  const ids = new Set(await Promise.all(Array.from({ length: wish.times }, once)));
  const [id] = ids;
  if (id === undefined || ids.size !== 1) throw new Error(`wish ${wish.nth} became ${ids.size} tasks`);
  return id;
}

async function endOf(asking: TestNode, task: string): Promise<string> {
  for await (const { event } of asking.origin.watch(task, 0, new AbortController().signal)) {
    if (event.kind === 'outcome') return event.outcome.state;
  }
  return 'no outcome';
}

function countTasks({ executor }: TestNode): number {
  let count = 0;
  for (let before: string | undefined; ; ) {
    const page = executor.list({ limit: 200, ...(before === undefined ? {} : { before }) });
    count += page.length;
    before = page.at(-1)?.id;
    if (before === undefined) return count;
  }
}
