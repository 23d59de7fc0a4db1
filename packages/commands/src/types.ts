import type { ActionFiles, HeldFile, Refusal } from '@writ/authority';
import type { VerifiedChain } from '@writ/identity';
import type {
  Approval,
  ExecutionClass,
  ExecutionOutcome,
  ExecutionState,
  SentCommand,
  SentCommandNews,
  SentCommandRef,
} from '@writ/lease-store';

/** What runs: an argument list, its standard input, and where. */
export interface CommandStep {
  readonly argv: readonly string[];
  /** Absolute working directory on the executing node; absent: the workspace, or a task's own folder, or `/`. */
  readonly cwd?: string;
  /** Standard input, base64; absent: none. */
  readonly stdin?: string;
}

/** A command as it is asked for, and as the writ for it is bound to it. */
export interface CommandSpec extends CommandStep {
  readonly profile?: string;
  /** What the right is decided for, where the profile is about repositories; its directory, unless `cwd` says another. */
  readonly workspace?: string;
}

/** Several commands that one yes covers: it opens the assent window. */
export interface PlanSpec {
  readonly title: string;
  readonly steps: readonly CommandStep[];
  readonly profile?: string;
  readonly workspace?: string;
  /** The window covers these steps only. */
  readonly onlySteps: boolean;
  /** How long the window is open, milliseconds. */
  readonly windowMs: number;
  /** How often it may be used; absent: unlimited. */
  readonly maxUses?: number;
}

/** What is asked of a node. */
export type Wish =
  | { readonly kind: 'command'; readonly command: CommandSpec }
  | { readonly kind: 'plan'; readonly plan: PlanSpec };

/** Who calls, as credentials proved it; never as the caller declared it. */
export type CommandCaller =
  /** This machine's own agent or person; absent session: it starts nothing. */
  | { readonly kind: 'host'; readonly session?: { readonly id: string; readonly agent: string } }
  /** The agent of a task that runs here; everything else comes from the task. */
  | { readonly kind: 'task'; readonly task: string }
  /** A peer; absent chain: it starts nothing. */
  | { readonly kind: 'peer'; readonly id: string; readonly chain?: VerifiedChain };

/** A gated command as every surface shows it. */
export interface CommandView {
  readonly id: string;
  readonly state: ExecutionState;
  /** What becomes of it, or has: what it waits for, since when and who can answer. */
  readonly why: string;
  readonly class: ExecutionClass;
  readonly needs: readonly string[];
  readonly target?: string;
  readonly profile: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Node id of who asked, or `self`. */
  readonly requestedBy: string;
  readonly task?: string;
  /** The question about it. */
  readonly approval?: string;
  /** The window that it ran under. */
  readonly window?: string;
  readonly lease?: string;
  /** The one that was asked for in its place, since it changed. */
  readonly next?: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  readonly outcome?: ExecutionOutcome;
}

/** A question about a plan. */
export interface QuestionView {
  readonly approval: string;
  readonly state: Approval['state'];
  /** For people: what is waited for and who can answer. */
  readonly why: string;
  readonly expiresAtMs: number;
  readonly steps: readonly Pick<CommandView, 'argv' | 'class' | 'needs' | 'target'>[];
}

/** What became of a wish. */
export type WishAnswer =
  | { readonly accepted: true; readonly command: CommandView }
  | { readonly accepted: true; readonly question: QuestionView }
  | { readonly accepted: false; readonly refusal: Refusal; readonly generation: number };

/** Something about a command that is watched. */
export type WatchedCommand =
  | { readonly kind: 'state'; readonly command: CommandView }
  | {
      readonly kind: 'output';
      readonly stream: 'stdout' | 'stderr';
      readonly atMs: number;
      /** Where watching goes on after this piece. */
      readonly next: number;
      /** Absent: `droppedBytes` were not kept. */
      readonly data?: Uint8Array;
      readonly droppedBytes?: number;
    };

/** Commands of one node, for whoever may ask for them there. */
export interface CommandDesk {
  /**
   * Stores a wish, asks where a person has to say yes, and answers at once; what may run starts by itself. The same key
   * and command is the same execution. Throws BAD_REQUEST, CONFLICT (the key was used for something else), and for a peer
   * WRIT_INVALID; CANCELLED where `signal` aborts before a plan is read to its end.
   */
  ask(caller: CommandCaller, wish: Wish, key: string, signal?: AbortSignal): Promise<WishAnswer>;
  /** Throws NOT_FOUND for one that is not there, or is not the caller's. */
  show(caller: CommandCaller, id: string): CommandView;
  /** The caller's, newest first. */
  list(caller: CommandCaller, limit: number): readonly CommandView[];
  /** What it is now, each change, and its output from an offset on; ends when it has ended. Throws as `show` does. */
  watch(caller: CommandCaller, id: string, offset: number, signal: AbortSignal): AsyncIterable<WatchedCommand>;
  /**
   * Ends it, whether it waits or runs; resolves when no process is left. One that has ended stays as it is. Throws CANCELLED
   * where `signal` aborts before: it is told to end all the same.
   */
  cancel(caller: CommandCaller, id: string, signal: AbortSignal): Promise<CommandView>;
}

/** Port: the same at a peer. Throws UNREACHABLE, or what the peer said. */
export interface PeerCommands {
  execute(request: {
    readonly id: string;
    readonly wish: Wish;
    readonly writs: readonly string[];
  }): Promise<WishAnswer>;
  watchExecution(id: string, offset: number, signal: AbortSignal): AsyncIterable<WatchedCommand>;
  cancelExecution(id: string): Promise<CommandView>;
}

/** Port: what was asked of peers, as this node keeps it. */
export interface SentCommands {
  /**
   * Stores a session of this node's own, that the peer has to hear of its end, and what it is asked for, before that goes
   * out. Throws NOT_FOUND where the session has ended.
   */
  record(wish: OutgoingWish): void;
  /** Keeps what the peer says of a command: `id`, what it calls it; `next`, what it has made in its place. */
  note(
    whose: SentCommandRef,
    news: SentCommandNews,
    what: { readonly isFinal: boolean; readonly id?: string; readonly next?: string },
  ): void;
  /** Newest first. */
  list(limit: number): readonly SentCommand[];
}

/** A wish as it goes out. */
export interface OutgoingWish {
  readonly key: string;
  /** Node id. */
  readonly peer: string;
  readonly session: string;
  readonly agent: string;
  readonly wish: Wish;
}

/** Port: the file system as commands need it; the runner implements it. */
export interface CommandFiles extends ActionFiles {
  /** What `hold` would hold, of which nothing is kept. Throws CANCELLED once `signal` is aborted. */
  read(path: string, mostBytes: number, signal: AbortSignal | undefined): Promise<HeldFile | undefined>;
}

/** Port: what runs commands and keeps their output; the runner implements it. */
export interface CommandProcesses {
  start(order: CommandOrder, onOutput: () => void): Promise<CommandProcess>;
  readOutput(id: string, offset: number): Promise<{ readonly pieces: readonly OutputPiece[]; readonly next: number }>;
}

/** A command that is started exactly so. */
export interface CommandOrder {
  readonly id: string;
  /** Absolute path of the file that is executed, whatever `argv[0]` says. */
  readonly program: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly directory: { readonly device: string; readonly inode: string; readonly born: string };
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

export interface CommandProcess {
  /** Resolves when the process tree is gone; never rejects. */
  readonly done: Promise<CommandReport>;
  stop(cause: { readonly kind: 'cancel'; readonly cause: string } | { readonly kind: 'timeout' }): void;
}

export interface CommandReport {
  readonly ending:
    | { readonly kind: 'exit'; readonly exitCode: number }
    | { readonly kind: 'signal'; readonly signal: string }
    | { readonly kind: 'timeout'; readonly timeoutMs: number }
    | { readonly kind: 'output-limit'; readonly limitBytes: number }
    | { readonly kind: 'cancel'; readonly cause: string }
    | { readonly kind: 'dismissed' };
  readonly truncated: boolean;
}

/** A piece of output, or how much was not kept. */
export interface OutputPiece {
  readonly offset: number;
  readonly atMs: number;
  readonly stream: 'stdout' | 'stderr';
  readonly data?: Uint8Array;
  readonly droppedBytes?: number;
}
