/** `deny`: none · `allow`: all but this machine and its link · a list of `host:port`. */
export type Network = 'deny' | 'allow' | readonly string[];

/** Whether a task must be sandboxed. */
export type Isolation = 'required' | 'none';

/** One argument pattern list: literal arguments, `*` for exactly one, a final `**` for any number. */
export type CommandPattern = readonly string[];

/** A profile with every default filled in. */
export interface Profile {
  readonly name: string;
  /** As declared, folded and normalised; `closure` is what rules look at. */
  readonly capabilities: readonly string[];
  /** Capabilities with what they imply, and `shell` as a member; sorted. */
  readonly closure: readonly string[];
  /** Highest tier in the closure, or a higher declared one: 0 to 4. */
  readonly rank: number;
  readonly runner: string;
  readonly shell: 'allow' | 'deny';
  readonly network: Network;
  readonly requireExplicit: boolean;
  readonly requireLease: boolean;
  readonly requireApproval: boolean;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly onOverflow: 'fail' | 'truncate';
  readonly isolation: Isolation;
  readonly retry: 'never' | 'safe';
  readonly onPartition: 'cancel' | 'continue';
  /** Argument lists that may run although the shell is denied. */
  readonly commands: readonly CommandPattern[];
  /** Only these of the workspaces that the peer has; absent: all of them. */
  readonly workspaces?: readonly string[];
  readonly readPaths: readonly string[];
  /** Names of environment variables that pass from the node to the task. */
  readonly env: readonly string[];
  readonly secrets: readonly string[];
  readonly artifacts: readonly string[];
}

/** The drivers that there are; `shell` takes an argv, each other one a prompt. */
export const RUNNER_KINDS = ['command', 'acp', 'codex', 'claude'] as const;

/** A configured or built-in runner. */
export interface RunnerConfig {
  readonly name: string;
  readonly kind: 'shell' | (typeof RUNNER_KINDS)[number];
  /**
   * Of a `command` runner the template, of an `acp` runner the program and its arguments: `{prompt}` (of a `command`
   * runner alone) and `{workspace}` are replaced inside arguments, never through a shell. Of `codex` and `claude` what
   * stands in front of the driver's own arguments; empty for the program of that name.
   */
  readonly argv: readonly string[];
}

export interface WorkspaceConfig {
  readonly name: string;
  /** As written; `~` and relative paths are resolved by the composition root. */
  readonly path: string;
  /** Clones that are to stand ready. */
  readonly ready: number;
}

/** What is kept on the disk. */
export interface StorageConfig {
  /** Of clones that are kept or stand ready. */
  readonly budgetBytes: number;
  /** How long the clone of a completed task is kept; undefined: not at all. */
  readonly doneMs?: number;
  readonly failedMs: number;
  readonly orphanedMs: number;
  /** How long transcripts of tasks of this node are kept; undefined: as long as the tasks. */
  readonly transcriptsMs?: number;
  /** How long tasks that are over are kept, and all that belongs to them. */
  readonly keepTasksMs: number;
}

export interface Limits {
  /** Undefined: no limit. */
  readonly maxConcurrent?: number;
  readonly tasksPerHour?: number;
}

/** What a subject (a peer, or `self`) may ask for here. */
export interface SubjectRules {
  readonly profiles: readonly string[];
  readonly workspaces: readonly string[];
  readonly maxDepth: number;
  readonly enabled: boolean;
  readonly mayRequestLease: boolean;
  readonly acceptOrigins: readonly string[];
  readonly ceilings: Readonly<Record<string, string>>;
  readonly limits: Limits;
}

/** What this machine's agents may ask of a peer (the peer's names). */
export interface OutboundRules {
  readonly profiles: readonly string[];
  readonly workspaces: readonly string[];
  readonly ship: boolean;
}

export interface PeerConfig extends SubjectRules {
  readonly label: string;
  /** Node id, folded. */
  readonly id: string;
  /** `host:port`; absent for a peer that only dials in. */
  readonly address?: string;
  readonly outbound: OutboundRules;
}

/** One more rule that classifies commands. */
export interface CommandRule {
  readonly match: CommandPattern;
  readonly class: 'read' | 'config-mutation' | 'destructive';
  /** Capabilities that such a command needs. */
  readonly needs: readonly string[];
  /** Place in the argv of the argument that is the target, 1 being the first after the program. */
  readonly target?: number;
  /** Of a change that waits: it makes no command known or milder, and gives no target; it may only make one stricter. */
  readonly onlyStricter?: true;
}

/** An MCP server that is offered through this node; exactly one of `command` and `url`. */
export interface UpstreamConfig {
  readonly name: string;
  readonly command?: readonly string[];
  readonly url?: string;
  readonly env: readonly string[];
  readonly sessionArgument?: string;
  /** Tools that agents of this node may call; `*` is every one. */
  readonly agents: readonly string[];
  /** Tools that tasks may call that run here under one of `profiles`. */
  readonly tasks: readonly string[];
  readonly profiles: readonly string[];
}

/** The whole effective configuration, immutable. */
export interface Config {
  readonly node: {
    readonly name: string;
    /** `host:port` of the mesh listener; undefined: this node only dials out. */
    readonly listen?: string;
    readonly defaultProfile?: string;
    readonly maxChain: number;
  };
  readonly gateway: { readonly listen?: string };
  /** Each is collected only where it is there: the URL that traces go to, the loopback address where metrics are read. */
  readonly telemetry: { readonly traces?: string; readonly metrics?: string };
  readonly leases: { readonly maxMs: number };
  readonly approvals: {
    readonly mode: 'passphrase' | 'terminal';
    readonly fallback: 'deny';
    readonly maxPending: number;
  };
  readonly storage: StorageConfig;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly runners: ReadonlyMap<string, RunnerConfig>;
  readonly workspaces: ReadonlyMap<string, WorkspaceConfig>;
  /** Node-wide: profile → the profile it is cut down to. */
  readonly ceilings: Readonly<Record<string, string>>;
  /** By label. */
  readonly peers: ReadonlyMap<string, PeerConfig>;
  /** Label → id: origins that are named but are no peers. */
  readonly origins: ReadonlyMap<string, string>;
  readonly self: SubjectRules;
  readonly commands: readonly CommandRule[];
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
}
