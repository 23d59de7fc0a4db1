import type { OperationInput, OperationOutput } from '@writ/gateway/client';
import type { LocalNode } from '../local-mesh/local-node.ts';
import type { Stage } from './types.ts';

type Answer = OperationOutput<'delegate'>;
type Input = OperationInput<'delegate'>;

/** What a task came to, and when its first output was seen. */
export interface Followed {
  readonly state: string;
  readonly code: string;
  readonly profile: string;
  readonly runner: string;
  readonly output: string;
  /** From the first byte of output to the outcome, milliseconds. */
  readonly liveForMs: number;
}

/** Asks `node` to delegate to beta. */
export function ask(node: LocalNode, input: Omit<Input, 'to'>): Promise<Answer> {
  return node.client().call('delegate', { to: 'beta', ...input });
}

/** The refusal of an answer as `effect CODE`, or `allow`. */
export function verdict(answer: Answer): string {
  return answer.accepted ? 'allow' : `${answer.decided?.effect ?? 'deny'} ${answer.decided?.code ?? ''}`;
}

/** Follows a task to its outcome, shows its output, and calls `onOutput` at the first byte. */
export async function follow(
  stage: Stage,
  node: LocalNode,
  task: string,
  onOutput?: () => Promise<void>,
): Promise<Followed> {
  let output = '';
  let firstMs: number | undefined;
  let profile = '';
  let runner = '';
  for await (const event of node.client().stream('task_watch', { task }, { signal: stage.signal })) {
    if (event.kind === 'granted') {
      profile = event.granted.effective_profile;
      runner = event.granted.effective_runner;
    } else if (event.kind === 'output') {
      const text = Buffer.from(event.data, event.encoding).toString('utf8');
      output += text;
      for (const line of text.split('\n').filter((l) => l !== '')) stage.show(line);
      if (firstMs === undefined) {
        firstMs = stage.clock.monotonicMs();
        await onOutput?.();
      }
    } else if (event.kind === 'outcome') {
      const liveForMs = firstMs === undefined ? 0 : stage.clock.monotonicMs() - firstMs;
      return { state: event.outcome.state, code: event.outcome.code ?? '', profile, runner, output, liveForMs };
    }
  }
  return { state: 'no outcome', code: '', profile, runner, output, liveForMs: 0 };
}

/** Delegates to beta, follows to the end, and says how it went as `state[ CODE] as PROFILE/RUNNER`, or the refusal. */
export async function askAndFollow(stage: Stage, input: Omit<Input, 'to'>): Promise<string> {
  const answer = await ask(stage.alpha, input);
  if (!answer.accepted) return verdict(answer);
  const followed = await follow(stage, stage.alpha, answer.task);
  return `${followed.state}${followed.code === '' ? '' : ` ${followed.code}`} as ${followed.profile}/${followed.runner}`;
}
