import type { Json } from '@writ/core';
import type { ReadTx, RemovalTx, WriteTx } from '@writ/database';
import type { SessionKey } from './approval-types.ts';

/** States of a gated command; the first three are live, every other one is final. */
export const EXECUTION_STATES = [
  'proposed',
  'pending_approval',
  'running',
  'completed',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'outcome_unknown',
] as const;
export type ExecutionState = (typeof EXECUTION_STATES)[number];

/** What a command does to the world, mildest first. */
export const EXECUTION_CLASSES = ['read', 'config-mutation', 'destructive'] as const;
export type ExecutionClass = (typeof EXECUTION_CLASSES)[number];

/** How an execution ended. */
export interface ExecutionOutcome {
  /** Closed code, `OK` where it completed. */
  readonly code: string;
  /** Why, for people; lower case, no full stop. */
  readonly message: string;
  /** Exit code of the process; absent where it did not exit by itself. */
  readonly exitCode?: number;
}

/** One gated command with its class, digest, state and outcome. */
export interface Execution extends SessionKey {
  readonly id: string;
  readonly agent: string;
  /** The task whose own agent asked; absent: none did. */
  readonly task?: string;
  /** Node id of who asked, or `self`. */
  readonly requestedBy: string;
  readonly idempotencyKey: string;
  readonly class: ExecutionClass;
  /** False where a program is unknown: no window covers it except as a listed step of a plan. */
  readonly known: boolean;
  /** Capabilities that it needs. */
  readonly needs: readonly string[];
  /** The one thing it acts on; absent: several, or none, and so no destructive window. */
  readonly target?: string;
  /** Effective profile that it was proposed under. */
  readonly profile: string;
  /** SHA-256 of the whole action, hex. */
  readonly digest: string;
  /** What is needed to resolve the action again. */
  readonly request: Json;
  /** What the right to run it is decided from again. */
  readonly basis: Json;
  readonly preview: string;
  readonly state: ExecutionState;
  readonly approval?: string;
  /** Window that it ran under. */
  readonly window?: string;
  /** Lease whose use was claimed for it. */
  readonly lease?: string;
  readonly createdAtMs: number;
  /** Until when it may start. */
  readonly expiresAtMs: number;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  readonly outcome?: ExecutionOutcome;
  readonly version: number;
}

export type NewExecution = Omit<
  Execution,
  'state' | 'approval' | 'window' | 'lease' | 'createdAtMs' | 'startedAtMs' | 'endedAtMs' | 'outcome' | 'version'
>;

/** What a transition changes; a field that is left out stays as it is. */
export interface ExecutionChange {
  readonly state: ExecutionState;
  readonly approval?: string;
  readonly window?: string;
  readonly lease?: string;
  readonly outcome?: ExecutionOutcome;
}

/** As much of a command as says whose it is: the rest may be half a megabyte. */
export type WaitingHead = Pick<Execution, 'id' | 'state' | 'requestedBy' | 'session' | 'task'>;

/** Records of gated commands. Every method works inside the caller's transaction. */
export interface ExecutionStore {
  /** Throws DATABASE_ERROR where the key was used before; `findByKey` first. */
  insert(tx: WriteTx, execution: NewExecution): Execution;
  get(tx: ReadTx, id: string): Execution | undefined;
  /** Whether there is one with this id, be it that it cannot be read. */
  has(tx: ReadTx, id: string): boolean;
  findByKey(
    tx: ReadTx,
    whose: Pick<Execution, 'requestedBy' | 'origin' | 'session' | 'idempotencyKey'>,
  ): Execution | undefined;
  /** The live one that waits for this approval. */
  findByApproval(tx: ReadTx, approval: string): Execution | undefined;
  /** Newest first. */
  list(
    tx: ReadTx,
    filter: { readonly key?: SessionKey; readonly task?: string; readonly limit: number },
  ): readonly Execution[];
  /** In one state, oldest first, after the one named. */
  listIn(
    tx: ReadTx,
    state: 'proposed' | 'pending_approval' | 'running',
    page: { readonly after?: string; readonly limit: number },
  ): readonly Execution[];
  /** Those that have not started in time. */
  listDue(tx: WriteTx, limit: number): readonly Execution[];
  /** Those of a session, or of a task, that have not started. */
  listWaiting(tx: ReadTx, filter: { readonly key: SessionKey } | { readonly task: string }): readonly Execution[];
  /** How many of a session, a task or an asker have not ended; `notOf`: of all askers but that one. */
  countLive(
    tx: ReadTx,
    filter:
      | { readonly key: SessionKey }
      | { readonly task: string }
      | { readonly requestedBy: string }
      | { readonly notOf: string },
  ): number;
  /** What has not started, oldest first: who asked for it, and no more. */
  listWaitingHeads(tx: ReadTx): readonly WaitingHead[];
  /** How many of an asker were stored after `sinceMs` and until `untilMs`, among the newest `among` of all. */
  countNewest(
    tx: ReadTx,
    requestedBy: string,
    within: { readonly sinceMs: number; readonly untilMs: number; readonly among: number },
  ): number;
  /** When the one was stored that `place` others of its session came after; undefined: there are not so many. */
  newestAtMs(tx: ReadTx, key: SessionKey, place: number): number | undefined;
  /**
   * The execution after the transition, or undefined where it is no longer what `before` says.
   * INVARIANT: 8 check and change are one statement; terminal states absorb.
   */
  move(
    tx: WriteTx,
    before: Pick<Execution, 'id' | 'state' | 'version'>,
    change: ExecutionChange,
  ): Execution | undefined;
  /** Ends every one that has not started, whatever the clock says; returns how many. */
  endWaiting(tx: WriteTx): number;
  /** Removes at most `limit` that ended over thirty days ago; returns how many. */
  prune(tx: RemovalTx, limit: number): number;
}
