import type { RunReport, StopCause } from '../run-report.ts';

/** What is at a path, symbolic links followed. */
export interface PathFact {
  readonly kind: 'file' | 'directory' | 'other';
  /** Without symbolic links. */
  readonly realPath: string;
  /** Decimal. */
  readonly device: string;
  readonly inode: string;
  /** When it was made, nanoseconds since the epoch, decimal; `0` where the file system does not say. */
  readonly born: string;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
}

/** A file whose content was read whole and that stays what it was read as, until it is released. */
export interface HeldFile {
  /** SHA-256 of its content, hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Where exactly this content can be run or read. */
  readonly heldPath: string;
  /** It takes up its size until it is released. */
  readonly isCopy: boolean;
  /** What runs, or would, is a copy in another place: what lies beside the file does not lie beside that. */
  readonly leavesPlace: boolean;
  /** What the first line of a script names: an absolute path, and what follows it as one argument. */
  readonly interpreter?: { readonly path: string; readonly argument?: string };
  release(): Promise<void>;
}

/** Files that commands are made of. Paths are absolute. */
export interface HeldFiles {
  /** Undefined: nothing is there. */
  inspect(path: string): Promise<PathFact | undefined>;
  /** Undefined: it is larger than `mostBytes`, or no file (any more). */
  hold(path: string, mostBytes: number): Promise<HeldFile | undefined>;
  /** What `hold` would hold, of which nothing is kept. Throws CANCELLED once `signal` is aborted. */
  read(path: string, mostBytes: number, signal: AbortSignal | undefined): Promise<HeldFile | undefined>;
}

/** A command that is started exactly so. */
export interface CommandOrder {
  /** Its id; its output is kept under it. */
  readonly id: string;
  /** Absolute path of the file that is executed, whatever `argv[0]` says. */
  readonly program: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Which directory `cwd` has to be, decimal. */
  readonly directory: { readonly device: string; readonly inode: string; readonly born: string };
  /** The whole environment; only the mark that its processes are found by is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input; absent: none. */
  readonly stdin?: Uint8Array;
  readonly timeoutMs: number;
  /** Most bytes of its output that are kept. */
  readonly maxOutputBytes: number;
}

/** A command that runs. */
export interface CommandRun {
  readonly pid: number;
  /** Resolves when the process tree is gone and the output is kept; never rejects. */
  readonly done: Promise<RunReport>;
  /** TERM, grace, KILL, escaped children too. The first cause wins. */
  stop(cause: StopCause): void;
}

/** A piece of a command's output, or how much of it was not kept. */
export interface OutputPiece {
  /** Where it stands; the next read begins at the end of the page. */
  readonly offset: number;
  readonly atMs: number;
  readonly stream: 'stdout' | 'stderr';
  /** Absent: `droppedBytes` of the stream were not kept. */
  readonly data?: Uint8Array;
  readonly droppedBytes?: number;
}

/** Pieces from an offset on, and where to go on. */
export interface OutputPage {
  readonly pieces: readonly OutputPiece[];
  readonly next: number;
}

/** Runs commands and keeps what they write. */
export interface CommandRuns {
  /**
   * Spawns it; `onOutput` is told when more of its output can be read. Rejects where nothing was spawned, with
   * WORKER_FAILED, RUNNER_UNAVAILABLE, CHANGED_SINCE_APPROVAL (another directory), BAD_REQUEST or SHUTTING_DOWN.
   */
  start(order: CommandOrder, onOutput: () => void): Promise<CommandRun>;
  /** Throws BAD_REQUEST for an offset at which no piece begins. */
  readOutput(id: string, offset: number): Promise<OutputPage>;
  /**
   * Removes the output of commands that `isKept` does not know, until `signal`; returns of how many. Of ids that are no UUIDs,
   * which no node gives to commands, output stays: nobody can say from the name of its file which command it is of.
   */
  removeOutputs(isKept: (id: string) => boolean, signal: AbortSignal): Promise<number>;
}
