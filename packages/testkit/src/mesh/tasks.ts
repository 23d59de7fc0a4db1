import type { OperationInput, OperationOutput, OutcomeView, StreamItem } from '@writ/gateway/client';
import type { MeshNode } from './mesh-node.ts';
import { PATIENCE_MS, until } from './waiting.ts';

/** An event of a task as a watcher sees it. */
export type TaskEvent = StreamItem<'task_watch'>;
type Wish = Omit<OperationInput<'delegate'>, 'to'> & { readonly to?: string };

/** What a followed task came to. */
export interface FollowedTask {
  readonly events: readonly TaskEvent[];
  readonly outcome: OutcomeView;
  readonly profile: string;
  readonly runner: string;
  /** Bytes of standard output and error, in the order of the events. */
  readonly output: Buffer;
}

/** Asks for work, of beta and as `query` unless the wish says otherwise. */
export function ask(node: MeshNode, wish: Wish): Promise<OperationOutput<'delegate'>> {
  return node.client().call('delegate', { to: 'beta', profile: 'query', ...wish });
}

/** Asks and returns the task. Throws where it is refused. */
export async function submit(node: MeshNode, wish: Wish): Promise<string> {
  const answer = await ask(node, wish);
  if (!answer.accepted) throw new Error(`refused: ${answer.decided?.code} ${answer.decided?.message}`);
  return answer.task;
}

/** Watches a task to its outcome; `onEvent` is awaited at each event. Throws where the watch ends without one. */
export async function follow(
  node: MeshNode,
  task: string,
  onEvent?: (event: TaskEvent) => void | Promise<void>,
): Promise<FollowedTask> {
  const events: TaskEvent[] = [];
  const output: Buffer[] = [];
  let granted: Extract<TaskEvent, { kind: 'granted' }>['granted'] | undefined;
  const signal = AbortSignal.timeout(3 * PATIENCE_MS);
  for await (const event of node.client().stream('task_watch', { task }, { signal })) {
    events.push(event);
    if (event.kind === 'granted') granted = event.granted;
    if (event.kind === 'output') output.push(Buffer.from(event.data, event.encoding));
    await onEvent?.(event);
    if (event.kind === 'outcome') {
      return {
        events,
        outcome: event.outcome,
        profile: granted?.effective_profile ?? '',
        runner: granted?.effective_runner ?? '',
        output: Buffer.concat(output),
      };
    }
  }
  throw new Error(`the watch of ${task} ended without an outcome`);
}

/** Asks and follows to the end. */
export async function run(node: MeshNode, wish: Wish): Promise<FollowedTask> {
  return follow(node, await submit(node, wish));
}

/** Waits until the task has written `text` and returns; it goes on running. */
export async function untilOutput(node: MeshNode, task: string, text: string): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  let seen = '';
  for await (const event of node.client().stream('task_watch', { task }, { signal })) {
    if (event.kind === 'output') seen += Buffer.from(event.data, event.encoding).toString('utf8');
    if (seen.includes(text)) return;
    if (event.kind === 'outcome') throw new Error(`ended before it said ${text}: ${JSON.stringify(event.outcome)}`);
  }
}

/** Waits until the task is finished as `node` sees it, and returns its outcome. */
export function untilFinished(node: MeshNode, task: string): Promise<OutcomeView> {
  return until(`${task} is finished at ${node.name}`, async () => {
    const view = await node.client().call('status', { task });
    return view.outcome;
  });
}
