/** What of the machine a run may reach; its own HOME, TMPDIR and the system's programs it always has. */
export interface Reach {
  /** `none`: an empty folder stands in the workspace's place. */
  readonly workspace: 'none' | 'read' | 'write';
  /** A writable folder beside the workspace. */
  readonly scratch: boolean;
  /** Paths outside the workspace that may be read, as the configuration writes them. */
  readonly readPaths: readonly string[];
  /** `deny`: none · `allow`: all but this machine and its link · a list of `host:port`. */
  readonly network: 'deny' | 'allow' | readonly string[];
  /** Names of secrets that are handed over as files. */
  readonly secrets: readonly string[];
}

/** One thing that a sandbox shows besides the system. */
export interface Mount {
  /** Absolute and real; the same inside as outside. */
  readonly path: string;
  /** `empty`: a folder that nothing is in and nothing can be put into, whatever is there outside. */
  readonly as: 'read' | 'write' | 'empty';
}

/** What a sandbox is told. */
export interface Confinement {
  /** Working directory of the program. */
  readonly cwd: string;
  /** In their order: a later one lies over an earlier one. */
  readonly mounts: readonly Mount[];
}

/** What a sandbox of this machine can do, as it was found by starting one. */
export interface SandboxFeatures {
  readonly kind: 'bubblewrap';
  /** Absolute path of `bwrap`. */
  readonly program: string;
  /** For `TOLD_FD`: which system calls programs inside can make. */
  readonly filter: Uint8Array;
  /** A program inside can make no namespaces of its own. */
  readonly sealed: boolean;
  /** Absolute path of `socat`, which an allowlisted network is led through; absent: there is no network inside. */
  readonly bridge?: string;
  /** Absolute path of `prlimit`; absent: nothing is limited but time and output. */
  readonly limiter?: string;
  /** What is limited besides time and output, for a person. */
  readonly limits: readonly string[];
}

/** What was found when a sandbox was tried. */
export type SandboxReport =
  | { readonly available: true; readonly features: SandboxFeatures }
  | {
      readonly available: false;
      /** One line, lower case. */
      readonly reason: string;
      readonly nextSteps: readonly string[];
    };
