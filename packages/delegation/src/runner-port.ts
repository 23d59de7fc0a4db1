import type { Json } from '@writ/core';
import type { Stored } from '@writ/evidence';
import type { Network, RunnerConfig } from '@writ/policy';
import type { Ending, TaskSpec } from '@writ/task-store';

/** What of the machine a run may reach; its own HOME, TMPDIR and the system's programs it always has. */
export interface Reach {
  /** `none`: an empty folder stands in the workspace's place. */
  readonly workspace: 'none' | 'read' | 'write';
  /** A writable folder beside the workspace. */
  readonly scratch: boolean;
  /** Paths outside the workspace that may be read, as the configuration writes them. */
  readonly readPaths: readonly string[];
  /** `deny`: none · `allow`: all but this machine and its link · a list of `host:port`. */
  readonly network: Network;
  /** Names of secrets that are handed over as files. */
  readonly secrets: readonly string[];
}

/** What a runner is told. Everything is decided already; a runner only obeys. */
export interface RunSpec {
  readonly task: string;
  /** Who asked for it: the id of a node, or `self`. What is kept of its runs takes room of its own. */
  readonly sender: string;
  readonly epoch: number;
  /** Marks every process of this attempt, for finding and ending them. */
  readonly nonce: string;
  readonly runner: RunnerConfig;
  readonly input: TaskSpec['input'];
  /** Source repository and ref; absent: an empty scratch folder. */
  readonly workspace?: {
    readonly name: string;
    readonly path: string;
    readonly ref?: string;
    /** Work that was sent along, instead of `ref`: a repository that holds the commit, there until the run is released. */
    readonly shipped?: { readonly repository: string; readonly commit: string };
  };
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly onOverflow: 'fail' | 'truncate';
  /** `required`: in a sandbox or not at all. */
  readonly isolation: 'required' | 'none';
  /** What of the machine it may reach; in force in a sandbox only. */
  readonly reach: Reach;
  /** Names of the node's environment variables that pass. */
  readonly env: readonly string[];
  /** Where, and with which secret, the task reaches its own node; absent: it does not. */
  readonly access?: { readonly socket: string; readonly token: string };
  /** `allow`: any argv; a list: only argv that match one of the patterns. */
  readonly commands: 'allow' | readonly (readonly string[])[];
  /** The closure of what was granted, by which an agent's own tools are chosen. */
  readonly rights: readonly string[];
}

/** What a run reports while it goes. Called in order; may not throw. */
export interface RunSink {
  /** `bytes` were appended to the transcript at `offset`; or only counted, when `offset` is undefined (over the cap). */
  output(stream: 'stdout' | 'stderr', bytes: Uint8Array, offset: number | undefined): void;
  /** Whether an agent may do what it asks leave for; absent: it may not. Rejects once `signal` is aborted. */
  readonly permit?: (request: ToolRequest, signal: AbortSignal) => Promise<ToolAnswer>;
}

/** A tool call that an agent asks leave for. Everything in it is the agent's own claim. */
export interface ToolRequest {
  readonly kind: 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'fetch' | 'other';
  /** What the agent calls it; one line, made visible. */
  readonly title: string;
  /** Files that it says the call is about. */
  readonly paths: readonly string[];
  /** What it would be called with; null where the agent does not say. */
  readonly input: Json;
  /** What would stand in files afterwards, where the agent says so. */
  readonly changes: readonly ToolChange[];
  /** It was told before what more the call is about, and that is not kept: what is said here is not all. */
  readonly untold?: true;
}

/** A file as an agent would write it. */
export interface ToolChange {
  readonly path: string;
  /** What would be replaced; absent: the file is new. */
  readonly before?: string;
  readonly after: string;
}

/** The answer: by whom, where a person gave it, or a reason that the agent may read. */
export type ToolAnswer =
  | { readonly allowed: true; readonly by?: string }
  | { readonly allowed: false; readonly reason: string };

/** What an agent itself said came of its work, beside how its process ended. The worse of the two counts. */
export interface AgentReport {
  /** `unfinished`: it never said. */
  readonly verdict: 'completed' | 'failed' | 'unfinished';
  /** In one line, made visible, why it is not completed; absent where it is. */
  readonly message?: string;
  readonly turns: number;
  readonly toolCalls: number;
  /** Tool calls that were refused to it, among them. */
  readonly refusedCalls: number;
  /** What it used, as far as it says. */
  readonly usage?: {
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    /** Millionths of a US dollar. */
    readonly costMicroUsd?: number;
  };
}

/** How a run ended. `failure` explains an ending that is not the work's own doing. */
export interface RunReport {
  readonly ending: Ending;
  readonly truncated: boolean;
  /** Why the disk of this node refused a part of the output; absent: it did not. */
  readonly unwritten?: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Digest and size of what the transcript holds; absent where it could not be written. */
  readonly transcript?: Stored;
  /** What the agent said; absent for a runner that is no agent. */
  readonly agent?: AgentReport;
}

/** The files of a run, there until it is released. */
export interface RunFiles {
  /** Real, absolute path of the working directory. */
  readonly dir: string;
  /** Absent: the run had no workspace, `dir` was empty scratch space. */
  readonly clone?: {
    /** Full id of the commit that it began with; absent: the repository had none. */
    readonly base?: string;
    readonly objectFormat: 'sha1' | 'sha256';
    /** Absolute path of a repository of this node's that holds `base`; never the task's own clone. */
    readonly source: string;
  };
}

/** What became of a run's work, once its end is stored. */
export interface RunFate {
  /** `done`: the task was completed · `failed`: it ended in another way. */
  readonly state: 'done' | 'failed';
  /** `none`: nothing that was changed is kept nowhere else · `unknown`: that could not be established. */
  readonly unbundled: 'none' | 'unknown';
}

/** A run under way. */
export interface Run {
  readonly pid: number;
  /** What it is confined by, as the signed result says it; `none`: it has the rights of the node's own user. */
  readonly isolation: string;
  readonly files: RunFiles;
  /** Resolves when the process tree is gone and the output is drained; never rejects. */
  readonly done: Promise<RunReport>;
  /** Gives the files back, once `done`; what is kept of them is the runner's business. Calling it twice is harmless. */
  release(fate: RunFate): void;
  /** From now on this stands in nothing of the run's output that is kept; false: that would be more than a run is told. */
  redact(secret: string): boolean;
  /** A text of the run's without its secrets. */
  clean(text: string): string;
  /** TERM, grace, KILL, escaped children too. The first cause wins. */
  stop(cause: { readonly kind: 'cancel'; readonly cause: string } | { readonly kind: 'timeout' }): void;
}

/** A place that stands ready for one run. */
export interface PreparedRun {
  /**
   * Only spawns; `spec` may differ from what was prepared in everything but its workspace. Rejects with
   * COMMAND_NOT_ALLOWED, RUNNER_UNAVAILABLE or ISOLATION_UNAVAILABLE before anything was spawned. To be called once.
   */
  start(spec: RunSpec, sink: RunSink): Promise<Run>;
  /** Gives it back unused; without effect after `start`. */
  discard(): void;
}

/** Port: starts and ends the processes of tasks. The runner package implements it. */
export interface TaskRunner {
  /**
   * Prepares the workspace, which may take minutes, by processes that carry the spec's nonce; they are killed at once
   * when `signal` aborts. Rejects, with none of them left, with COMMAND_NOT_ALLOWED, ISOLATION_UNAVAILABLE or GIT_FAILED.
   */
  prepare(spec: RunSpec, signal: AbortSignal): Promise<PreparedRun>;
  /** Ends every process that carries one of these nonces; returns how many it found. For recovery. */
  endStray(nonces: readonly string[]): Promise<number>;
  /** Transcript bytes of a task from `offset`, at most `limit`; fewer at the end. */
  readTranscript(task: string, offset: number, limit: number): Promise<Uint8Array>;
  /** Of a task that is kept no more. Calling it twice is harmless. */
  removeTranscript(task: string): Promise<void>;
  close(): Promise<void>;
}
