import { request } from 'node:http';
import { connect } from 'node:net';
import { type Cancel, type Clock, nextTurn, type WritError } from '@writ/core';
import { ALIVE_PATH } from '../types.ts';

/** How long a node may be silent before it is taken for one that hangs. A call may take as long as it likes. */
export interface Patience {
  readonly clock: Clock;
  /** Silence after which the node is asked for a sign of life, milliseconds. */
  readonly silenceMs: number;
  /** How long it has for that, milliseconds. */
  readonly answerMs: number;
  /** The error for a node that gave none in all this time; `0`: so many connections wait for it that it got no other one. */
  hangs(silentMs: number): WritError;
}

/** A connection that waits for a node. */
export interface Waiting {
  readonly socketPath: string;
  readonly token: string;
  /** Bytes that have come so far. */
  bytesRead(): number;
  /** Ends it. */
  fail(error: WritError): void;
}

/** How much later than its time a timer comes in a program that stood still itself: stopped by a signal, or suspended. */
const STOOD_STILL = 1.5;

/**
 * Fails a connection whose node hangs: nothing came over it for a while, and a second connection is not answered either.
 * A node that is at work, or has nothing to say, answers that one at once. Returns how to stop looking.
 */
export function watchPatiently(waiting: Waiting, { clock, silenceMs, answerMs, hangs }: Patience): Cancel {
  let before = waiting.bytesRead();
  let stopAsking: Cancel | undefined;
  const ask = (): void => {
    const askedAtMs = clock.monotonicMs();
    // A probe that was ended still tells that its connection is closed: that ends no question but its own.
    const endProbe = probe(waiting, () => stop());
    const stopTimer = clock.setTimer(answerMs, () => {
      // Where this program itself stood still, the answer waits to be read.
      void nextTurn().then(() => {
        if (stopAsking !== stop) return;
        if (clock.monotonicMs() - askedAtMs <= STOOD_STILL * answerMs) return waiting.fail(hangs(silenceMs + answerMs));
        stop();
        ask();
      });
    });
    const stop = (): void => {
      stopTimer();
      endProbe();
      if (stopAsking === stop) stopAsking = undefined;
    };
    stopAsking = stop;
  };
  const stopLooking = clock.setEvery(silenceMs, () => {
    const now = waiting.bytesRead();
    if (now === before && stopAsking === undefined) ask();
    before = now;
  });
  return () => {
    stopLooking();
    stopAsking?.();
  };
}

/** Asks for a sign of life. A connection that is closed is one too: whoever waits on the other one learns why there. */
function probe({ socketPath, token }: Waiting, onLife: () => void): Cancel {
  const outgoing = request({
    createConnection: () => connect(socketPath),
    path: ALIVE_PATH,
    headers: { host: 'localhost', authorization: `Bearer ${token}` },
  });
  outgoing.once('response', (response) => {
    response.resume();
    onLife();
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    if (!isUnaccepted(error)) onLife();
  });
  outgoing.end();
  return () => outgoing.destroy();
}

/** Whether so many connections wait to be accepted already that no other one may. */
export function isUnaccepted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
