import type { ReadTx, WriteTx } from '@writ/database';
import type { Turn } from './question-types.ts';

/** States of a task; the last five absorb. */
export const TASK_STATES = [
  'submitted',
  'waiting',
  'queued',
  'running',
  'input_required',
  'approval_required',
  'credential_required',
  'completed',
  'failed',
  'cancelled',
  'rejected',
  'lost',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

export const TERMINAL_STATES = [
  'completed',
  'failed',
  'cancelled',
  'rejected',
  'lost',
] as const satisfies readonly TaskState[];

/** How the process of an attempt ended; different endings. */
export type Ending =
  | { readonly kind: 'exit'; readonly exitCode: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'output-limit'; readonly limitBytes: number }
  | { readonly kind: 'cancel'; readonly cause: string }
  /** It had done what it was asked for and stayed: its node ended it. */
  | { readonly kind: 'dismissed' };

/** What a task came to; travels unchanged from the executor to the origin's mirror. */
export interface TaskOutcome {
  readonly state: 'completed' | 'failed' | 'cancelled' | 'rejected' | 'lost';
  /** Absent for `completed`. */
  readonly code?: string;
  readonly message: string;
  /** Absent where no process ever ran. */
  readonly ending?: Ending;
  /** True where output was dropped; reported beside a failure, never instead of one. */
  readonly truncated: boolean;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly startedAtMs?: number;
  readonly endedAtMs: number;
  /**
   * SHA-256 of the envelope of the signed result; absent where no node ever signed one: a mirror that ended without its
   * executor, and a failure to sign.
   */
  readonly result?: string;
  /** In a mirror only, of a task that was refused: where, and what was answered beside code and message. */
  readonly refusal?: TaskRefusal;
}

/** A decision that made no task, as it was answered. */
export interface TaskRefusal {
  readonly decidedBy: 'here' | 'peer';
  readonly effect: 'ask' | 'deny';
  readonly nextSteps: readonly string[];
  readonly generation: number;
}

/** What the executing node granted; shown on both ends. */
export interface Granted {
  readonly requestedProfile: string;
  readonly effectiveProfile: string;
  readonly effectiveRunner: string;
  readonly isolation: 'required' | 'none';
  readonly generation: number;
  readonly leaseId?: string;
  readonly message: string;
  /** On the executor only: the question to a person that the task waits for, or that it was let go by. */
  readonly approval?: string;
  /** On the executor only: an attempt that is lost may be made again, as its profile said at the start. */
  readonly retry?: 'safe';
}

/** What is asked of an executor; stored with the task, digested for idempotency. */
export interface TaskSpec {
  readonly input:
    | { readonly kind: 'argv'; readonly argv: readonly string[] }
    | { readonly kind: 'prompt'; readonly prompt: string };
  readonly profile?: string;
  readonly runner?: string;
  readonly workspace?: string;
  /** Branch, tag or commit of the workspace; absent: its HEAD. */
  readonly ref?: string;
  /** The origin's own upper bound on the run, milliseconds. */
  readonly timeoutMs?: number;
  /** Patterns of files to keep as artifacts, besides those of the profile; absent: none. */
  readonly artifacts?: readonly string[];
  /** What was sent along to work on, instead of `ref`. */
  readonly shipped?: ShippedInput;
}

/** A working tree as one commit, in a bundle without what the workspace has. */
export interface ShippedInput {
  /** Full id of the commit. */
  readonly commit: string;
  /** SHA-256 and size of the bundle; absent: the workspace has the commit already. */
  readonly bundle?: { readonly sha256: string; readonly bytes: number };
}

/**
 * What the sender's writs allow at most; stored (as JSON) so that queued work can be decided again after a restart.
 * Empty for this machine's own agent.
 */
export interface TaskBounds {
  /** Closures of the grants, first hop first. */
  readonly grants?: readonly (readonly string[])[];
  /** Workspaces that every grant allows. */
  readonly grantWorkspaces?: readonly string[];
  /** What every grant reaches: `HOST:PORT` entries, or all or nothing. */
  readonly grantNetwork?: 'deny' | 'allow' | readonly string[];
  /** Further hops that may follow. */
  readonly depthLeft?: number;
  /** The smallest output limit of the grants. */
  readonly maxOutputBytes?: number;
  /** Nothing starts after this moment. */
  readonly writExpiresAtMs?: number;
}

/** The executing node's record of a task. */
export interface Task {
  /** Minted by the sender; unique on the executor. */
  readonly id: string;
  /** Node id of the sender, or `self`. */
  readonly sender: string;
  readonly origin: string;
  readonly session: string;
  readonly agent: string;
  /** Node ids from the origin to the sender. */
  readonly chain: readonly string[];
  readonly idempotencyKey: string;
  /** Digest of what was asked; the same key with another digest is refused. */
  readonly requestDigest: string;
  readonly spec: TaskSpec;
  readonly bounds: TaskBounds;
  readonly granted: Granted;
  readonly state: TaskState;
  /** Attempt number; a write from an older epoch changes nothing. */
  readonly epoch: number;
  /** Sequence number of the last event; 0: none. */
  readonly lastSeq: number;
  readonly createdAtMs: number;
  readonly deadlineMs?: number;
  /** Intent to cancel, stored before anything is signalled. */
  readonly cancelRequestedAtMs?: number;
  /** Marks every process of the running attempt; absent before the first start. */
  readonly attemptNonce?: string;
  readonly outcome?: TaskOutcome;
  readonly version: number;
}

/** `writs`: the compact writs that it came with, first hop first; absent: none. */
export type NewTask = { readonly writs?: readonly string[] } & Pick<
  Task,
  | 'id'
  | 'sender'
  | 'origin'
  | 'session'
  | 'agent'
  | 'chain'
  | 'idempotencyKey'
  | 'requestDigest'
  | 'spec'
  | 'bounds'
  | 'granted'
  | 'deadlineMs'
>;

/** One event of a task; `seq` is gapless from 1. */
export type TaskEvent = { readonly seq: number; readonly atMs: number; readonly epoch: number } & TaskEventBody;
export type TaskEventBody =
  | {
      readonly kind: 'state';
      readonly state: TaskState;
      readonly code?: string;
      readonly message?: string;
      /** What the task waits for, whole, each time that it changes; absent: for no answer. */
      readonly turn?: Turn;
      /** Of a task that waits for a person of its executor. */
      readonly waits?: TaskWait;
    }
  | { readonly kind: 'granted'; readonly granted: Granted }
  /** `length` bytes at `offset` of the transcript. */
  | { readonly kind: 'output'; readonly stream: 'stdout' | 'stderr'; readonly offset: number; readonly length: number }
  /** Bytes that the transcript could not hold any more. */
  | { readonly kind: 'dropped'; readonly stream: 'stdout' | 'stderr'; readonly bytes: number }
  | { readonly kind: 'outcome'; readonly outcome: TaskOutcome };

/** Which question a task waits for, and until when it can be answered; since when is the time of its event. */
export interface TaskWait {
  readonly approval: string;
  readonly answerByMs: number;
}

export interface TaskFilter {
  readonly sender?: string;
  readonly states?: readonly TaskState[];
  readonly limit: number;
  /** Only tasks that sort before this id (newest first paging). */
  readonly before?: string;
}

/** A compare-and-set on a task: applies only at this version. */
export interface TaskChange {
  readonly state?: TaskState;
  readonly epoch?: number;
  readonly cancelRequestedAtMs?: number;
  readonly attemptNonce?: string;
  readonly outcome?: TaskOutcome;
  readonly granted?: Granted;
  readonly deadlineMs?: number;
}

/** The executor's records. */
export interface TaskStore {
  /** `existing` where this sender used the key before (compare `requestDigest`); `taken` where another sender's task has the id. */
  insert(
    tx: WriteTx,
    task: NewTask,
  ): { readonly kind: 'inserted' | 'existing'; readonly task: Task } | { readonly kind: 'taken' };
  get(tx: ReadTx, id: string): Task | undefined;
  findByKey(tx: ReadTx, sender: string, idempotencyKey: string): Task | undefined;
  /** The compact writs that the task came with, first hop first; kept beside the record, which is read far more often. */
  writs(tx: ReadTx, id: string): readonly string[];
  /** The same writs, extended, and what they allow then; undefined, with no effect, for a task that is terminal. */
  renewWrits(tx: WriteTx, id: string, writs: readonly string[], bounds: TaskBounds): Task | undefined;
  list(tx: ReadTx, filter: TaskFilter): readonly Task[];
  /** Not terminal, oldest first. */
  listLive(tx: ReadTx): readonly Task[];
  /** Of one sender, or of all. */
  countLive(tx: ReadTx, sender?: string): number;
  /**
   * The changed task, or undefined where nothing changed: `version` is no longer current, the task is terminal, or
   * `epoch` would go back. A terminal state comes with its outcome, in the same change, else INTERNAL is thrown.
   */
  update(tx: WriteTx, id: string, version: number, change: TaskChange): Task | undefined;
  /**
   * Appends with the next sequence numbers; the task's `version` is not touched. Empty, with nothing appended, where
   * `epoch` is older than the task's: the writer was overtaken, which is no fault. So too for a `state` event that
   * would lead a terminal task elsewhere. Throws NOT_FOUND for an id that is none, INTERNAL for an epoch to come.
   */
  append(tx: WriteTx, id: string, epoch: number, bodies: readonly TaskEventBody[]): readonly TaskEvent[];
  /**
   * Remembers until `untilMs` what the writ with this nonce was used for, for longer where that is later now, and forgets
   * what has ended. The digest of the request that this sender used it for first.
   */
  useWrit(
    tx: WriteTx,
    writ: { readonly sender: string; readonly nonce: string; readonly request: string; readonly untilMs: number },
  ): string;
  /** Events after `afterSeq`, in order, at most `limit`. */
  events(tx: ReadTx, id: string, afterSeq: number, limit: number): readonly TaskEvent[];
  /** Where the output that events tell of ends in the transcript, bytes; 0: there was none. */
  outputEnd(tx: ReadTx, id: string): number;
}

/** The origin's record of a task that a peer (or this node itself) executes. */
export interface Mirror {
  readonly id: string;
  /** Node id of the executor, or `self`. */
  readonly peer: string;
  readonly peerLabel: string;
  readonly session: string;
  /** Node id of the session's origin; absent: this node. */
  readonly origin?: string;
  readonly agent: string;
  /** The task executed here that handed this one on; absent: a person or agent of this machine asked for it. */
  readonly parent?: string;
  readonly idempotencyKey: string;
  readonly spec: TaskSpec;
  readonly state: TaskState;
  readonly granted?: Granted;
  /** Sequence number of the last event taken over; the cursor of `Watch`. */
  readonly cursor: number;
  readonly createdAtMs: number;
  readonly cancelRequestedAtMs?: number;
  /** The link to the executor is down; its truth is unknown meanwhile. */
  readonly unreachable: boolean;
  /** Since when every try to reach it has failed; absent: the last one did not. */
  readonly unreachableSinceMs?: number;
  /** Whether the executor has acknowledged `Submit`. */
  readonly accepted: boolean;
  readonly outcome?: TaskOutcome;
  readonly version: number;
}

/** `writs`: the compact writs that go out with it, first hop first. */
export type NewMirror = { readonly writs?: readonly string[] } & Pick<
  Mirror,
  'id' | 'peer' | 'peerLabel' | 'session' | 'origin' | 'agent' | 'parent' | 'idempotencyKey' | 'spec'
>;

export interface MirrorFilter {
  readonly peer?: string;
  readonly session?: string;
  readonly states?: readonly TaskState[];
  readonly limit: number;
  readonly before?: string;
}

/** The origin's records: what it asked of others, stored before the first byte goes out. */
export interface MirrorStore {
  /** State `submitted`, cursor 0. Throws CONFLICT where the id, or the key in this session, was used before. */
  insert(tx: WriteTx, mirror: NewMirror): Mirror;
  get(tx: ReadTx, id: string): Mirror | undefined;
  /** The mirror that this session made with this key; a key belongs to one session. */
  findByKey(tx: ReadTx, session: string, idempotencyKey: string): Mirror | undefined;
  list(tx: ReadTx, filter: MirrorFilter): readonly Mirror[];
  /** What this task handed on, newest first, at most `limit`. */
  listChildren(tx: ReadTx, parent: string, limit: number): readonly Mirror[];
  /** Children of this task without an outcome, oldest first. */
  listLiveChildren(tx: ReadTx, parent: string): readonly Mirror[];
  /** Peers that were ever asked for something in this session; `origin` absent: one that began here. Not `self`. */
  peersOfSession(tx: ReadTx, key: { readonly origin?: string; readonly session: string }): readonly string[];
  /** The compact writs that went out last with a task, first hop first. */
  writs(tx: ReadTx, id: string): readonly string[];
  setWrits(tx: WriteTx, id: string, writs: readonly string[]): void;
  /** Without an outcome, oldest first. */
  listLive(tx: ReadTx): readonly Mirror[];
  countLive(tx: ReadTx): number;
  /**
   * Takes over one event and moves the cursor, together; an event at or below the cursor or after a gap changes nothing
   * and returns undefined. A mirror becomes terminal by the `outcome` event, never by a `state` event alone, so that it
   * is terminal exactly when it has an outcome. One that is terminal keeps its state; the event is kept beside it.
   */
  apply(tx: WriteTx, id: string, event: TaskEvent): Mirror | undefined;
  /** Moves the cursor on over events that leave no row; undefined where it stands there, or further. */
  passOver(tx: WriteTx, id: string, seq: number): Mirror | undefined;
  /** These three return the mirror after the change, undefined where there is none. */
  setAccepted(tx: WriteTx, id: string): Mirror | undefined;
  setUnreachable(tx: WriteTx, id: string, unreachable: boolean): Mirror | undefined;
  setCancelRequested(tx: WriteTx, id: string): Mirror | undefined;
  /** Where the output that was taken over ends in the transcript, bytes; 0: none was. */
  outputEnd(tx: ReadTx, id: string): number;
  /** Ends a mirror that the executor never took (denied, refused, lost). Undefined, with no effect, on one that is terminal. */
  end(tx: WriteTx, id: string, outcome: TaskOutcome): Mirror | undefined;
  /**
   * Lets the key of a terminal mirror be used again; it stays to be seen, with the mirror's id behind it. No effect on
   * one that is not terminal.
   */
  giveUpKey(tx: WriteTx, id: string): Mirror | undefined;
  events(tx: ReadTx, id: string, afterSeq: number, limit: number): readonly TaskEvent[];
  /** What the executor said last that the task waits for; undefined: for no answer. */
  turn(tx: ReadTx, id: string): Turn | undefined;
}

/** How the signer of a received result stands to the receiver. */
export type DeliveryStanding = 'pinned' | { readonly vouchedBy: string };

/** A signed result that came back. */
export interface Delivery {
  /** Id of the mirror. */
  readonly task: string;
  /** Node id of the executor, or `self`. */
  readonly peer: string;
  /** SHA-256 of the envelope. */
  readonly result: string;
  readonly standing: DeliveryStanding;
  readonly receivedAtMs: number;
  /** When the executor took the receipt; absent: not yet. */
  readonly acknowledgedAtMs?: number;
  /** When it was certain that the executor takes no receipt for it. */
  readonly refusedAtMs?: number;
}

/** Signed results and receipts of both ends. */
export interface ResultStore {
  /** Keeps an envelope under its digest, which the caller has computed; one that is there already stays. */
  putEnvelope(tx: WriteTx, sha256: string, bytes: Uint8Array): void;
  envelope(tx: ReadTx, sha256: string): Uint8Array | undefined;
  /** The sender's signed receipt for the result of a task executed here. The first one stays; true where it is new. */
  putReceipt(
    tx: WriteTx,
    receipt: { readonly task: string; readonly result: string; readonly bytes: Uint8Array },
  ): boolean;
  receipt(
    tx: ReadTx,
    task: string,
  ): { readonly result: string; readonly bytes: Uint8Array; readonly atMs: number } | undefined;
  /** In the transaction that ends the mirror; received at the transaction's time. */
  putDelivery(tx: WriteTx, delivery: Pick<Delivery, 'task' | 'peer' | 'result' | 'standing'>): void;
  delivery(tx: ReadTx, task: string): Delivery | undefined;
  /** Of one peer, oldest first, at most `limit`. */
  listUnacknowledged(tx: ReadTx, peer: string, limit: number): readonly Delivery[];
  /** Peers that results are owed a receipt to. */
  unacknowledgedPeers(tx: ReadTx): readonly string[];
  setAcknowledged(tx: WriteTx, tasks: readonly string[]): void;
  /** No receipt is owed for it any more, because its executor takes none. */
  setRefused(tx: WriteTx, task: string): void;
}
