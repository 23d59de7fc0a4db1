import { Worker } from 'node:worker_threads';
import { type Clock, quote, WritError } from '@writ/core';
import type { Classification, CommandPlace, CommandRule } from '@writ/policy';
import { VERSION } from '../version.ts';

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

/** Files that the grammar of a thread is read from: absolute paths. */
export interface ThreadFiles {
  readonly runtime: string;
  readonly grammar: string;
}

/** What a thread says once it is there: of which version it is. */
export interface ThreadReady {
  readonly ready: string;
}

/** The thread that classifies commands, one at a time, made where there is none. */
export interface LookingThread {
  /** Resolves once it is there. Rejects with INTERNAL and what keeps it away. */
  ready(): Promise<void>;
  /** Rejects with TIMED_OUT where it says nothing in time, and INTERNAL where it cannot be had or dies. */
  ask(request: LookRequest): Promise<Classification>;
  /** Ends it; the next one that is asked is another. */
  drop(): Promise<void>;
}

/** What a thread is made of. */
export interface LookingThreadOptions {
  /** The file of `command-thread.ts`, built. */
  readonly script: URL;
  readonly files: ThreadFiles;
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Longest that one command may take, milliseconds. */
  readonly longestMs: number;
}

/** Longest that a thread may take to be there, milliseconds. */
const LONGEST_START_MS = 30_000;

interface Thread {
  readonly worker: Worker;
  readonly ready: Promise<void>;
  rules: readonly CommandRule[] | undefined;
}

export function createLookingThread({ script, files, clock, longestMs }: LookingThreadOptions): LookingThread {
  let thread: Thread | undefined;

  function current(): Thread {
    if (thread !== undefined) return thread;
    const worker = new Worker(script, { workerData: files, execArgv: [], env: {} });
    // What it dies of between two commands is found by the next one.
    worker.on('error', () => undefined);
    const made: Thread = { worker, ready: startOf(worker, clock), rules: undefined };
    thread = made;
    return made;
  }

  return {
    ready: async () => current().ready,
    async ask({ argv, place, rules }) {
      const asked = current();
      const { worker, ready } = asked;
      await ready;
      // INVARIANT: 2 it is asked by the rules of this request, and answers one after the other.
      if (asked.rules !== rules) worker.postMessage({ rules });
      asked.rules = rules;
      const late = new WritError('TIMED_OUT', 'what the command does cannot be told in the time that there is for it');
      const answer = answerOf(worker, clock, { longestMs, late });
      worker.postMessage({ argv, place });
      const classification = (await answer) as Classification | undefined;
      if (classification === undefined) throw awayBecause('it classified nothing');
      return classification;
    },
    async drop() {
      const old = thread;
      thread = undefined;
      await old?.worker.terminate();
    },
  };
}

/** Until it is there the process stays: a node that starts may have nothing else to wait for. */
async function startOf(worker: Worker, clock: Pick<Clock, 'setTimer'>): Promise<void> {
  const late = awayBecause(`it was not there after ${LONGEST_START_MS / 1000} s`);
  try {
    const said = (await answerOf(worker, clock, { longestMs: LONGEST_START_MS, late })) as Partial<ThreadReady>;
    // An update laid other files beside a node that runs: their rules are not those that it shows.
    if (said.ready !== VERSION)
      throw awayBecause(`its file is of version ${quote(`${said.ready}`)}, and this node of ${VERSION}`);
  } finally {
    worker.unref();
  }
}

/** The next message of a thread. Rejects where it ends, or says nothing in time. */
function answerOf(
  worker: Worker,
  clock: Pick<Clock, 'setTimer'>,
  { longestMs, late }: { readonly longestMs: number; readonly late: WritError },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      cancel();
      worker.off('message', take).off('error', fail).off('exit', end);
    };
    const take = (message: unknown): void => {
      over();
      resolve(message);
    };
    const fail = (cause: Error): void => {
      over();
      reject(awayBecause(cause.message, cause));
    };
    const end = (code: number): void => {
      over();
      reject(awayBecause(`it ended with ${code}`));
    };
    const cancel = clock.setTimer(longestMs, () => {
      over();
      reject(late);
    });
    worker.on('message', take).on('error', fail).on('exit', end);
  });
}

function awayBecause(reason: string, cause?: Error): WritError {
  return new WritError('INTERNAL', `the thread that looks at commands cannot be had: ${reason}`, {
    ...(cause === undefined ? {} : { cause }),
    nextSteps: [
      'see that the installed files are whole and of one version, and that there is memory for one thread more',
      'writ down && writ up',
    ],
  });
}
