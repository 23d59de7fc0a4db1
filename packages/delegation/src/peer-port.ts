import type { LeaseRequest } from '@writ/authority';
import type { Task, TaskOutcome, TaskSpec } from '@writ/task-store';
import type { Reply, ReplyTaken } from './turn-types.ts';
import type {
  LeaseAnswer,
  RefusedDecision,
  RenewAnswer,
  ShippedBundle,
  TranscriptPage,
  WatchedEvent,
} from './types.ts';

/** What goes over the wire to a peer; mesh (and an in-process one for `self`) implement it. */
export interface PeerClient {
  /**
   * Throws UNREACHABLE; with `details.sent` false where it is certain that nothing left this node. Throws NOT_FOUND where
   * the peer does not have the bundle that the spec names (any more).
   */
  submit(request: OutgoingSubmit): Promise<PeerSubmitAnswer>;
  watch(task: string, afterSeq: number, signal: AbortSignal): AsyncIterable<WatchedEvent>;
  /** Resolves with the outcome when the process tree is gone. Throws NOT_FOUND where the peer has no such task. */
  cancel(task: string): Promise<TaskOutcome | undefined>;
  readTranscript(task: string, offset: number, limit: number): Promise<TranscriptPage>;
  /** Hands over extensions of the writs that went out with a task. Throws NOT_FOUND, TASK_ENDED, WRIT_INVALID. */
  renew(task: string, extensions: readonly string[]): Promise<RenewAnswer>;
  /** Hands over a reply to a question of a task. Throws what `ExecutorTurns.reply` throws. */
  reply(task: string, reply: Reply): Promise<ReplyTaken>;
  /** The signed result of a terminal task, not checked. Throws NOT_FOUND. */
  getResult(task: string): Promise<Uint8Array>;
  /** What the result of a task names, from `offset` to its end, not checked. Throws NOT_FOUND. */
  fetch(task: string, sha256: string, offset: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Hands over signed receipts; resolves with the tasks whose receipt the peer has stored. */
  acknowledge(
    receipts: readonly { readonly task: string; readonly envelope: Uint8Array }[],
  ): Promise<readonly string[]>;
  /** Hands over the signed word that a session has ended. */
  endSession(statement: Uint8Array): Promise<void>;
  /** Asks for a lease there, or what became of that. */
  requestLease(request: Omit<LeaseRequest, 'from'>): Promise<LeaseAnswer>;
  /** Commits that a workspace there has; all ids are full. */
  workspaceCommits(name: string): Promise<readonly string[]>;
  /** Sends a bundle ahead. */
  upload(input: ShippedBundle, data: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
}

/** A task as it goes out. */
export interface OutgoingSubmit {
  readonly task: string;
  readonly idempotencyKey: string;
  readonly spec: TaskSpec;
  /** Compact writs, first hop first; empty for `self`. */
  readonly writs: readonly string[];
  readonly session: string;
  readonly agent: string;
}

/** What the peer answers to it. */
export type PeerSubmitAnswer =
  | { readonly accepted: true; readonly state: Task['state'] }
  | { readonly accepted: false; readonly decision: RefusedDecision };

/** Port: finds the client of a peer. Throws UNREACHABLE where the peer has no address. */
export interface PeerDirectory {
  /** By folded label or id; undefined for a peer that is not pinned. */
  find(labelOrId: string): { readonly id: string; readonly label: string } | undefined;
  client(id: string): PeerClient;
}
