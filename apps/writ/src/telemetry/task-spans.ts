import type { Tracing } from '@writ/core';
import type { Executor, TaskRunner } from '@writ/delegation';

/** Where the tasks of a node stand in their traces, from their acceptance to their end. */
export interface TaskSpans {
  /** `traceparent` of a task, for what it does. */
  of(task: string): string | undefined;
  /** The same executor; where what it accepts belongs is remembered. */
  executor(inner: Executor): Executor;
  /** The same runner; preparing a place and running are spans of their tasks. */
  runner<R extends TaskRunner>(inner: R): R;
}

/** Tasks whose place is remembered at once; one that waits for long loses it first. */
const MOST = 10_000;

export function createTaskSpans(tracing: Tracing): TaskSpans {
  const places = new Map<string, string>();
  const remember = (task: string, place: string | undefined): void => {
    if (place === undefined) return;
    places.delete(task);
    places.set(task, place);
    const [oldest] = places.keys();
    if (places.size > MOST && oldest !== undefined) places.delete(oldest);
  };
  return {
    of: (task) => places.get(task),
    executor(inner) {
      inner.onEnd((tx, task) => tx.afterCommit(() => places.delete(task.id)));
      return {
        ...inner,
        submit(request) {
          remember(request.task, tracing.current());
          return inner.submit(request);
        },
      };
    },
    runner: (inner) => ({
      ...inner,
      async prepare(spec, signal) {
        const { task } = spec;
        const preparing = tracing.start('task prepare', {
          kind: 'internal',
          parent: places.get(task),
          fields: { task },
        });
        const prepared = await settled(preparing, inner.prepare(spec, signal));
        return {
          ...prepared,
          async start(asked, sink) {
            const running = tracing.start('task run', {
              ...{ kind: 'internal', parent: places.get(task) },
              fields: { task, epoch: asked.epoch, runner: asked.runner.kind },
            });
            remember(task, running.traceparent);
            try {
              const run = await prepared.start(asked, sink);
              void run.done.then(({ ending }) =>
                running.end(ending.kind === 'exit' && ending.exitCode === 0 ? 'OK' : ending.kind),
              );
              return run;
            } catch (error) {
              running.end('FAILED');
              throw error;
            }
          },
        };
      },
    }),
  };
}

async function settled<T>(span: { end(code: string): void }, work: Promise<T>): Promise<T> {
  try {
    const value = await work;
    span.end('OK');
    return value;
  } catch (error) {
    span.end('FAILED');
    throw error;
  }
}
