import { toWritError } from '@writ/core';
import type { GatewayTrace } from './gateway-ports.ts';
import type { CallContext } from './types.ts';

/**
 * The same call inside of a span, which is below that of the task that calls; it says whose call it was and about which
 * task, and nothing that was given or answered besides.
 */
export function tracedCall(
  { tracing, spanOf }: GatewayTrace,
  name: string,
  run: (context: CallContext) => Promise<unknown>,
): (context: CallContext) => Promise<unknown> {
  return (context) => {
    const { caller } = context;
    const span = tracing.start(`gateway ${name}`, {
      kind: 'server',
      ...(caller.kind === 'task' ? { parent: spanOf(caller.task), fields: { caller: caller.task } } : {}),
    });
    return span.run(async () => {
      try {
        const answer = await run(context);
        const task = taskIn(answer);
        if (task !== undefined) span.set({ task });
        span.end('OK');
        return answer;
      } catch (error) {
        span.end(toWritError(error).code);
        throw error;
      }
    });
  };
}

/** Most answers about a task name it. */
function taskIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('task' in answer)) return undefined;
  return typeof answer.task === 'string' ? answer.task : undefined;
}
