import type { Clock, Logger } from '@writ/core';
import type { Database, ReadTx, WriteTx } from '@writ/database';
import type { LeftoverStore, RemovalStore } from '@writ/task-store';
import type { EvidenceKit } from '../evidence-kit.ts';
import type { SessionEnds } from '../origin/session-ends/port.ts';
import type { TaskRunner, TranscriptMirror } from '../types.ts';

/** Port: what authority keeps of tasks and of their sessions, asked and told in the transaction in which a task goes. */
export interface AuthorityRecords {
  /** Whether a question waits for this task that ran here. */
  isAsked(tx: ReadTx, task: string): boolean;
  /** Ends the token of a task. */
  dropToken(tx: WriteTx, task: string): void;
  readonly sessions: Pick<SessionEnds, 'get' | 'hold'>;
}

/** What removes tasks that are over. */
export interface RemovalOptions {
  readonly database: Database;
  readonly removals: Pick<RemovalStore, 'walk' | 'remove'>;
  readonly leftovers: LeftoverStore;
  readonly authority: AuthorityRecords;
  readonly evidence: { readonly content: Pick<EvidenceKit['content'], 'removeUnused'> } & Pick<EvidenceKit, 'results'>;
  readonly runner: Pick<TaskRunner, 'removeTranscript'>;
  readonly transcripts: Pick<TranscriptMirror, 'remove'>;
  /** How long what has ended is kept, milliseconds, and node ids of all peers; asked at each sweep. */
  readonly rules: () => { readonly keepMs: number; readonly peers: readonly string[] };
  /** Id of this node: the origin of sessions that began here. */
  readonly self: string;
  /**
   * Tasks of which something is kept that a person has to look at; asked once in a sweep. `all`: there is something of which
   * nobody can say which task it is of, so that it may be any that ran here.
   */
  readonly held: () => Promise<ReadonlySet<string> | 'all'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One sweep: what all that it does needs. */
export interface Sweep extends RemovalOptions {
  readonly signal: AbortSignal;
  /** Lets everybody else have their turn. */
  breathe(): Promise<void>;
}

/** What a sweep has removed. */
export interface RemovedCounts {
  readonly tasks: number;
  readonly mirrors: number;
}

/** Removes what ended long ago, step by step. */
export interface Removal {
  /** One at a time: a call during a sweep is that sweep. Rejects with DATABASE_ERROR; the next one goes on. */
  sweep(): Promise<RemovedCounts>;
  /** Cuts the sweep short; resolves when nothing sweeps any more. */
  close(): Promise<void>;
}
