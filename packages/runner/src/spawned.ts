import type { Failed, StartOrder } from './spawner/frames.ts';

/** What the spawner is asked to start; `env` is complete and exact. */
export type SpawnOrder = StartOrder;

/** Takes output; the run's next bytes beyond a window wait until the promise resolves. */
export type OutputHandler = (stream: 'stdout' | 'stderr', bytes: Buffer) => Promise<void>;

/** How a process came to its end. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** `stop` reached the process while it ran. */
  readonly stopped: boolean;
  /** Pids of its tree that this user may not signal, or that did not end, and that were left. */
  readonly refused: readonly number[];
  /** Somebody of its tree, whether found or not, was alive when that was given up. */
  readonly held: boolean;
}

/** The standard input of a process that was started with `inputOpen`; without effect for any other. */
export interface ProcessInput {
  /** Resolves when the process took the bytes, or nobody takes them any more; never rejects. */
  write(bytes: Uint8Array): Promise<void>;
  /** Closes it behind what was written. */
  end(): void;
}

/** A process that the spawner runs. */
export interface Spawned {
  readonly pid: number;
  readonly input: ProcessInput;
  /** Resolves when the process has ended, whatever is left of its tree and its output; never rejects. */
  readonly exited: Promise<void>;
  /** Resolves when the tree is gone and the last output was handled; never rejects. */
  readonly done: Promise<ProcessEnd>;
  /** TERM, grace, KILL for the whole tree. */
  stop(): void;
}

/** A process, or why none was started. */
export type SpawnResult =
  | { readonly ok: true; readonly process: Spawned }
  | { readonly ok: false; readonly failed: Failed };

/** Starts processes through a spawner child. */
export interface Spawner {
  spawn(order: SpawnOrder, onOutput: OutputHandler): Promise<SpawnResult>;
  /** The node goes down: a spawner that does not answer is given up within seconds. */
  hasten(): void;
  /** Resolves when the spawner has gone; it kills what still runs. */
  close(): Promise<void>;
}
