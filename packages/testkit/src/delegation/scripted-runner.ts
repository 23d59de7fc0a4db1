import { type Clock, sha256Hex, type WritError } from '@writ/core';
import type {
  Ending,
  PreparedRun,
  Run,
  RunFiles,
  RunReport,
  RunSink,
  RunSpec,
  TaskRunner,
  ToolAnswer,
  ToolRequest,
} from '@writ/delegation';
import { createScriptedFiles, type ScriptedFiles } from './scripted-files.ts';
import { createScriptedPreparations, type ScriptedPreparations } from './scripted-preparations.ts';

/** Secrets that a run is told at most. */
const MOST_REDACTED = 32;

/** One run of a scripted runner; the test says what its process does. */
export interface ScriptedRun {
  readonly spec: RunSpec;
  /** Every call of `stop`, in order. */
  readonly stops: readonly Parameters<Run['stop']>[0][];
  /** What may stand in nothing that is kept of its output. */
  readonly redacted: readonly string[];
  readonly ended: boolean;
  readonly files: RunFiles;
  /** How often its files were given back. */
  readonly releases: number;
  /** Writes to the transcript and reports it. */
  output(stream: 'stdout' | 'stderr', text: string): void;
  /** Reports bytes that the transcript does not hold. */
  drop(stream: 'stdout' | 'stderr', bytes: number): void;
  exit(exitCode: number, more?: ScriptedEnd): void;
  /** Asks leave for a tool call, as an agent does. */
  permit(request: Partial<ToolRequest>, signal?: AbortSignal): Promise<ToolAnswer>;
  end(ending: Ending, more?: ScriptedEnd): void;
}

/** What a scripted run reports beside its ending. */
export interface ScriptedEnd {
  readonly truncated?: boolean;
  /** The transcript could not be written, so that it has no digest. */
  readonly untold?: boolean;
}

/** A `TaskRunner` without processes. */
export interface ScriptedRunner extends TaskRunner, ScriptedPreparations {
  /** Every run that was started, in order. */
  readonly runs: readonly ScriptedRun[];
  /** The run of a task, one turn after it was started, so that whoever started it has it too. */
  runOf(task: string): Promise<ScriptedRun>;
  /** Nonces that `endStray` was asked about. */
  readonly strays: readonly string[];
  /** The next starts fail with this, until undefined. */
  failStarts(error: WritError | undefined): void;
  /** Starts wait for this before they spawn. */
  holdStarts(gate: Promise<void> | undefined): void;
  /** Whether a run ends as soon as it is told to stop (it does, unless a test says otherwise). */
  obeyStops(obey: boolean): void;
}

/**
 * `onStart` may end a run at once. `files`: where a run works; absent: in the clone of a repository without commits, or
 * nowhere.
 */
export function createScriptedRunner(options: {
  readonly clock: Clock;
  readonly onStart?: (run: ScriptedRun) => void;
  readonly files?: (spec: RunSpec) => RunFiles;
}): ScriptedRunner {
  const { clock } = options;
  const runs: ScriptedRun[] = [];
  const strays: string[] = [];
  const transcripts = new Map<string, Buffer[]>();
  const places = new Set<ScriptedFiles>();
  const waiting = new Map<string, ((run: ScriptedRun) => void)[]>();
  let failure: WritError | undefined;
  let gate: Promise<void> | undefined;
  let obedient = true;

  const start: PreparedRun['start'] = async (spec, sink) => {
    await gate;
    if (failure) throw failure;
    const { run, scripted } = createRun(spec, sink, {
      clock,
      obeys: () => obedient,
      place: (of) => {
        const place = options.files ? { files: options.files(of), release() {} } : createScriptedFiles(of);
        places.add(place);
        return place;
      },
      transcript: (task) => {
        const pieces = transcripts.get(task) ?? [];
        transcripts.set(task, pieces);
        return pieces;
      },
    });
    runs.push(scripted);
    for (const resolve of waiting.get(spec.task) ?? []) setImmediate(resolve, scripted);
    waiting.delete(spec.task);
    options.onStart?.(scripted);
    return run;
  };

  return {
    ...createScriptedPreparations(start),
    runs,
    strays,
    runOf(task) {
      const run = runs.find(({ spec }) => spec.task === task);
      return new Promise((resolve) => {
        if (run) setImmediate(resolve, run);
        else waiting.set(task, [...(waiting.get(task) ?? []), resolve]);
      });
    },
    async endStray(nonces) {
      strays.push(...nonces);
      return nonces.length;
    },
    async readTranscript(task, offset, limit) {
      return Buffer.concat(transcripts.get(task) ?? []).subarray(offset, offset + limit);
    },
    async removeTranscript(task) {
      transcripts.delete(task);
    },
    async close() {
      // A run whose node was killed, or closed while it went on, was released by nobody.
      for (const place of places) place.release();
    },
    failStarts(error) {
      failure = error;
    },
    holdStarts(promise) {
      gate = promise;
    },
    obeyStops(obey) {
      obedient = obey;
    },
  };
}

function createRun(
  spec: RunSpec,
  sink: RunSink,
  world: {
    readonly clock: Clock;
    readonly obeys: () => boolean;
    readonly place: (spec: RunSpec) => ScriptedFiles;
    readonly transcript: (task: string) => Buffer[];
  },
): { readonly run: Run; readonly scripted: ScriptedRun } {
  const startedAtMs = world.clock.nowMs();
  const stops: Parameters<Run['stop']>[0][] = [];
  const redacted: string[] = [];
  const bytes = { stdout: 0, stderr: 0 };
  let report: (report: RunReport) => void = () => {};
  let ended = false;
  let releases = 0;
  const place = world.place(spec);
  const done = new Promise<RunReport>((resolve) => {
    report = resolve;
  });
  const scripted: ScriptedRun = {
    spec,
    stops,
    redacted,
    files: place.files,
    get ended() {
      return ended;
    },
    get releases() {
      return releases;
    },
    output(stream, text) {
      const pieces = world.transcript(spec.task);
      const piece = Buffer.from(text);
      const offset = pieces.reduce((sum, { length }) => sum + length, 0);
      pieces.push(piece);
      bytes[stream] += piece.length;
      sink.output(stream, piece, offset);
    },
    drop(stream, count) {
      bytes[stream] += count;
      sink.output(stream, new Uint8Array(count), undefined);
    },
    permit(request, signal = new AbortController().signal) {
      if (sink.permit === undefined) throw new Error('nobody answers agents here');
      const whole = { kind: 'other', title: 'a tool', paths: [], input: null, changes: [], ...request } as const;
      return sink.permit(whole, signal);
    },
    exit: (exitCode, more) => scripted.end({ kind: 'exit', exitCode }, more),
    end(ending, more) {
      ended = true;
      const text = Buffer.concat(world.transcript(spec.task));
      report({
        ...{ ending, truncated: more?.truncated ?? false, startedAtMs, endedAtMs: world.clock.nowMs() },
        ...{ stdoutBytes: bytes.stdout, stderrBytes: bytes.stderr },
        ...(more?.untold ? {} : { transcript: { sha256: sha256Hex(text), bytes: text.length } }),
      });
    },
  };
  const stop: Run['stop'] = (cause) => {
    stops.push(cause);
    if (!world.obeys() || ended) return;
    scripted.end(cause.kind === 'timeout' ? { kind: 'timeout', timeoutMs: spec.timeoutMs } : cause);
  };
  const release = (): void => {
    releases += 1;
    place.release();
  };
  return {
    run: {
      pid: 0,
      isolation: spec.isolation === 'none' ? 'none' : 'scripted',
      files: place.files,
      done,
      stop,
      release,
      redact: (secret) => redacted.length < MOST_REDACTED && redacted.push(secret) > 0,
      clean: (text) => redacted.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text),
    },
    scripted,
  };
}
