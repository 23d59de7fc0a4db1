import type { Socket } from 'node:net';
import type { Clock } from '@writ/core';
import { type ChildListener, type ChildRun, type ChildTools, startChildRun } from './child-run.ts';
import {
  countFrame,
  createFrameReader,
  FRAME,
  type Frame,
  frameHead,
  jsonFrame,
  type StartOrder,
  type StopOrder,
} from './frames.ts';

/** How long what is left is killed again and again after the gateway has gone, milliseconds. */
const LAST_KILL_MS = 10_000;
const LAST_PAUSE_MS = 5;

/** Obeys a gateway's frames until its socket closes; then kills every tree and calls `onGone`. */
export function serveGateway(channel: Socket, tools: ChildTools, onGone: () => void): void {
  const runs = new Map<number, ChildRun>();
  let gone = false;
  const leave = (): void => {
    if (gone) return;
    gone = true;
    killAll([...runs.values()], tools.clock);
    onGone();
  };
  const start = async (run: number, order: StartOrder): Promise<void> => {
    const result = await startChildRun(order, listenerOf(channel, run, runs), tools);
    if ('errno' in result) channel.write(jsonFrame(FRAME.failed, run, result));
    else runs.set(run, result);
  };
  const onFrame = ({ type, run, payload }: Frame): void => {
    if (type === FRAME.start) void start(run, JSON.parse(payload.toString('utf8')) as StartOrder);
    if (type === FRAME.stop) runs.get(run)?.stop((JSON.parse(payload.toString('utf8')) as StopOrder).graceMs);
    if (type === FRAME.credit) runs.get(run)?.credit(payload.readUInt32BE(0));
    if (type === FRAME.input) runs.get(run)?.input(payload);
    if (type === FRAME.inputEnd) runs.get(run)?.inputEnd();
    if (type === FRAME.ask) channel.write(frameHead(FRAME.here, run, 0));
  };
  channel.on('data', createFrameReader(onFrame));
  channel.on('error', leave);
  channel.on('end', leave);
  channel.on('close', leave);
}

function listenerOf(channel: Socket, run: number, runs: Map<number, ChildRun>): ChildListener {
  return {
    started: (started) => channel.write(jsonFrame(FRAME.started, run, started)),
    output(stream, chunk) {
      channel.cork();
      channel.write(frameHead(FRAME[stream], run, chunk.length));
      channel.write(chunk);
      channel.uncork();
    },
    inputTaken: (bytes) => channel.write(countFrame(FRAME.inputTaken, run, bytes)),
    exited: (exited) => channel.write(jsonFrame(FRAME.exited, run, exited)),
    ended(ended) {
      runs.delete(run);
      channel.write(jsonFrame(FRAME.ended, run, ended));
    },
  };
}

/** Nobody is left to wait for grace or output: KILL until nothing is found, without going back to the event loop. */
// INVARIANT: 9 no process outlives its node, a node that was killed included.
function killAll(runs: readonly ChildRun[], clock: Clock): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const untilMs = clock.monotonicMs() + LAST_KILL_MS;
  for (let empty = 0; empty < 2 && clock.monotonicMs() < untilMs; ) {
    const killed = runs.reduce((sum, run) => sum + run.kill(), 0);
    empty = killed === 0 ? empty + 1 : 0;
    if (killed > 0) Atomics.wait(cell, 0, 0, LAST_PAUSE_MS);
  }
}
