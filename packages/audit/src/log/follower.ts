import { type Cancel, type Clock, type Logger, Mutex, type Random, toWritError } from '@writ/core';
import type { AuditRows } from './audit-rows.ts';
import type { CheckpointSigner } from './checkpoint-book.ts';
import { isDiverged } from './diverged.ts';
import type { AuditFiles } from './layout.ts';
import { type LogWriter, openLogWriter } from './log-writer.ts';

/** Rows that are read, hashed and written in one go: a few milliseconds of the node's thread. */
const BATCH = 256;
/** How long rows are gathered before they are written, milliseconds. */
const GATHER_MS = 50;
/** How long what is written goes unsigned at most, milliseconds. */
const SIGN_EVERY_MS = 60_000;
/** How long after a failure it is tried again, milliseconds. */
const RETRY_MS = 5_000;

/** How far the files of a log are. */
export interface LogState {
  /** Rows that there are. */
  readonly rows: number;
  /** Entries in the files. */
  readonly written: number;
  /** Entries that the newest checkpoint counts. */
  readonly signed: number;
  readonly problem?: LogProblem;
}

/** Why the files of a log do not follow the rows. */
export interface LogProblem {
  /** Lower case, no full stop, safe to show. */
  readonly message: string;
  readonly nextSteps: readonly string[];
  readonly sinceMs: number;
}

/** Writes rows into the files of the log, in groups, after their commits. */
export interface LogFollower {
  state(): LogState;
  /** Resolves when every row is written and counted by a checkpoint. Throws what keeps it from that. */
  settle(): Promise<void>;
  /** Writes and signs what is left, as far as that is possible, and stops. */
  close(): Promise<void>;
}

export interface FollowerOptions {
  readonly files: AuditFiles;
  readonly rows: AuditRows & { onAudit(listener: () => void): () => void };
  readonly identity: CheckpointSigner;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Starts to follow. The rows are the truth and no transaction waits for this: while a disk is full or a log does not fit its
 * rows, `state` says so and the node goes on.
 */
export function createLogFollower(options: FollowerOptions): LogFollower {
  const { rows, clock, logger } = options;
  const course = createCourse(options);
  const mutex = new Mutex();
  let problem: LogProblem | undefined;
  let timer: { readonly atMs: number; readonly cancel: Cancel } | undefined;
  let isClosed = false;

  const follow = (sign: boolean): Promise<void> => {
    timer?.cancel();
    timer = undefined;
    return mutex.runExclusive(async () => {
      try {
        await course.catchUp(sign);
        if (problem !== undefined) logger.info('the audit log follows its rows again', {});
        problem = undefined;
        if (course.unsignedMs() > 0) arm(course.unsignedMs());
      } catch (thrown) {
        await course.drop();
        const { message, nextSteps } = toWritError(thrown);
        if (problem?.message !== message) logger.error('the audit log does not follow its rows', { reason: message });
        problem = { message, nextSteps, sinceMs: problem?.sinceMs ?? clock.nowMs() };
        // What does not fit does not mend itself.
        if (!isDiverged(thrown)) arm(RETRY_MS);
        else course.giveUp(thrown);
        throw thrown;
      }
    });
  };
  /** The earlier time stays: what waits to be signed for a minute does not hold back rows that are gathered. */
  const arm = (delayMs: number): void => {
    const atMs = clock.monotonicMs() + delayMs;
    if (isClosed || (timer !== undefined && timer.atMs <= atMs)) return;
    timer?.cancel();
    const cancel = clock.setTimer(delayMs, () => {
      timer = undefined;
      follow(false).catch(() => undefined);
    });
    timer = { atMs, cancel };
  };
  const stopListening = rows.onAudit(() => {
    if (problem === undefined) arm(GATHER_MS);
  });
  arm(0);
  return {
    state: () => ({ rows: rows.auditEnd(), ...course.reached(), ...(problem === undefined ? {} : { problem }) }),
    settle: () => follow(true),
    async close() {
      stopListening();
      isClosed = true;
      await follow(true).catch(() => undefined);
      await course.drop();
    },
  };
}

/** The one who writes, opened when needed and dropped after an error. */
function createCourse(options: FollowerOptions) {
  const { rows, clock } = options;
  let writer: LogWriter | undefined;
  let reached = { written: 0, signed: 0 };
  let signedAtMs = Number.NEGATIVE_INFINITY;
  let hopeless: unknown;
  const note = (log: LogWriter): void => {
    reached = { written: log.size, signed: log.newest?.size ?? 0 };
  };
  const sign = async (log: LogWriter): Promise<void> => {
    await log.checkpoint();
    signedAtMs = clock.monotonicMs();
    note(log);
  };
  const isDue = (): boolean => clock.monotonicMs() - signedAtMs >= SIGN_EVERY_MS;
  return {
    reached: () => reached,
    giveUp(error: unknown): void {
      hopeless = error;
    },
    /** How long what is written may go unsigned still; 0: everything is signed. */
    unsignedMs: () =>
      reached.written > reached.signed ? Math.max(1, SIGN_EVERY_MS - (clock.monotonicMs() - signedAtMs)) : 0,
    async catchUp(signNow: boolean): Promise<void> {
      if (hopeless !== undefined) throw hopeless;
      const isNew = writer === undefined;
      writer ??= await openLogWriter(options);
      const log = writer;
      for (let batch = rows.auditAfter(log.size, BATCH); batch.length > 0; batch = rows.auditAfter(log.size, BATCH)) {
        await log.append(batch);
        note(log);
        if (isDue()) await sign(log);
      }
      if (isNew) await log.refuseMore();
      note(log);
      if (signNow || isDue()) await sign(log);
    },
    async drop(): Promise<void> {
      const dropped = writer;
      writer = undefined;
      await dropped?.close().catch(() => undefined);
    },
  };
}
