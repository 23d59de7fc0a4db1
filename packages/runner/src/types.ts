import type { Clock, Logger, Random } from '@writ/core';
import type { AgentFinder } from './agents/types.ts';
import type { GroupsReport } from './control-groups/control-groups.ts';
import type { CommandRuns } from './gated/types.ts';
import type { RunReport, StopCause } from './run-report.ts';
import type { Reach, SandboxReport } from './sandbox/types.ts';
import type { Services } from './services.ts';
import type { ToolAnswer, ToolRequest } from './tool-request.ts';
import type { Clone, Fate, Storage, StorageRules, WorkspaceSource } from './workspaces/types.ts';

export type { Ending, RunReport, StopCause, TranscriptDigest } from './run-report.ts';
export type { ToolAnswer, ToolRequest } from './tool-request.ts';

/** The drivers that there are: `shell` takes an argv, each other one a prompt. */
export type RunnerKind = 'shell' | 'command' | 'acp' | 'codex' | 'claude';

/** A configured or built-in runner. */
export interface RunnerConfig {
  readonly name: string;
  readonly kind: RunnerKind;
  /** Template of a `command` runner, else the program and its first arguments; empty for `shell`, and for a default. */
  readonly argv: readonly string[];
}

/** What is run: an argument vector, or a prompt for the template of a `command` runner. */
export type RunInput =
  | { readonly kind: 'argv'; readonly argv: readonly string[] }
  | { readonly kind: 'prompt'; readonly prompt: string };

/** Argv patterns (`*` is exactly one argument, a final `**` any number), or `allow` for any argv. */
export type CommandRule = 'allow' | readonly (readonly string[])[];

/** The way of a run back to its own node: a Unix socket, and the token that it takes. */
export interface TaskAccess {
  readonly socket: string;
  readonly token: string;
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
  readonly input: RunInput;
  /** Absent: an empty scratch folder. */
  readonly workspace?: WorkspaceSource;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly onOverflow: 'fail' | 'truncate';
  /** `required`: in a sandbox or not at all. */
  readonly isolation: 'required' | 'none';
  /** What of the machine it may reach; in force in a sandbox only. */
  readonly reach: Reach;
  /** Names of the node's environment variables that pass. */
  readonly env: readonly string[];
  /** Where, and with which secret, the run reaches its own node; absent: it does not. */
  readonly access?: TaskAccess;
  readonly commands: CommandRule;
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

/** The files of a run, there until it is released. */
export interface RunFiles {
  /** Real, absolute path of the working directory. */
  readonly dir: string;
  /** Absent: the run had no workspace, `dir` was empty scratch space. */
  readonly clone?: Clone;
}

/** What a run was confined by; `none`: it has the rights of the node's own user; `+cgroup`: it was limited as a whole. */
export type IsolationLevel = 'bubblewrap' | 'bubblewrap+cgroup' | 'none' | 'none+cgroup';

/** A run under way. */
export interface Run {
  readonly pid: number;
  /** What it runs in. */
  readonly isolation: IsolationLevel;
  readonly files: RunFiles;
  /** Resolves when the process tree is gone and the output is drained; never rejects. */
  readonly done: Promise<RunReport>;
  /**
   * Gives the files back, once `done`: they are kept as the rules say about their fate, or removed. No fate: there is
   * nothing in them that anybody needs. Calling it twice is harmless. Closing the runner does it too, and keeps a clone
   * that nobody has told the fate of.
   */
  release(fate?: Fate): void;
  /**
   * From now on this stands in nothing of the run's output that is kept. False, and it stays as it was, where that would be more
   * than a run is told: 32 secrets, 32 KiB together.
   */
  redact(secret: string): boolean;
  /** A text of the run's without its secrets. */
  clean(text: string): string;
  /** TERM, grace, KILL, escaped children too. The first cause wins. */
  stop(cause: StopCause): void;
}

/** Folders that stand ready for one run. */
export interface PreparedRun {
  /**
   * Spawns, in the workspace that was prepared, whatever else of the spec has changed since. Rejects before anything of
   * the task ran, with COMMAND_NOT_ALLOWED, ISOLATION_UNAVAILABLE, RUNNER_UNAVAILABLE (the runner's program or the
   * spawner is missing), WORKER_FAILED (the program of a `shell` argv is missing), SHUTTING_DOWN or BAD_REQUEST; the
   * folders are given back then; else when the run is released. To be called once.
   */
  start(spec: RunSpec, sink: RunSink): Promise<Run>;
  /** Gives the folders back; without effect after `start`. */
  discard(): void;
}

/** One call of git for the node itself. */
export interface GitCall {
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment; only the mark that the process is found by is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Permissions that it makes files without, 0 to 0o777; absent: the node's own. */
  readonly umask?: number;
  readonly input?: Uint8Array;
  /** Absolute path of a file whose content becomes the standard input, instead of `input`. */
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

/** What a room shows of this machine besides the system. */
export interface GitRoomSpec {
  /** Absolute, real and there. */
  readonly read: readonly string[];
  /** The same; there is at least one. */
  readonly write: readonly string[];
  /** PATH, by which git is found. */
  readonly path: string;
  /** For everything together. */
  readonly timeoutMs: number;
  /** Kills it. */
  readonly signal?: AbortSignal;
}

/** A sandbox without a network in which git runs for the node itself, one call after the other. */
export interface GitRoom {
  /** Never rejects. What has to be ended (late, too much, unwanted) ends the room: further calls fail. */
  git(call: GitCall): Promise<GitAnswer>;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

/** Starts and ends the processes of tasks. */
export interface TaskRunner {
  /**
   * Looks whether the spec may run at all, then makes its folders and clones its workspace, by processes that carry the
   * spec's nonce. When `signal` aborts, those are killed at once. Rejects, with none of them left, with
   * COMMAND_NOT_ALLOWED, ISOLATION_UNAVAILABLE, GIT_FAILED (the workspace could not be prepared), CANCELLED (aborted),
   * SHUTTING_DOWN or BAD_REQUEST.
   */
  prepare(spec: RunSpec, signal: AbortSignal): Promise<PreparedRun>;
  /**
   * Runs git away from this process, for the node's own work. What it leaves behind ends with it, and it ends with the
   * node. Never rejects: what goes wrong is an answer without exit code 0.
   */
  git(call: GitCall): Promise<GitAnswer>;
  /** What a sandbox of this machine can do, as far as there is one. */
  sandbox(): Promise<SandboxReport>;
  /** Whether what a run takes is limited as a whole. */
  groups(): Promise<GroupsReport>;
  /** Opens a room for git; undefined where this machine has no sandbox, or git is no part of what one shows. */
  gitRoom(spec: GitRoomSpec): Promise<GitRoom | undefined>;
  /** Agents that are installed on this machine. */
  readonly agents: AgentFinder;
  /** Gated commands, on this machine and in no folder of their own. */
  readonly commands: CommandRuns;
  /** Programs that answer on standard input and output while the node runs. */
  readonly services: Services;
  /**
   * Ends every process that carries one of these nonces, every call of `git`, and whatever else an earlier node with the
   * same folders left; returns how many it found. For recovery, before `git` is called.
   */
  endStray(nonces: readonly string[]): Promise<number>;
  /** Transcript bytes of a task from `offset`, at most `limit`; fewer at the end, none where there is no transcript. */
  readTranscript(task: string, offset: number, limit: number): Promise<Uint8Array>;
  /** Of a task that is kept no more. Calling it twice is harmless. */
  removeTranscript(task: string): Promise<void>;
  /** What takes room on the disk, and how long. */
  readonly storage: Storage;
  /** The node goes down: a spawner that does not answer is given up within seconds, and what it ran counts as killed. */
  hasten(): void;
  /** Ends what runs as cancelled, removes the workspaces and ends the spawner. Calling it twice is harmless. */
  close(): Promise<void>;
}

/** What a task runner is built from. */
export interface TaskRunnerOptions {
  /** Absolute folders, made (0700) where they are missing; no other process may use them. */
  readonly root: {
    readonly workspaces: string;
    readonly transcripts: string;
    /** Of what commands write. */
    readonly outputs: string;
    /** Sockets of runs that have a network; short, since a socket's address is. */
    readonly sockets: string;
    /** Files of secrets that profiles name, put there by a person. */
    readonly secrets: string;
  };
  /** The Node.js binary and the bundled `spawner/main.ts` that it runs, and how often it is asked whether it works (5,000 ms). */
  readonly spawner: { readonly node: string; readonly script: string | URL; readonly askEveryMs?: number };
  /** Files and folders of programs that every sandbox shows, absolute: the node's own, for tasks that talk to it. */
  readonly programs: readonly string[];
  /** The node's own folders, absolute: no sandbox shows what is in them. */
  readonly hidden: readonly string[];
  /** A path of a profile's `read_paths` as an absolute one. */
  readonly resolvePath: (path: string) => string;
  /** The node's own environment; runs see only what is allowed of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** What is kept of workspaces and made ahead of them; asked each time. */
  readonly storage: {
    readonly rules: () => StorageRules;
    /** Whether anything may be removed by the time: where not, clones go for the budget alone. */
    readonly isTimeBelieved: () => boolean;
    /** How many clones of a workspace are to stand ready; 0: none, as of one that is elsewhere now. */
    readonly ready: (workspace: Pick<WorkspaceSource, 'name' | 'path'>) => number;
  };
  /** Most bytes that the transcript of one task may hold. */
  readonly transcriptCapBytes: number;
  /** Time between TERM and KILL, milliseconds; 2000 where absent. */
  readonly graceMs?: number;
}
