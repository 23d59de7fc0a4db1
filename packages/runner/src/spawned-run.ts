import type { Duplex } from 'node:stream';
import type { TreeEnd } from './process-tree/end-tree.ts';
import type { TreeMarks } from './process-tree/members.ts';
import type { OutputHandler, ProcessEnd, SpawnOrder, SpawnResult } from './spawned.ts';
import { createSpawnedInput } from './spawned-input.ts';
import {
  countFrame,
  type Ended,
  type Exited,
  type Failed,
  FRAME,
  type Frame,
  jsonFrame,
  type Started,
} from './spawner/frames.ts';

/** The gateway's side of one process of a spawner. */
export interface SpawnedRun {
  /** Settles when the spawner has answered the start. */
  readonly result: Promise<SpawnResult>;
  /** Takes a frame of this run; true when it was the last. */
  handle(frame: Frame): boolean;
  /** The spawner is gone: `end` finds and ends the tree, then the run counts as killed. */
  abandon(reason: string, end: (marks: TreeMarks) => Promise<TreeEnd>): void;
}

/** Follows one process from its start order to the end of its tree. */
export function createSpawnedRun(run: number, order: SpawnOrder, channel: Duplex, onOutput: OutputHandler): SpawnedRun {
  let started: Started | undefined;
  let exited: Exited | undefined;
  let stopping = false;
  const input = createSpawnedInput(run, channel);
  let handled: Promise<void> = Promise.resolve();
  let answer: (result: SpawnResult) => void = () => {};
  let finish: (end: ProcessEnd) => void = () => {};
  const result = new Promise<SpawnResult>((resolve) => {
    answer = resolve;
  });
  const done = new Promise<ProcessEnd>((resolve) => {
    finish = resolve;
  });
  let leave = (): void => {};
  const hasExited = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const killed = (): Exited => ({ exitCode: null, signal: 'SIGKILL', stopped: stopping });
  const takeOutput = (stream: 'stdout' | 'stderr', bytes: Buffer): void => {
    handled = handled
      // Whoever fails to take its output ends the run, and nothing else.
      .then(() => onOutput(stream, bytes).catch(() => stop()))
      .then(() => {
        if (channel.writable) channel.write(countFrame(FRAME.credit, run, bytes.length));
      });
  };
  const stop = (): void => {
    if (stopping || exited !== undefined) return;
    stopping = true;
    if (channel.writable) channel.write(jsonFrame(FRAME.stop, run, { graceMs: order.graceMs }));
  };
  return {
    result,
    handle({ type, payload }) {
      if (type === FRAME.stdout) takeOutput('stdout', payload);
      if (type === FRAME.stderr) takeOutput('stderr', payload);
      if (type === FRAME.started) {
        started = parse<Started>(payload);
        answer({ ok: true, process: { pid: started.pid, exited: hasExited, done, stop, input } });
      }
      if (type === FRAME.failed) answer({ ok: false, failed: parse<Failed>(payload) });
      if (type === FRAME.inputTaken) input.taken(payload.readUInt32BE(0));
      if (type === FRAME.exited) {
        exited = parse<Exited>(payload);
        leave();
      }
      if (type === FRAME.ended) {
        const { keptSignal, ...left } = parse<Ended>(payload);
        const kept = keptSignal === undefined ? {} : { exitCode: null, signal: keptSignal };
        input.over();
        void handled.then(() => finish({ ...(exited ?? killed()), ...kept, ...left }));
      }
      return type === FRAME.failed || type === FRAME.ended;
    },
    abandon(reason, end) {
      const marks: TreeMarks = {
        nonces: [order.nonce],
        ...(order.folder === undefined ? {} : { folder: order.folder }),
        ...(started && started.startTicks > 0 ? { leader: started } : {}),
      };
      input.over();
      leave();
      void end(marks).then(async ({ refused, held }) => {
        await handled;
        answer({ ok: false, failed: { errno: 'SPAWNER', message: reason } });
        finish({ ...(exited ?? killed()), refused, held });
      });
    },
  };
}

/** The other end is this program's own bundle, of the same version. */
function parse<T>(payload: Buffer): T {
  return JSON.parse(payload.toString('utf8')) as T;
}
