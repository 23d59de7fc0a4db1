import { Worker } from 'node:worker_threads';
import { type Clock, createFairTurns, type FairTurns } from '@writ/core';
import { type Classification, type CommandPlace, type CommandRule, undecidedCommand } from '@writ/policy';

/** Files that the grammar of a thread is read from: absolute paths. */
export interface ThreadFiles {
  readonly runtime: string;
  readonly grammar: string;
}

/** What a thread is asked. */
export interface CommandQuestion {
  readonly argv: readonly string[];
  readonly place: CommandPlace;
}

/** A command, by which rules it is looked at, and in whose turn. */
export interface LookRequest extends CommandQuestion {
  readonly rules: readonly CommandRule[];
  readonly whose: string;
}

/** What came of a look; `decided` is false where the thread said nothing in time. */
export interface Looked {
  readonly classification: Classification;
  readonly decided: boolean;
}

/** Classifies what others send without holding up what else the node does. */
export interface CommandLooker {
  /** Never rejects: what cannot be told in time, or at all, is undecided. */
  look(request: LookRequest): Promise<Looked>;
  close(): Promise<void>;
}

/**
 * Longest that one command may take, milliseconds. The usual ones take less than one; the rest is for a machine on which the thread
 * itself has to wait: how much of the time it works cannot be told on every Node.
 */
const LONGEST_LOOK_MS = 5_000;
/** Longest that a thread may take to be there. */
const LONGEST_START_MS = 30_000;
/** Most that wait of one asker. */
const MOST_WAITING = 256;

interface Thread {
  readonly worker: Worker;
  readonly ready: Promise<unknown>;
  rules: readonly CommandRule[] | undefined;
}

/** `script`: the file of `command-thread.ts`, built. One thread, made for the first command and kept for those that follow. */
export function createCommandLooker(options: {
  readonly script: URL;
  readonly files: ThreadFiles;
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Longest that one command may take, milliseconds; absent: what is usual. */
  readonly longestMs?: number;
}): CommandLooker {
  const { script, files, clock, longestMs = LONGEST_LOOK_MS } = options;
  const turns: FairTurns = createFairTurns({ atOnce: 1, each: 1 });
  let thread: Thread | undefined;
  let isClosed = false;

  function current(): Thread {
    if (thread !== undefined) return thread;
    const worker = new Worker(script, { workerData: files, execArgv: [], env: {} });
    worker.unref();
    // What it dies of between two commands is found by the next one.
    worker.on('error', () => undefined);
    const made: Thread = { worker, ready: answerOf(worker, clock, LONGEST_START_MS), rules: undefined };
    thread = made;
    return made;
  }

  async function drop(): Promise<void> {
    const old = thread;
    thread = undefined;
    await old?.worker.terminate();
  }

  async function ask({ argv, place, rules }: LookRequest): Promise<Classification> {
    const asked = current();
    const { worker, ready } = asked;
    await ready;
    // INVARIANT: 2 it is asked by the rules of this request, and answers one after the other.
    if (asked.rules !== rules) worker.postMessage({ rules });
    asked.rules = rules;
    const answer = answerOf(worker, clock, longestMs);
    worker.postMessage({ argv, place });
    const classification = (await answer) as Classification | undefined;
    if (classification === undefined) throw new Error('the thread classified nothing');
    return classification;
  }

  async function look(request: LookRequest): Promise<Looked> {
    try {
      if (isClosed) return undecided(request, 'the node is shutting down');
      return { classification: await ask(request), decided: true };
    } catch {
      // Whatever it is at by now, it is at nothing that anybody waits for.
      await drop();
    }
    return undecided(request, 'what it does cannot be told in the time that there is for it');
  }

  return {
    async look(request) {
      const turn = await turns.take({ whose: request.whose, mostWaiting: MOST_WAITING }, () => look(request));
      return turn.taken ? turn.value : undecided(request, 'too many commands wait to be looked at');
    },
    async close() {
      isClosed = true;
      await drop();
    },
  };
}

function undecided({ argv, place }: CommandQuestion, reason: string): Looked {
  return { classification: undecidedCommand(argv, place, reason), decided: false };
}

/** The next message of a thread. Rejects where it ends, or says nothing in time. */
function answerOf(worker: Worker, clock: Pick<Clock, 'setTimer'>, longestMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      cancel();
      worker.off('message', take).off('error', fail).off('exit', fail);
    };
    const take = (message: unknown): void => {
      over();
      resolve(message);
    };
    const fail = (): void => {
      over();
      reject(new Error('the thread gave no answer'));
    };
    const cancel = clock.setTimer(longestMs, fail);
    worker.on('message', take).on('error', fail).on('exit', fail);
  });
}
