import { type LogFields, type Span, type SpanKind, toWritError } from '@writ/core';
import type { GatewayTrace } from './gateway-ports.ts';
import type { CallContext, Caller } from './types.ts';

/**
 * The same call inside of a span, which is below that of the task that calls; it says whose call it was and about which
 * task, and nothing that was given or answered besides.
 */
export function tracedCall(
  trace: GatewayTrace,
  name: string,
  run: (context: CallContext) => Promise<unknown>,
): (context: CallContext) => Promise<unknown> {
  return (context) =>
    inSpan(startSpan(trace, `gateway ${name}`, 'server', context.caller), async (span) => {
      const answer = await run(context);
      const task = taskIn(answer);
      if (task !== undefined) span.set({ task });
      return answer;
    });
}

/** The same for a stream: its span ends when the stream does, or whoever reads it leaves. */
export function tracedStream(
  trace: GatewayTrace,
  name: string,
  run: (context: CallContext) => AsyncIterable<unknown>,
): (context: CallContext) => AsyncIterable<unknown> {
  return (context) => {
    const span = startSpan(trace, `gateway ${name}`, 'server', context.caller);
    try {
      return withSpan(
        span,
        span.run(() => run(context)),
      );
    } catch (error) {
      span.end(toWritError(error).code);
      throw error;
    }
  };
}

/** A call of a tool of another server, which both are known; without `trace` the same without a span. */
export function tracedUpstream<T>(
  trace: GatewayTrace | undefined,
  { upstream, tool, caller }: { readonly upstream: string; readonly tool: string; readonly caller: Caller },
  work: () => Promise<T>,
): Promise<T> {
  if (trace === undefined) return work();
  return inSpan(startSpan(trace, `upstream ${upstream}`, 'client', caller, { upstream, tool }), work);
}

function startSpan(
  { tracing, spanOf }: GatewayTrace,
  name: string,
  kind: SpanKind,
  caller: Caller,
  fields: LogFields = {},
): Span {
  const ofTask = caller.kind === 'task';
  return tracing.start(name, {
    ...{ kind, fields: { ...fields, ...(ofTask ? { caller: caller.task } : {}) } },
    ...(ofTask ? { parent: spanOf(caller.task) } : {}),
  });
}

function inSpan<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  return span.run(async () => {
    try {
      const answer = await work(span);
      span.end('OK');
      return answer;
    } catch (error) {
      span.end(toWritError(error).code);
      throw error;
    }
  });
}

async function* withSpan<T>(span: Span, items: AsyncIterable<T>): AsyncGenerator<T> {
  const reader = items[Symbol.asyncIterator]();
  let code = 'OK';
  try {
    for (;;) {
      const next = await span.run(() => reader.next());
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    code = toWritError(error).code;
    throw error;
  } finally {
    await reader.return?.();
    span.end(code);
  }
}

/** Most answers about a task name it. */
function taskIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('task' in answer)) return undefined;
  return typeof answer.task === 'string' ? answer.task : undefined;
}
