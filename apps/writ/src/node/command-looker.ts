import { type Clock, createFairTurns, type FairTurns, type Logger, toWritError } from '@writ/core';
import { type Classification, undecidedCommand } from '@writ/policy';
import {
  type CommandQuestion,
  createLookingThread,
  type LookingThreadOptions,
  type LookRequest,
} from './looking-thread.ts';

/** Why nothing can be told: it took too long, too many wait, the thread cannot be had, or the node ends. */
export type Untold = 'late' | 'full' | 'fault' | 'closing';

/** What came of a look; `decided` is false where the thread said nothing, and `untold` says why. */
export interface Looked {
  readonly classification: Classification;
  readonly decided: boolean;
  readonly untold?: Untold;
}

/** Classifies what others send without holding up what else the node does. */
export interface CommandLooker {
  /** Has the thread there before anybody asks. Rejects with INTERNAL and what to do where it cannot be had. */
  start(): Promise<void>;
  /** Never rejects: what cannot be told in time, or at all, is undecided. */
  look(request: LookRequest): Promise<Looked>;
  /**
   * What keeps every command from being looked at, for a person, as far as it is known; undefined: nothing. Beside it the thread is
   * tried again, once in 10 s at most, so that what is mended is told without a command in between.
   */
  problem(): string | undefined;
  close(): Promise<void>;
}

/** What a looker is made of; `longestMs` absent: what is usual. */
export interface CommandLookerOptions extends Omit<LookingThreadOptions, 'longestMs' | 'clock'> {
  readonly longestMs?: number;
  readonly clock: Pick<Clock, 'setTimer' | 'monotonicMs'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Longest that one command may take, milliseconds. The usual ones take less than one; the rest is for a machine on which the thread
 * itself has to wait: how much of the time it works cannot be told on every Node.
 */
const LONGEST_LOOK_MS = 5_000;
/** Most that wait of one asker. */
const MOST_WAITING = 256;
/** Between two tries of a thread that cannot be had, milliseconds: each reads a grammar, in the turn of a command. */
const TRY_EVERY_MS = 10_000;

const REASONS: Readonly<Record<Untold, string>> = {
  late: 'what it does cannot be told in the time that there is for it',
  full: 'too many commands wait to be looked at',
  fault: 'no command can be looked at on this node: writ doctor',
  closing: 'the node is shutting down',
};

/** One thread, kept for all commands; after one that takes too long, and where it has died, there is another. */
export function createCommandLooker(options: CommandLookerOptions): CommandLooker {
  const { logger, clock } = options;
  const turns: FairTurns = createFairTurns({ atOnce: 1, each: 1 });
  const thread = createLookingThread({ longestMs: LONGEST_LOOK_MS, ...options });
  let fault: string | undefined;
  let isClosed = false;
  let nextTryMs = 0;

  /** Whatever it is at by now, it is at nothing that anybody waits for. Once for each fault: every command would say it again. */
  async function note(error: unknown): Promise<Untold> {
    await thread.drop();
    if (isClosed) return 'closing';
    const { code, message } = toWritError(error);
    if (code === 'TIMED_OUT') {
      logger.warn('a command was not looked at', { reason: message });
      return 'late';
    }
    if (fault !== message) logger.error('no command can be looked at', { reason: message });
    fault = message;
    return 'fault';
  }

  async function look(request: LookRequest): Promise<Looked> {
    if (isClosed) return undecided(request, 'closing');
    try {
      const classification = await thread.ask(request);
      fault = undefined;
      return { classification, decided: true };
    } catch (error) {
      return undecided(request, await note(error));
    }
  }

  /** Never rejects. */
  async function tryAgain(): Promise<void> {
    try {
      // Closed, or mended, while it waited for its turn: there is nothing to try.
      if (!isClosed && fault !== undefined) await thread.ready();
      fault = undefined;
    } catch (error) {
      await note(error);
    } finally {
      // From its end on: one that takes half a minute leaves commands their turns.
      nextTryMs = clock.monotonicMs() + TRY_EVERY_MS;
    }
  }

  return {
    start: () => thread.ready(),
    async look(request) {
      const turn = await turns.take({ whose: request.whose, mostWaiting: MOST_WAITING }, () => look(request));
      return turn.taken ? turn.value : undecided(request, 'full');
    },
    problem() {
      if (fault !== undefined && clock.monotonicMs() >= nextTryMs) {
        nextTryMs = Number.POSITIVE_INFINITY;
        void turns.take({ whose: 'status', mostWaiting: 1 }, tryAgain);
      }
      return fault;
    },
    async close() {
      isClosed = true;
      await thread.drop();
    },
  };
}

function undecided({ argv, place }: CommandQuestion, untold: Untold): Looked {
  return { classification: undecidedCommand(argv, place, REASONS[untold]), decided: false, untold };
}
