import { WritError } from '@writ/core';
import type { PreparedRun, RunSpec } from '@writ/delegation';

/** One preparation of a scripted runner; `broken` is one whose signal aborted before it was ready. */
export interface ScriptedPreparation {
  readonly spec: RunSpec;
  readonly state: 'pending' | 'broken' | 'ready' | 'started' | 'discarded';
}

/** What tests say about preparations, and what became of them. */
export interface ScriptedPreparations {
  /** Every preparation, in order. */
  readonly preparations: readonly ScriptedPreparation[];
  /** The first preparation of a task, when it has begun. */
  preparationOf(task: string): Promise<ScriptedPreparation>;
  /** The next preparations fail with this, until undefined. */
  failPreparations(error: WritError | undefined): void;
  /** The next preparations wait for this, as for a slow clone, until undefined. */
  holdPreparations(gate: Promise<void> | undefined): void;
}

export function createScriptedPreparations(
  start: PreparedRun['start'],
): ScriptedPreparations & { prepare(spec: RunSpec, signal: AbortSignal): Promise<PreparedRun> } {
  const preparations: { readonly spec: RunSpec; state: ScriptedPreparation['state'] }[] = [];
  const waiting = new Map<string, (preparation: ScriptedPreparation) => void>();
  let failure: WritError | undefined;
  let gate: Promise<void> | undefined;

  return {
    preparations,
    async prepare(spec, signal) {
      const preparation: (typeof preparations)[number] = { spec, state: 'pending' };
      preparations.push(preparation);
      waiting.get(spec.task)?.(preparation);
      if (failure) throw failure;
      if (gate) await Promise.race([gate, aborted(signal)]);
      if (signal.aborted) {
        preparation.state = 'broken';
        throw new WritError('CANCELLED', 'the workspace is not wanted any more');
      }
      preparation.state = 'ready';
      return {
        start(final, sink) {
          preparation.state = 'started';
          return start(final, sink);
        },
        discard() {
          if (preparation.state === 'ready') preparation.state = 'discarded';
        },
      };
    },
    preparationOf(task) {
      const begun = preparations.find(({ spec }) => spec.task === task);
      return begun ? Promise.resolve(begun) : new Promise((resolve) => waiting.set(task, resolve));
    },
    failPreparations(error) {
      failure = error;
    },
    holdPreparations(promise) {
      gate = promise;
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
