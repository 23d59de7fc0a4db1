import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, gitWords, type Random } from '@writ/core';
import { CUT_WORDS } from '../git-calls.ts';
import type { GitCut } from '../git-process.ts';
import { MARKER } from '../process-tree/members.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Mount } from '../sandbox/types.ts';
import type { Spawned, Spawner } from '../spawned.ts';
import type { GitAnswer, GitCall, GitRoom, GitRoomSpec } from '../types.ts';
import { type AnswerReader, createAnswerReader } from './answer-reader.ts';
import { scriptOf } from './script.ts';

/** What rooms are opened with. */
export interface GitRoomsOptions {
  readonly spawner: Spawner;
  readonly sandbox: Sandbox;
  /** Absolute folder for what goes to standard inputs, which a caller of git owns; see `GitCalls`. */
  readonly folder: string;
  readonly newNonce: () => string;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends every room. */
  readonly signal: AbortSignal;
}

const MARK_BYTES = 16;
/** What git may keep in memory there: it is the node's own, which a task's limits do not hold. */
const DATA_BYTES = 2 * 1024 ** 3;
const NOTHING = new Uint8Array();

/**
 * Opens a sandbox that stays, in which a shell starts one git after the other: starting a sandbox for each would cost more than
 * most of them do. Undefined where this machine has none, or git is no part of the system that it shows.
 */
export async function openGitRoom(spec: GitRoomSpec, options: GitRoomsOptions): Promise<GitRoom | undefined> {
  const { spawner, sandbox, newNonce } = options;
  if (!(await sandbox.report()).available) return undefined;
  const nonce = newNonce();
  const inputs = join(options.folder, nonce);
  const [cwd = '/'] = spec.write;
  const mounts = [...as('read', [...spec.read, inputs]), ...as('write', spec.write)];
  const wrapped = await sandbox.wrap({
    ...{ argv: ['git'], confinement: { cwd, mounts }, timeoutMs: spec.timeoutMs, path: spec.path },
    dataBytes: DATA_BYTES,
    around: (inner) => [...inner.slice(0, -1), '/bin/sh'],
  });
  if (wrapped === undefined) return undefined;
  await mkdir(inputs, { recursive: true, mode: 0o700 });
  const room = createRoom(inputs, spec, options);
  const order = { cwd, env: { [MARKER]: nonce }, nonce, graceMs: 0, inputOpen: true, ...wrapped };
  const result = await spawner.spawn(order, room.onOutput).catch((error) => ({ ok: false as const, failed: error }));
  if (result.ok) return room.live(result.process);
  await rm(inputs, { recursive: true, force: true });
  return undefined;
}

function as(how: Mount['as'], paths: readonly string[]): readonly Mount[] {
  return paths.map((path) => ({ path, as: how }));
}

/** The call that is under way. */
interface Current {
  readonly reader: AnswerReader;
  readonly settle: (end: GitCut | 'whole' | 'over') => void;
}

interface UnstartedRoom {
  readonly onOutput: (stream: 'stdout' | 'stderr', bytes: Buffer) => Promise<void>;
  live(process: Spawned): GitRoom;
}

function createRoom(inputs: string, spec: GitRoomSpec, options: GitRoomsOptions): UnstartedRoom {
  const { clock, random } = options;
  let current: Current | undefined;
  let over = false;
  let calls = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const inputOf = async (call: GitCall): Promise<string> => {
    if (call.inputFile !== undefined) return call.inputFile;
    if (call.input === undefined || call.input.length === 0) return '/dev/null';
    calls += 1;
    const path = join(inputs, String(calls));
    await writeFile(path, call.input, { mode: 0o600, flag: 'wx' });
    return path;
  };
  const ask = async (call: GitCall, process: Spawned): Promise<GitAnswer> => {
    const signals = [options.signal, spec.signal, call.signal].filter((one) => one !== undefined);
    const hindrance = (): string | undefined => {
      if (signals.some((signal) => signal.aborted)) return CUT_WORDS.unwanted;
      return over ? 'its sandbox has ended' : undefined;
    };
    // What ends while the input is written would be heard of by nobody: it is looked at before and after that.
    const input = hindrance() === undefined ? await inputOf(call).catch((error) => ({ error })) : '';
    const inTheWay = hindrance();
    if (inTheWay !== undefined) return failed(inTheWay);
    if (typeof input !== 'string') throw input.error;
    const mark = Buffer.from(random.bytes(MARK_BYTES)).toString('hex');
    const reader = createAnswerReader(mark, call.maxOutputBytes);
    const ended = new Promise<GitCut | 'whole' | 'over'>((settle) => {
      current = { reader, settle };
    });
    const abort = (): void => current?.settle('unwanted');
    for (const signal of signals) signal.addEventListener('abort', abort);
    const cancelTimer = clock.setTimer(call.timeoutMs, () => current?.settle('late'));
    void process.input.write(Buffer.from(scriptOf(call, input, mark)));
    const end = await ended;
    current = undefined;
    cancelTimer();
    for (const signal of signals) signal.removeEventListener('abort', abort);
    if (end === 'whole') return answerOf(reader);
    over = true;
    process.stop();
    await process.done;
    return failed(end === 'over' ? saidLast(reader) : CUT_WORDS[end]);
  };
  return {
    async onOutput(stream, bytes) {
      const state = current?.reader.take(stream, bytes);
      if (state === 'whole' || state === 'too-much') current?.settle(state);
    },
    live(process) {
      void process.done.then(() => {
        over = true;
        current?.settle('over');
      });
      return {
        git(call) {
          const answer = queue.then(() => ask(call, process)).catch((error) => failed(String(error)));
          queue = answer;
          return answer;
        },
        async close() {
          over = true;
          process.stop();
          await process.done;
          await rm(inputs, { recursive: true, force: true });
        },
      };
    },
  };
}

/** What the sandbox said when it ended too early. */
function saidLast(reader: AnswerReader): string {
  return reader.stderr().trim() === '' ? 'its sandbox has ended' : gitWords(reader.stderr(), null);
}

function answerOf(reader: AnswerReader): GitAnswer {
  const exitCode = reader.exitCode();
  return { exitCode, stdout: reader.stdout(), reason: gitWords(reader.stderr(), exitCode) };
}

function failed(reason: string): GitAnswer {
  return { exitCode: null, stdout: NOTHING, reason };
}
