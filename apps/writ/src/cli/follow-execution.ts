import { formatSize, visible } from '@writ/core';
import type { ControlClient, ExecutionView } from '@writ/gateway/client';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';

export interface FollowExecution {
  /** The peer where it runs, or `self`. */
  readonly at: string;
  /** Exit with the command's own status instead of 0 or 1. */
  readonly ownStatus: boolean;
}

/**
 * Shows a command live until its end, and the one that takes its place where it changed; returns the exit code. Ctrl-C
 * ends what runs; what waits for a person goes on waiting.
 */
export async function followExecution(
  context: CliContext,
  node: ControlClient,
  execution: string,
  follow: FollowExecution,
): Promise<number> {
  for (let id = execution; ; ) {
    const last = await followOne(context, node, id, follow);
    if (last === undefined) return EXIT.taskFailed;
    if (!last.finished) return EXIT.waiting;
    if (last.next === undefined) return endOf(last, follow.ownStatus);
    context.output.note(`it changed, so that ${last.next} was asked for in its place`);
    id = last.next;
  }
}

/** The last state that was seen. */
async function followOne(
  context: CliContext,
  node: ControlClient,
  id: string,
  { at }: FollowExecution,
): Promise<ExecutionView | undefined> {
  const { output } = context;
  const stop = new AbortController();
  let last: ExecutionView | undefined;
  const interrupted = (): void => {
    if (last?.state === 'running') {
      output.note('ending it; once more to leave at once');
      node.call('execution_cancel', { execution: id, at }).catch((error: unknown) => output.failure(error));
      return;
    }
    const place = at === 'self' ? '' : ` --peer ${at}`;
    output.note(`it goes on: writ execution watch ${id}${place}, writ execution cancel ${id}${place}`);
    stop.abort();
  };
  if (context.signal.aborted) interrupted();
  context.signal.addEventListener('abort', interrupted, { once: true });
  try {
    for await (const item of node.stream('execution_watch', { execution: id, at }, { signal: stop.signal })) {
      if (output.json) output.item(item, () => undefined);
      if (item.kind === 'state') {
        last = item.command;
        say(context, last);
      } else if (item.kind === 'dropped') {
        output.note(output.colors.dim(`${formatSize(item.bytes)} of ${item.stream} over the limit of the output`));
      } else if (!output.json) {
        await output.raw(item.stream, Buffer.from(item.data, item.encoding));
      }
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    context.signal.removeEventListener('abort', interrupted);
  }
  return last;
}

function say({ output }: CliContext, { state, why, code, finished }: ExecutionView): void {
  const paint = state === 'completed' ? output.colors.green : output.colors.red;
  const head = finished ? paint(state) : output.colors.dim(state);
  output.note(`${head}${code === undefined || code === 'OK' ? '' : ` ${code}`}: ${visible(why)}`);
}

/** The exit code for a command that has ended. */
export function endOf({ state, exit_code: exitCode, code }: ExecutionView, ownStatus: boolean): number {
  if (ownStatus && exitCode !== undefined) return exitCode;
  if (state === 'completed') return EXIT.ok;
  if (state === 'denied' || state === 'expired') return EXIT.denied;
  return code === 'TIMED_OUT' ? EXIT.timedOut : EXIT.taskFailed;
}
