import type { Cancel, Clock, Logger } from '@writ/core';
import type { AgentReport } from './agent-report.ts';
import type { Conversation } from './drivers/driver.ts';
import type { AgentOutput } from './drivers/joined-output.ts';
import { createMarks } from './drivers/marks.ts';
import type { KnownSecrets } from './secrets/known-secrets.ts';
import { createRedactor, type Redactor } from './secrets/redactor.ts';
import type { OutputHandler, ProcessEnd, Spawned } from './spawned.ts';
import type { TranscriptWriter } from './transcripts.ts';
import type { Ending, Run, RunReport, RunSink, RunSpec, StopCause } from './types.ts';

/** What a run wrote, counted while it is passed on. */
export interface Capture {
  readonly onOutput: OutputHandler;
  /** Lines of the node's own about an agent that it follows. */
  readonly note: AgentOutput['note'];
  /** Lines of its own that are no events. */
  readonly keep: AgentOutput['keep'];
  readonly totals: { stdout: number; stderr: number };
  /** The same text without secrets. */
  clean(text: string): string;
  /** Passes on what was held back; to be called when nothing more comes. */
  flush(): Promise<void>;
}

/** What becomes a capture. */
export interface CaptureParts {
  readonly transcript: TranscriptWriter;
  readonly sink: RunSink;
  readonly logger: Logger;
  /** What may stand in nothing that is kept. */
  readonly secrets: Pick<KnownSecrets, 'sought'>;
  /** Whether the output is of an agent that the node follows, so that lines of either have to be told apart. */
  readonly isFollowed: boolean;
}

/**
 * Keeps output in the transcript, then reports it; what the transcript has no room for is reported without an offset. Secrets
 * are taken out before either.
 */
export function createCapture({ transcript, sink, logger, secrets, isFollowed }: CaptureParts): Capture {
  const totals = { stdout: 0, stderr: 0 };
  // A sink may not throw; one that does must not keep the run from ending.
  const report: RunSink['output'] = (stream, bytes, offset) => {
    try {
      sink.output(stream, bytes, offset);
    } catch (error) {
      logger.error('output could not be reported', { error: String(error) });
    }
  };
  // One for each source: what another one says between two pieces of a secret does not make two words of it.
  const sources = { stdout: 'stdout', stderr: 'stderr', kept: 'stderr' } as const;
  const redactorOf = (): Redactor => createRedactor(secrets.sought);
  const redactors = { stdout: redactorOf(), stderr: redactorOf(), kept: redactorOf() };
  // One for all texts, each of them flushed: they are many and short, and a redactor has room for the longest secret.
  const cleaner = createRedactor(secrets.sought);
  const marks = createMarks();
  const shaped = (stream: 'stdout' | 'stderr', bytes: Buffer): Buffer =>
    isFollowed ? marks.ofAgent(stream, bytes) : bytes;
  // Both streams, and whoever follows an agent, write into one file: one after the other.
  let queue: Promise<void> = Promise.resolve();
  const pass = (stream: 'stdout' | 'stderr', piece: () => Buffer): Promise<void> => {
    queue = queue.then(async () => {
      const bytes = piece();
      if (bytes.length === 0) return;
      const { kept, offset } = await transcript.append(bytes);
      if (kept > 0) report(stream, bytes.subarray(0, kept), offset);
      if (kept < bytes.length) report(stream, bytes.subarray(kept), undefined);
    });
    return queue;
  };
  const take = (source: keyof typeof sources, bytes: Buffer): Promise<void> => {
    const stream = sources[source];
    totals[stream] += bytes.length;
    return pass(stream, () => shaped(stream, redactors[source].push(bytes)));
  };
  return {
    totals,
    onOutput: take,
    keep: (lines) => take('kept', lines),
    note(lines) {
      for (const line of lines) totals.stderr += Buffer.byteLength(line);
      // What is held back stays so, and comes after it: it may be the beginning of a secret whose end has not come yet.
      return pass('stderr', () => Buffer.concat(lines.map((line) => marks.ofNode('stderr', line))));
    },
    clean(text) {
      return Buffer.concat([cleaner.push(Buffer.from(text)), cleaner.flush()]).toString('utf8');
    },
    async flush() {
      for (const source of ['stdout', 'stderr', 'kept'] as const) {
        const stream = sources[source];
        await pass(stream, () => shaped(stream, redactors[source].flush()));
      }
    },
  };
}

/** What becomes a `Run` once its process has started. */
export interface RunParts {
  readonly spec: Pick<RunSpec, 'task' | 'timeoutMs' | 'maxOutputBytes'>;
  readonly process: Spawned;
  /** Absent: its runner is no agent. */
  readonly conversation?: Conversation | undefined;
  readonly capture: Pick<Capture, 'totals'> & Partial<Pick<Capture, 'clean'>>;
  readonly transcript: Pick<TranscriptWriter, 'fault' | 'isCut' | 'close'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when the process tree is gone, before the transcript is closed. */
  readonly settle?: () => Promise<void>;
}

/** How long an agent that was asked to stop has before its process tree is ended, milliseconds. */
const INTERRUPT_MS = 2_000;

/** A run whose folders are not its own business. */
export type StartedRun = Omit<Run, 'release' | 'files' | 'isolation' | 'redact' | 'clean'>;

/** Watches a started process: its time limit, the first cause of its end, its report. */
export function createRun(parts: RunParts): StartedRun {
  const { spec, process, conversation, capture, transcript, clock, logger, settle } = parts;
  const startedAtMs = clock.nowMs();
  let cause: StopCause | { readonly kind: 'dismissed' } | undefined;
  let interrupted = false;
  const end = (wanted: NonNullable<typeof cause>): void => {
    cause ??= wanted;
    process.stop();
  };
  const stop = (wanted: StopCause): void => {
    interrupted ||= cause === undefined && conversation?.interrupt?.() === true;
    if (!interrupted) end(wanted);
    else if (cause === undefined) cancelEnd = clock.setTimer(INTERRUPT_MS, () => process.stop());
    cause ??= wanted;
  };
  let cancelEnd: Cancel = () => {};
  conversation?.begin({ input: process.input, dismiss: () => end({ kind: 'dismissed' }) });
  void process.exited.then(() => conversation?.gone?.());
  const cancelTimer = clock.setTimer(spec.timeoutMs, () => stop({ kind: 'timeout' }));
  const finish = async (): Promise<RunReport> => {
    const end = await process.done;
    cancelTimer();
    cancelEnd();
    const agent = await reportOf(conversation, capture);
    if (end.refused.length > 0 || end.held) {
      const pids = end.refused.length > 0 ? end.refused.join(' ') : 'none that is found, and still alive';
      logger.error('processes of a task could not be ended and are left', { task: spec.task, pids });
    }
    const endedAtMs = clock.nowMs();
    await settle?.();
    const kept = await transcript.close();
    const { stdout, stderr } = capture.totals;
    return {
      ending: endingOf({ ...end, stopped: end.stopped || interrupted }, cause, spec.timeoutMs),
      truncated: stdout + stderr > spec.maxOutputBytes || transcript.isCut || transcript.fault !== undefined,
      ...(transcript.fault === undefined ? {} : { unwritten: transcript.fault }),
      stdoutBytes: stdout,
      stderrBytes: stderr,
      startedAtMs,
      endedAtMs,
      ...(kept === undefined ? {} : { transcript: kept }),
      ...(agent === undefined ? {} : { agent }),
    };
  };
  return { pid: process.pid, stop, done: finish() };
}

/** What the agent said, without the secrets that it may have said. */
async function reportOf(
  conversation: Conversation | undefined,
  { clean }: RunParts['capture'],
): Promise<AgentReport | undefined> {
  const report = await conversation?.finish();
  if (report?.message === undefined || clean === undefined) return report;
  return { ...report, message: clean(report.message) };
}

/** The first cause wins: a stop counts only where it reached the process while that still ran. */
function endingOf(
  end: ProcessEnd,
  cause: StopCause | { readonly kind: 'dismissed' } | undefined,
  timeoutMs: number,
): Ending {
  if (end.stopped && cause?.kind === 'cancel') return { kind: 'cancel', cause: cause.cause };
  if (end.stopped && cause?.kind === 'timeout') return { kind: 'timeout', timeoutMs };
  if (end.stopped && cause?.kind === 'dismissed') return { kind: 'dismissed' };
  if (end.exitCode !== null) return { kind: 'exit', exitCode: end.exitCode };
  return { kind: 'signal', signal: end.signal ?? 'SIGKILL' };
}
