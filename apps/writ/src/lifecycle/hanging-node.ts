import { type Clock, quote, shellWord, WritError } from '@writ/core';
import type { Patience } from '@writ/gateway/client';
import type { Home } from '../home.ts';
import { isStopped } from './process-start.ts';
import { runningPid } from './running-pid.ts';

/** Silence after which a node is asked for a sign of life, and the time that it has for one, milliseconds. */
const SILENCE_MS = 3000;
const ANSWER_MS = 7000;

/** How long the command line waits for a node that says nothing. */
export function patienceWith(home: Home, clock: Clock): Patience {
  return {
    ...{ clock, silenceMs: SILENCE_MS, answerMs: ANSWER_MS },
    hangs: (silentMs) => hangingNode(home, silentMs),
  };
}

/** The error for a node that runs and answers nothing: which process, why as far as can be seen, and what ends it. */
export function hangingNode(home: Home, silentMs: number): WritError {
  const pid = runningPid(home);
  const isHeld = pid !== undefined && isStopped(pid);
  const who = pid === undefined ? `whatever listens on ${quote(home.socketFile)}` : `the node (pid ${pid})`;
  const what =
    silentMs === 0 ? 'takes no more calls: too many wait for it' : `has answered nothing for ${silentMs / 1000} s`;
  const why = isHeld ? ', since a signal or a debugger holds it still' : '';
  return new WritError('UNREACHABLE', `${who} ${what}${why}`, {
    details: { socket: home.socketFile, silent_ms: silentMs, ...(pid === undefined ? {} : { pid }) },
    nextSteps: steps(home, pid, isHeld),
  });
}

function steps(home: Home, pid: number | undefined, isHeld: boolean): readonly string[] {
  if (pid === undefined) return [`see who it is: ss -xlp src ${shellWord(home.socketFile)}`];
  return [
    isHeld ? `let it go on: kill -CONT ${pid}` : `what it did last: tail -n 20 ${shellWord(home.logFile)}`,
    `or end it, and what runs under it: kill -9 ${pid}`,
    'then: writ up',
  ];
}
