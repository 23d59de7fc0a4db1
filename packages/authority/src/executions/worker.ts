import { createFairTurns, toWritError } from '@writ/core';
import { type CommandRunner, continueExecutions, PASS, type WorkerParts } from './pass.ts';

/** Commands that are read and copied at once, one of each lane: what one of them holds keeps no other waiting. */
const AT_ONCE = { atOnce: 4, each: 1 };

/** Passes whenever something may have become ready, one at a time in each lane. */
export interface ContinuationWorker {
  /** Asks for a pass in every lane; many calls while one runs are one more. */
  wake(): void;
  /** Resolves when no pass runs and everything that was started has ended and is stored. */
  idle(): Promise<void>;
  /** Starts nothing more, and resolves as `idle` does. */
  close(): Promise<void>;
}

export function createContinuationWorker(options: Omit<WorkerParts, 'stopping'>): ContinuationWorker {
  const stopping = new AbortController();
  const parts = { ...options, stopping: stopping.signal };
  const turns = createFairTurns(AT_ONCE);
  const lanes = new Map<string, Lane>();
  /** What was started and has not ended, and looks at the lanes. */
  const running = new Set<Promise<void>>();
  let isWanted = false;

  function follow(over: Promise<void>): void {
    const followed = over.finally(() => running.delete(followed));
    running.add(followed);
  }

  function look(): void {
    isWanted = false;
    if (stopping.signal.aborted) return;
    try {
      for (const name of parts.executions.lanes()) {
        const lane = lanes.get(name) ?? createLane(inLane(parts, name, turns), name, follow);
        lanes.set(name, lane);
        lane.wake(() => lanes.delete(name));
      }
    } catch (error) {
      tellFailed(parts, error);
    }
  }

  async function idle(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
  }

  return {
    wake() {
      if (isWanted) return;
      isWanted = true;
      // Not begun here: whoever wakes it may be inside a transaction, or a pass, that has not returned yet.
      follow(Promise.resolve().then(look));
    },
    idle,
    close() {
      stopping.abort();
      return idle();
    },
  };
}

function tellFailed({ logger }: Pick<WorkerParts, 'logger'>, error: unknown): void {
  logger.error('a pass over gated commands failed', { error: toWritError(error).message });
}

/** Prepares by turns. */
function inLane(parts: WorkerParts, whose: string, turns: ReturnType<typeof createFairTurns>): WorkerParts {
  const runner: CommandRunner = {
    async prepare(execution) {
      const turn = await turns.take({ whose, mostWaiting: 1, signal: parts.stopping }, () =>
        parts.runner.prepare(execution),
      );
      return turn.taken ? turn.value : undefined;
    },
  };
  return { ...parts, runner };
}

/** The passes over the commands of one asker. */
interface Lane {
  /** `rested` is called when nothing more is to be looked at. */
  wake(rested: () => void): void;
}

function createLane(parts: WorkerParts, lane: string, follow: (over: Promise<void>) => void): Lane {
  let isWanted = false;
  let isPassing = false;

  async function passes(): Promise<void> {
    const skip = new Set<string>();
    while (isWanted && !parts.stopping.aborted) {
      isWanted = false;
      const { started, unstored, failed, seen } = await continueExecutions(parts, { lane, skip });
      for (const { ended } of [...started, ...unstored]) follow(ended);
      // Many that fail each time would keep the rest from being seen.
      for (const id of failed) skip.add(id);
      // A full pass may have left some; one in which nothing moves would only see the same again.
      isWanted ||= seen === PASS && started.length + unstored.length + failed.length > 0;
    }
  }

  async function pass(rested: () => void): Promise<void> {
    isPassing = true;
    // It may be woken between the end of its last look and here.
    while (isWanted && !parts.stopping.aborted) await passes().catch((error) => tellFailed(parts, error));
    isPassing = false;
    rested();
  }

  return {
    wake(rested) {
      isWanted = true;
      if (!isPassing) follow(pass(rested));
    },
  };
}
