import type { Execution } from '@writ/lease-store';
import type { CommandEnd, WorkerParts } from '../executions/pass.ts';
import type { StartBounds } from '../executions/types.ts';

/** How a command ends that did what it was to do. */
export const DONE: CommandEnd = { event: 'complete', outcome: { code: 'OK', message: 'done', exitCode: 0 } };

/** What is tried again is tried in the next turn. */
export const RIGHT_AWAY: WorkerParts['clock'] = {
  setTimer(_, ring) {
    const timer = setImmediate(ring);
    return () => clearImmediate(timer);
  },
};

/** A runner whose commands end when a test says so. */
export function createManualRunner() {
  const calls: string[] = [];
  const ends = new Map<string, { resolve(end: CommandEnd): void; reject(error: Error): void }>();
  const digests = new Map<string, string>();
  const bounds = new Map<string, StartBounds>();
  const before = { prepare: async (_: Execution) => {}, spawn: async (_: string) => {}, release: async () => {} };
  return {
    ...{ calls, ends, digests, bounds, before },
    runner: {
      async prepare(execution: Execution) {
        calls.push(`prepare ${execution.session}`);
        await before.prepare(execution);
        return {
          digest: () => digests.get(execution.id) ?? execution.digest,
          async spawn(given: StartBounds) {
            bounds.set(execution.id, given);
            await before.spawn(execution.id);
            calls.push(`spawn ${execution.session}`);
            return { ended: new Promise<CommandEnd>((resolve, reject) => ends.set(execution.id, { resolve, reject })) };
          },
          async release() {
            calls.push(`release ${execution.session}`);
            await before.release();
          },
        };
      },
    },
  };
}
