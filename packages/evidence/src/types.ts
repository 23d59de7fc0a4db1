import type { Clock, Random } from '@writ/core';

/** What a call of git is for; the name that an error gives to a failing step. */
export type GitStep =
  | 'init'
  | 'base'
  | 'index'
  | 'scan'
  | 'add'
  | 'restore'
  | 'tree'
  | 'commit'
  | 'changes'
  | 'patch'
  | 'bundle'
  | 'unpack'
  | 'inspect'
  | 'conflicts'
  | 'fetch'
  | 'checkout';

/** One call of git. Arguments are never put through a shell. */
export interface GitCall {
  readonly step: GitStep;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Permissions that it makes files without, 0 to 0o777; absent: those of this process. */
  readonly umask?: number;
  readonly input?: Uint8Array;
  /** A file whose content becomes the standard input, instead of `input`. */
  readonly inputFile?: string;
  readonly timeoutMs: number;
  /** More than this on standard output is a failure. */
  readonly maxOutputBytes: number;
  /** Kills it. */
  readonly signal?: AbortSignal;
}

/** What a call of git came to. `exitCode` is null where it was ended, or never started. */
export interface GitAnswer {
  readonly exitCode: number | null;
  readonly stdout: Uint8Array;
  /** Why it failed, one line; where it did not, all lines that it wrote to standard error, mostly none. Made visible. */
  readonly reason: string;
}

/** Port: runs git. May not throw: what goes wrong is an answer without exit code 0. */
export type GitPort = (call: GitCall) => Promise<GitAnswer>;

/** Git in a place where it sees little of the machine. */
export interface GitRoom {
  readonly git: GitPort;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

/**
 * Port: opens a place in which git sees these folders (absolute, real), the system's programs, and nothing else; undefined where
 * this machine has no such place.
 */
export type OpenGitRoom = (shown: {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly path: string;
  readonly timeoutMs: number;
  /** Kills what runs there. */
  readonly signal?: AbortSignal;
}) => Promise<GitRoom | undefined>;

/** Digest and size of something stored by content. */
export interface Stored {
  /** SHA-256, lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/** Files stored by their SHA-256; a name never becomes a path. */
export interface ContentStore {
  /** Copies a stream of bytes in; refuses with EVIDENCE_FAILED what is longer than `maxBytes`, keeping nothing. */
  put(content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Stored>;
  putBytes(content: Uint8Array): Promise<Stored>;
  /** Bytes from `offset`, at most `limit`; undefined where there is no such content. Not checked against the digest. */
  read(sha256: string, offset: number, limit: number): Promise<Uint8Array | undefined>;
  /** The whole content, checked. Throws NOT_FOUND, EVIDENCE_INVALID where the file has changed or is too long. */
  load(sha256: string, maxBytes: number): Promise<Uint8Array>;
  /** Absolute path of the file that holds it, for git to read. Throws NOT_FOUND. */
  pathOf(sha256: string): Promise<string>;
  remove(sha256: string): Promise<void>;
  /** Makes content of so many bytes count as stored now, as `removeUnused` sees it. False where there is none. */
  renew(sha256: string, bytes: number): Promise<boolean>;
  /**
   * Removes what was stored before `beforeMs` (milliseconds since the epoch) and what nothing names, which is asked right
   * before. True where it is gone. Synchronous, so that whoever stores it, or finds it here, comes before or after.
   */
  removeUnused(sha256: string, beforeMs: number, isNamed: () => boolean): boolean;
}

/** A path inside a repository. Bytes that are no UTF-8 travel as base64. */
export interface RepoPath {
  readonly path: string;
  readonly encoding: 'utf8' | 'base64';
}

/** One changed file; `mode` as git writes it (`100644`, `120000`, …), `000000` where there is none. */
export interface ChangedFile extends RepoPath {
  /** Added, modified, deleted, or of another type than before. */
  readonly status: 'A' | 'M' | 'D' | 'T';
  readonly oldMode: string;
  readonly mode: string;
  /** Changed lines; null for binary content. */
  readonly insertions: number | null;
  readonly deletions: number | null;
}

/** What became of the files of a workspace. Hex object ids. */
export type Changes =
  | {
      readonly kind: 'none';
      readonly base: string | null;
      readonly tree: string;
      /**
       * What is called `.git` below the root, or what some file system takes for that, at least one: git directories of
       * repositories inside. Neither followed nor taken in; the files beside them count like any others.
       */
      readonly refused?: readonly RepoPath[];
    }
  | {
      readonly kind: 'changed';
      readonly base: string | null;
      readonly head: string;
      readonly tree: string;
      readonly files: readonly ChangedFile[];
      readonly insertions: number;
      readonly deletions: number;
      readonly patch: Stored;
      readonly bundle: Stored;
      readonly refused?: readonly RepoPath[];
    };

/** How much a workspace may hold and its evidence may take. */
export interface CollectLimits {
  /** Entries below the workspace, ignored ones too. */
  readonly maxEntries: number;
  readonly maxChangedFiles: number;
  readonly maxFileBytes: number;
  /** Sum over all files that are tracked or could be. */
  readonly maxTotalBytes: number;
  readonly maxPatchBytes: number;
  readonly maxBundleBytes: number;
  /** For everything together. */
  readonly timeoutMs: number;
}

/** What every piece of git work in this package needs. */
export interface GitWork {
  readonly git: GitPort;
  /** Where git looks at files of others; undefined: wherever `git` runs. */
  readonly openRoom: OpenGitRoom | undefined;
  /** Absolute directory of the node's own for git directories, made (0700) where it is missing. */
  readonly gitDirRoot: string;
  /** Decides how a place is opened without following a link. */
  readonly platform: NodeJS.Platform;
  /** PATH for git's own helpers. */
  readonly path: string;
  readonly clock: Clock;
  readonly random: Random;
}

export interface CollectRequest extends GitWork {
  /** Real, absolute path of the task's files. */
  readonly workspaceDir: string;
  /** Full id of the commit that the task began with; undefined for a repository without commits. */
  readonly base: string | undefined;
  /** A repository that the node trusts and that holds `base`; never the task's own clone. Needed with `base`. */
  readonly baseRepository?: string;
  /** Absent: what `base` is, or `sha1`. */
  readonly objectFormat?: 'sha1' | 'sha256';
  /** Who makes the commit. */
  readonly nodeId: string;
  readonly task: string;
  /** Gets the patch and the bundle. */
  readonly store: ContentStore;
  readonly limits: CollectLimits;
}

/** One artifact of a task. `name` is shown and compared; it is never used as a path. */
export interface Artifact extends Stored {
  readonly name: string;
}

export interface ArtifactLimits {
  readonly maxArtifacts: number;
  readonly maxArtifactBytes: number;
  readonly maxTotalBytes: number;
  /** Entries that are looked at for patterns. */
  readonly maxEntries: number;
  /** Comparisons of a character with one of a pattern, for everything together: about 300 million take a second. */
  readonly maxSteps: number;
}

/** How much a bundle may hold. */
export interface BundleLimits {
  readonly maxBundleBytes: number;
  readonly maxObjects: number;
  /** Of one object, unpacked. */
  readonly maxObjectBytes: number;
  /** Of all objects, unpacked; also of what its head has more than once. */
  readonly maxUnpackedBytes: number;
  /** That a checkout of its head would make. */
  readonly maxFiles: number;
  readonly timeoutMs: number;
}
