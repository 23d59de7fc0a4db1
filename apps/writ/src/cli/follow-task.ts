import { formatDuration, formatSize, toWritError, visible, type WritCode } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { CliContext } from './context.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { followProgress } from './follow-progress.ts';
import { showQuestions } from './questions-text.ts';
import { evidenceLine } from './result/result-text.ts';

export interface FollowOptions {
  /** Exit with the task's own status instead of 0 or 1. */
  readonly ownStatus: boolean;
  /** The first Ctrl-C ends the task; without it only the watching. */
  readonly cancelOnInterrupt: boolean;
  /** Leaves where a person has to answer first. */
  readonly leaveWaiting?: boolean;
}

/** Shows a task live until its outcome and returns the exit code for it. */
export async function followTask(
  context: CliContext,
  node: ControlClient,
  task: string,
  options: FollowOptions,
): Promise<number> {
  const { output } = context;
  const stop = new AbortController();
  let finished: number;
  let isWaiting = false;
  const interrupted = (): void => {
    if (!options.cancelOnInterrupt) {
      stop.abort();
      return;
    }
    output.note('cancelling; once more to leave at once');
    node.call('cancel', { task }).catch((error: unknown) => output.failure(error));
  };
  // Ctrl-C may have come while the task was being handed over.
  if (context.signal.aborted) interrupted();
  context.signal.addEventListener('abort', interrupted, { once: true });
  const left = options.cancelOnInterrupt ? leaveWhenTold(context, task, stop) : undefined;
  const progress = followProgress(context);
  try {
    for await (const event of node.stream('task_watch', { task }, { signal: stop.signal })) {
      if (output.json) output.item(event, () => undefined);
      progress.saw(event);
      switch (event.kind) {
        case 'state':
          if (event.turn !== undefined) showQuestions(output, task, event.turn);
          isWaiting = event.state === 'waiting';
          if (!isWaiting) break;
          output.note(waitingLine(event));
          if (options.leaveWaiting !== true) break;
          output.note(`it waits on: writ task watch ${task}`);
          return EXIT.waiting;
        case 'output':
          if (!output.json) await output.raw(event.stream, Buffer.from(event.data, event.encoding));
          break;
        case 'granted':
          output.note(
            output.colors.dim(
              `granted ${event.granted.effective_profile} with runner ${event.granted.effective_runner}: ${event.granted.message}`,
            ),
          );
          break;
        case 'dropped':
          output.note(
            output.colors.dim(`${formatSize(event.bytes)} of ${event.stream} over the limit of the transcript`),
          );
          break;
        case 'outcome':
          finished = finish(context, event.outcome, options);
          await showEvidence(context, node, task, event.outcome);
          return finished;
        default:
          break;
      }
    }
  } catch (error) {
    // Whoever stops looking has seen what there was; the task goes on.
    if (stop.signal.aborted) return left?.() ?? (isWaiting ? EXIT.waiting : EXIT.ok);
    throw error;
  } finally {
    progress.end();
    context.signal.removeEventListener('abort', interrupted);
  }
  return EXIT.taskFailed;
}

/** What a person has to answer, and where. */
function waitingLine(event: {
  readonly at_ms: number;
  readonly message?: string | undefined;
  readonly approval?: string | undefined;
  readonly answer_by_ms?: number | undefined;
}): string {
  const { message = 'a person has to answer first', approval, answer_by_ms } = event;
  const left = answer_by_ms === undefined ? '' : `, for ${formatDuration(answer_by_ms - event.at_ms)}`;
  return visible(`waiting for a person: ${message}${approval === undefined ? '' : ` (approval ${approval}${left})`}`);
}

/** Numbers of the signals, for the exit code that a shell would give. */
const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGTERM: 15 };

/**
 * What Ctrl-C would cancel goes on where this program alone is ended, or nobody reads its output any more; it says so
 * before it leaves. Returns how to ask for the exit code; undefined where no signal came.
 */
function leaveWhenTold(context: CliContext, task: string, stop: AbortController): () => number | undefined {
  const told = context.stopSignal();
  const tell = (): void => context.output.note(`the task goes on: writ task watch ${task}, writ task cancel ${task}`);
  told.addEventListener('abort', () => {
    if (context.signal.aborted) return;
    tell();
    stop.abort();
  });
  context.streams.out.once('error', tell);
  return () => {
    const number = SIGNALS[String(told.reason)];
    return number === undefined ? undefined : 128 + number;
  };
}

/** One line about the signed result, where there is one. */
async function showEvidence(
  { output }: CliContext,
  node: ControlClient,
  task: string,
  outcome: { readonly result?: string | undefined },
): Promise<void> {
  if (output.json || outcome.result === undefined) return;
  try {
    output.note(output.colors.dim(evidenceLine(await node.call('result', { task, limit: 0 }))));
  } catch (error) {
    // The task is over all the same; whoever asks for its result hears the same words.
    output.note(`no result: ${visible(toWritError(error).message)}`);
  }
}

interface Outcome {
  readonly state: string;
  readonly code?: string | undefined;
  readonly message: string;
  readonly truncated: boolean;
  readonly ending?: { readonly kind: string; readonly exit_code?: number | undefined } | undefined;
}

function finish(context: CliContext, outcome: Outcome, options: FollowOptions): number {
  const { output } = context;
  const color = outcome.state === 'completed' ? output.colors.green : output.colors.red;
  const code = outcome.code === undefined ? '' : ` ${outcome.code}`;
  output.note(`${color(outcome.state)}${code}: ${outcome.message}${outcome.truncated ? ' (output truncated)' : ''}`);
  if (options.ownStatus && outcome.ending?.exit_code !== undefined) return outcome.ending.exit_code;
  if (outcome.state === 'completed') return EXIT.ok;
  if (outcome.state === 'rejected') return EXIT.denied;
  return outcome.code === undefined ? EXIT.taskFailed : exitCodeOf(outcome.code as WritCode);
}
