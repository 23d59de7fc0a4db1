import type { SessionKey } from '@writ/lease-store';
import type { Isolation, Network } from '@writ/policy';

/** A command as it is asked for, and stored until it may run. */
export interface ActionRequest extends SessionKey {
  readonly agent: string;
  readonly argv: readonly string[];
  /** Absolute working directory. */
  readonly cwd: string;
  /** Standard input, base64; absent: none. */
  readonly stdin?: string;
  readonly profile: string;
  readonly runner: string;
  readonly network: Network;
  readonly isolation: Isolation;
  /** Canonical `host/kind/name` of what it acts on. */
  readonly target?: string;
  /** Argument lists of the commands inside it, wrappers taken off, as they were classified. */
  readonly inner: readonly (readonly string[])[];
}

/** The environment that the command would get, whole. */
export interface ActionEnvironment {
  readonly values: Readonly<Record<string, string>>;
  /** Names whose values are neither shown nor stored. */
  readonly secretNames: ReadonlySet<string>;
  /** This node's own key for fingerprints of secrets: a plain digest of a short one could be guessed. */
  readonly sealKey: Uint8Array;
}

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

/** What runs a script: an absolute path, and what follows it in the first line as one argument. */
export interface Interpreter {
  readonly path: string;
  readonly argument?: string;
}

/** A file whose content was read whole and that stays what it was read as: a private copy, or an open descriptor. */
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
  /** What the first line of a script names. */
  readonly interpreter?: Interpreter;
  release(): Promise<void>;
}

/** The file system as actions need it. Paths are absolute. */
export interface ActionFiles {
  /** Undefined: nothing is there. */
  inspect(path: string): Promise<PathFact | undefined>;
  /** Undefined: it is larger than `mostBytes`, or no file any more. */
  hold(path: string, mostBytes: number): Promise<HeldFile | undefined>;
}

/** A file by its content. */
export interface BoundFile {
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** One variable: its value, or a fingerprint of a value that is a secret. */
export type BoundVariable =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly sealed: string };

/** Everything that decides what happens when a command runs. Its digest is what is approved. */
export interface Action {
  readonly request: ActionRequest;
  /** Programs by content: the one that is started, then those inside it, then what runs those that are scripts. */
  readonly programs: readonly BoundFile[];
  /** Files that arguments name, by content, in order of path. */
  readonly files: readonly BoundFile[];
  readonly directory: Pick<PathFact, 'device' | 'inode' | 'born'> & { readonly path: string };
  /** In order of name. */
  readonly environment: readonly BoundVariable[];
}

/** An action and the files that it was read from. */
export interface HeldAction {
  readonly action: Action;
  readonly digest: string;
  /** Path as the action names it → where its content is held. */
  readonly held: ReadonlyMap<string, string>;
  /** What runs the program where that is a script, and what runs that where it is one too; each is held. */
  readonly interpreters: readonly Interpreter[];
  /** The argument that an interpreter runs, by its place, and the file that is held for it. */
  readonly script?: { readonly at: number; readonly path: string };
  /** Folders that arguments name: what is in them is bound by nobody. */
  readonly folders: readonly string[];
  /** Scripts that run from a copy, absolute: each finds nothing that lies beside it. */
  readonly copied: readonly string[];
  release(): Promise<void>;
}
