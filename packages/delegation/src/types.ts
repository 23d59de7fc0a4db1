import type { KindRules, LeaseRequest, Subject } from '@writ/authority';
import type { RunningCode, WritError } from '@writ/core';
import type { ReadTx, WriteTx } from '@writ/database';
import type { Applied, ApplyRequest, OwnersShell, Result, VerifiedTree } from '@writ/evidence';
import type { VerifiedChain, WritClaims } from '@writ/identity';
import type { Decision, Isolation, Network } from '@writ/policy';
import type { DeliveryStanding, Mirror, Task, TaskEvent, TaskSpec, TaskWait, Turn } from '@writ/task-store';
import type { RunFiles } from './runner-port.ts';
import type { ExecutorTurns, Reply, ReplyTaken } from './turn-types.ts';

// ---------------------------------------------------------------- executor side

/** A request to execute, after the wire has proved who asks. */
export interface SubmitRequest {
  readonly task: string;
  readonly idempotencyKey: string;
  readonly spec: TaskSpec;
  readonly subject: Subject;
  readonly agent: string;
  /** Absent for this machine's own agent asking its own node. */
  readonly chain?: VerifiedChain;
  /** The compact writs of `chain`, kept so that the task can hand work on. */
  readonly writs?: readonly string[];
}

/** `deny` makes no task, nor does an `ask` that nobody could answer; what a person is asked about waits. */
export type SubmitAnswer =
  | { readonly accepted: true; readonly task: Task; readonly decision?: Decision }
  | { readonly accepted: false; readonly decision: Decision };

/** `expiresAtMs`: when the first of the writs ends now. */
export type RenewAnswer =
  | { readonly renewed: true; readonly expiresAtMs: number }
  | { readonly renewed: false; readonly decision: RefusedDecision };

/** A live view on a task's events. */
export interface EventSource {
  /** Events after `afterSeq`, then live ones, gapless; ends after the outcome. `signal` ends it early. */
  watch(task: string, afterSeq: number, signal: AbortSignal): AsyncIterable<WatchedEvent>;
}

/** The question that a task waits for. */
export interface WaitingFor extends TaskWait {
  /** Why a person is asked. */
  readonly code: string;
  readonly message: string;
  readonly sinceMs: number;
}

/** An event with, for `output`, its bytes. */
export interface WatchedEvent {
  readonly event: TaskEvent;
  readonly data?: Uint8Array;
  /** With `outcome`: the envelope of the signed result, where it is small. Not checked. */
  readonly result?: Uint8Array;
}

/** A bundle that goes ahead of a `Submit`. */
export interface ShippedBundle {
  readonly workspace: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/** An envelope as it was signed. */
export interface SignedEnvelope {
  readonly sha256: string;
  readonly envelope: Uint8Array;
  /** When the sender's receipt for it was stored; absent: not yet. */
  readonly receiptAtMs?: number;
}

/** A task, or when one that is kept no more was removed, milliseconds since the epoch. */
export type FoundTask =
  | { readonly task: Task; readonly removedAtMs?: undefined }
  | { readonly task?: undefined; readonly removedAtMs: number };

/** The executing end of tasks. */
export interface Executor extends EventSource {
  /** Throws NOT_FOUND where the bundle that the spec names is not here (any more): it can be sent again, then this. */
  submit(request: SubmitRequest): Promise<SubmitAnswer>;
  get(id: string): Task | undefined;
  /**
   * What this sender has here under an id, in one look: to refuse takes no longer than to answer. INVARIANT: 7 undefined for another
   * sender's task, as for one that is none.
   */
  find(id: string, sender: string): FoundTask | undefined;
  /** When a task that ran here was removed, whoever sent it, milliseconds since the epoch; undefined: none was. */
  removedAtMs(id: string): number | undefined;
  list(filter: { readonly sender?: string; readonly limit: number; readonly before?: string }): readonly Task[];
  /** Stores the intent at once; resolves when the process tree is gone and the task is terminal. */
  cancel(id: string, by: string): Promise<Task>;
  /**
   * Lets the writs of a task live longer. Extensions that are no news change nothing; a denial extends nothing. Throws
   * NOT_FOUND, TASK_ENDED, and what the check of a chain throws: every hop that ends sooner needs its own.
   */
  renew(id: string, extensions: readonly string[]): Promise<RenewAnswer>;
  /** Transcript bytes; `next` is where to go on; `end` when there will be no more. */
  readTranscript(id: string, offset: number, limit: number): Promise<TranscriptPage>;
  /** The signed result of a task that is terminal; undefined where there is none. Throws NOT_FOUND. */
  result(id: string): SignedEnvelope | undefined;
  /**
   * Bytes from `offset`, at most `limit`, of something that the result of the task names: bundle, patch, artifact, the
   * envelope itself or one nested in it. Throws NOT_FOUND for anything else.
   */
  readContent(id: string, sha256: string, offset: number, limit: number): Promise<Uint8Array>;
  /**
   * Stores the sender's signed receipt, with its audit row; a second one changes nothing. Throws NOT_FOUND,
   * EVIDENCE_INVALID where it is not the sender's, or for another result.
   */
  acknowledge(id: string, receipt: Uint8Array): void;
  /** Full ids of commits that a workspace has, newest first, not all where there are many. Throws GIT_FAILED. */
  workspaceCommits(name: string): Promise<readonly string[]>;
  /**
   * Takes a bundle that a peer sends ahead of the `Submit` that names it; kept for an hour where none does. Throws
   * LIMIT_EXCEEDED where it, or what this peer has sent besides, is too large; EVIDENCE_INVALID where it is not what was
   * announced.
   */
  takeInput(sender: string, input: ShippedBundle, data: AsyncIterable<Uint8Array>): Promise<void>;
  /** As the origin's. */
  waitsFor(id: string): WaitingFor | undefined;
  /** Ends queued and running work that no longer has its lease, trust or policy. */
  endWhere(match: (task: Task) => boolean, code: RunningCode, message: string): Promise<number>;
  /**
   * What a running task may hand on, inside the caller's transaction. Throws TASK_ENDED, TRUST_REVOKED, TOKEN_INVALID or
   * WRIT_INVALID.
   */
  context(tx: ReadTx, id: string): TaskContext;
  /** What tasks that run here ask. */
  readonly turns: ExecutorTurns;
  /** What a question about a task is about, and what its answer does; for the gate of this node. */
  readonly taskKind: KindRules;
  /** The writs that a task came with, first hop first; none for this machine's own agent. */
  writs(id: string): readonly WritClaims[];
  /** Called in the transaction that ends a task, whatever the ending; returns how to stop. */
  onEnd(listener: EndListener): () => void;
  /** What an earlier boot left behind: processes are ended, tasks become `lost`. */
  recover(): Promise<{ readonly lost: number; readonly killed: number }>;
  /** Drains: no new work, running work is ended as `cancelled` after the grace period. */
  close(graceMs: number): Promise<void>;
}

/** What it throws keeps the end from being stored; the end is tried again. */
export type EndListener = (tx: WriteTx, task: Task) => void;

/** What a task that runs here may hand on at most, and in whose name. */
export interface TaskContext {
  readonly task: string;
  /** Node id of the origin of the session, or `self`. */
  readonly origin: string;
  readonly session: string;
  readonly agent: string;
  /** Node ids from the origin to the sender; empty where the chain begins here. */
  readonly ids: readonly string[];
  /** The compact writs that the task came with, one for each of `ids`. */
  readonly writs: readonly string[];
  /** Capabilities, with `shell` as a member. */
  readonly closure: readonly string[];
  readonly workspaces: readonly string[];
  readonly network: Network;
  /** What runs it, and whether it is isolated from this machine. */
  readonly runner: string;
  readonly isolation: Isolation;
  readonly maxOutputBytes: number;
  /** Further hops that may follow this node. */
  readonly depth: number;
  /** When what it hands on ends at the latest: with its own deadline, or with its writs as they stand. */
  readonly expiresAtMs: number;
  /** Where it works; absent: no process of it was started yet. */
  readonly files?: RunFiles;
}

/** Port: what tasks have started on this machine besides their own processes: gated commands. */
export interface SideWork {
  /**
   * Ends what runs of a task and starts nothing more of it; resolves when no process of it is left. Asked at the first
   * reason to end the task, and when its own processes are gone, before its end is stored. Never rejects.
   */
  end(task: string): Promise<void>;
}

/** Port: the way back from a running task to its own node, with a token that dies with the task. */
export interface TaskDoors {
  /** In the transaction that starts the task: stores the hash of a new token and returns its secret. */
  issue(tx: WriteTx, task: Task): string;
  /** Listens on a socket of the task's own that takes its token only; resolves with the socket's path. */
  open(task: string): Promise<string>;
  /** In the transaction that ends the task: ends the token; the socket goes after the commit. No effect without one. */
  drop(tx: WriteTx, task: string): void;
}

export interface TranscriptPage {
  readonly data: Uint8Array;
  readonly next: number;
  readonly end: boolean;
}

// ---------------------------------------------------------------- origin side

/** A wish to delegate, after the surface has proved the caller's session. */
export interface DelegateRequest {
  /** Label or id of a peer, or `self`. */
  readonly to: string;
  readonly spec: TaskSpec;
  readonly session: string;
  readonly agent: string;
  /**
   * The task executed here that hands this on. Session, agent and origin are then those of its context, whatever
   * `session` and `agent` say, and a key belongs to the task.
   */
  readonly parent?: string;
  /** Made by the caller to make a retry safe; absent: a new one. */
  readonly idempotencyKey?: string;
  /**
   * Absolute path in a repository of this machine whose working tree goes along; `spec.workspace` says where to. With
   * `parent`: in the clone that this task works on, and nowhere else.
   */
  readonly ship?: string;
  /** What the shell of whoever asks says to git about `ship`; absent: what the node's own environment says. Not for a task. */
  readonly shell?: Pick<OwnersShell, 'variables'>;
}

/** Answer of `delegate`: a task, or the decision (here or there) that refused it. */
export type DelegateAnswer =
  | { readonly accepted: true; readonly task: Mirror }
  | {
      readonly accepted: false;
      readonly task: Mirror;
      readonly decidedBy: 'here' | 'peer';
      readonly decision: RefusedDecision;
    };

/** A refusal as it travels: no trace of the other node's file. */
export interface RefusedDecision {
  readonly effect: 'ask' | 'deny';
  readonly code: string;
  readonly message: string;
  readonly nextSteps: readonly string[];
  readonly generation: number;
}

/** The asking end of tasks. */
export interface Origin {
  delegate(request: DelegateRequest): Promise<DelegateAnswer>;
  get(id: string): Mirror | undefined;
  /** When what is known of a task that was asked for here was removed, milliseconds since the epoch; undefined: none was. */
  removedAtMs(id: string): number | undefined;
  list(filter: {
    readonly peer?: string;
    readonly session?: string;
    readonly limit: number;
    readonly before?: string;
  }): readonly Mirror[];
  watch(task: string, afterSeq: number, signal: AbortSignal): AsyncIterable<WatchedEvent>;
  /** What a task waits for, where it waits for a person; undefined: it does not, as far as is known here. */
  waitsFor(id: string): WaitingFor | undefined;
  readTranscript(id: string, offset: number, limit: number): Promise<TranscriptPage>;
  cancel(id: string, by: string): Promise<Mirror>;
  /**
   * Ends a task as `lost` whose executor is not reached; what comes of it later is kept and changes nothing. Throws
   * NOT_FOUND, CONFLICT where its executor is reached; one that is terminal stays as it is.
   */
  forget(id: string, by: string): Promise<Mirror>;
  /** Stores the intent to cancel what this task handed on, in the transaction that ends it; told down the chain after. */
  cancelChildren(tx: WriteTx, parent: string): void;
  /** The verified result of a task, as it was when it came; undefined where none has. Throws NOT_FOUND. */
  result(id: string): ReceivedResult | undefined;
  /** As the executor's: what the result of the task names, from this node's own copy. */
  readContent(id: string, sha256: string, offset: number, limit: number): Promise<Uint8Array>;
  /**
   * Checks everything again from what is kept here: signatures, chain, nested results, every digest. Throws NOT_FOUND
   * where there is no result, EVIDENCE_INVALID.
   */
  verify(id: string): Promise<VerifiedTree>;
  /** Verifies, then makes a branch of it. Throws what `verify` and `applyResult` of the evidence package throw. */
  apply(id: string, how: Pick<ApplyRequest, 'repository' | 'check' | 'checkout' | 'shell'>): Promise<Applied>;
  /** What this task handed on, newest first, at most `limit`. */
  children(parent: string, limit: number): readonly Mirror[];
  /** The writs that went out with a task, first hop first; none to `self`. */
  writs(id: string): readonly WritClaims[];
  /**
   * Hands a reply to the executor of a task that was asked for here; nothing of it is kept. Throws NOT_FOUND where task or
   * session is gone, UNREACHABLE, and what the executor says: see `ExecutorTurns.reply`. A secret is zeroed.
   */
  reply(id: string, reply: OutgoingReply): Promise<ReplyTaken>;
  /** What a task waits for, as its executor said last; undefined: for no answer. Throws NOT_FOUND. */
  turn(id: string): Turn | undefined;
  /**
   * Asks a person of the executing node for a lease, once for each key of a session; the same key again says what became
   * of it. Throws PEER_UNKNOWN, UNREACHABLE, and what the executing node says: NOT_FOUND for a session that has ended,
   * CONFLICT, WRIT_REPLAYED, BAD_REQUEST.
   */
  requestLease(request: OutgoingLeaseRequest): Promise<LeaseAnswer>;
  /**
   * Ends a session that began here: what waits for a person in it ends, nothing new is taken, and the peers that were
   * asked for something in it (tasks, gated commands, leases) are told, until they have heard. What runs goes on. `ended`
   * is false where it had ended, `peers` is how many are told. Throws NOT_FOUND.
   */
  endSession(session: string, by: string): { readonly ended: boolean; readonly peers: number };
  /** Takes the signed word of another node that a session of its has ended, brought by a peer. Throws EVIDENCE_INVALID. */
  takeSessionEnd(from: string, statement: Uint8Array): void;
  /** Ends the mirrors of a peer that lost its trust here. */
  endWhere(match: (mirror: Mirror) => boolean, code: RunningCode, message: string): Promise<number>;
  /** Re-attaches to everything that is not terminal. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** A reply, after the surface has proved who replies: `by`, for the audit trail. `key` absent: a new one. */
export interface OutgoingReply extends Omit<Reply, 'key'> {
  readonly key?: string;
  readonly by: string;
}

/** A wish for a lease, after the surface has proved the caller's session, which began on this node. */
export interface OutgoingLeaseRequest extends Omit<LeaseRequest, 'from'> {
  /** Label or id of a peer, or `self`. */
  readonly to: string;
}

/** The question as it stands at the node that would lend, or why nobody is asked there. */
export type LeaseAnswer =
  | {
      readonly asked: true;
      readonly approval: string;
      readonly state: 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled';
      /** Until when it can be answered. */
      readonly answerByMs: number;
    }
  | { readonly asked: false; readonly decision: RefusedDecision };

/** A verified result with those nested in it. */
export interface ReceivedResult {
  readonly sha256: string;
  readonly standing: DeliveryStanding;
  readonly result: Result;
  readonly receivedAtMs: number;
  /** When the executor took the receipt; absent: not yet. */
  readonly acknowledgedAtMs?: number;
  /** When it was certain that the executor takes none. */
  readonly refusedAtMs?: number;
  /** It came after the task was ended here as `lost`, and changed nothing. */
  readonly late: boolean;
  readonly children: readonly Pick<ReceivedResult, 'sha256' | 'result' | 'children'>[];
}

/** Port: keeps the origin's own copy of a transcript. */
export interface TranscriptMirror {
  /** Appends at `offset`; bytes that are there already are not written twice. */
  write(task: string, offset: number, data: Uint8Array): Promise<void>;
  read(task: string, offset: number, limit: number): Promise<Uint8Array>;
  /** Calling it twice is harmless. */
  remove(task: string): Promise<void>;
}

/** Port: signs the writ of this node's own hop and gives its compact form, and lets one live longer. */
export interface WritIssuer {
  issue(request: {
    readonly to: string;
    readonly task: string;
    /** All of it is what the writ is bound to. */
    readonly spec: Pick<TaskSpec, 'profile' | 'workspace'>;
    readonly session: string;
    readonly agent: string;
    readonly generation: number;
    /** Of an earlier writ for the very same request; absent: a new one. */
    readonly nonce?: string;
    /** The task that hands this on; absent: the chain begins here, with the whole vocabulary. */
    readonly parent?: TaskContext;
  }): string;
  /**
   * A writ of this node's own with its newest extension: as long as a new writ would live, but not beyond `mostMs`
   * (milliseconds since the epoch). Undefined where that is no later than it ends already.
   */
  extend(writ: string, mostMs: number): string | undefined;
}

export type DelegationError = WritError;
export type {
  PreparedRun,
  Reach,
  Run,
  RunFiles,
  RunReport,
  RunSink,
  RunSpec,
  TaskRunner,
  ToolAnswer,
  ToolRequest,
} from './runner-port.ts';
