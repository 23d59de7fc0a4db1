import type { Clock, Logger, Random } from '@writ/core';
import type { Database, ReadTx, WriteTx } from '@writ/database';
import type { PolicyEngine } from '@writ/policy';
import type { MirrorStore, RemovalStore, TaskStore } from '@writ/task-store';
import type { EvidenceKit } from '../evidence-kit.ts';
import type { PeerDirectory } from '../peer-port.ts';
import type { Executor, TranscriptMirror, WritIssuer } from '../types.ts';
import type { SessionEnds } from './session-ends/port.ts';

/** What an origin is made of. */
export interface OriginOptions {
  readonly database: Database;
  readonly mirrors: MirrorStore;
  /** What was here once. */
  readonly removals: Pick<RemovalStore, 'find' | 'findKey'>;
  /** The node's one engine: decides what may go out. */
  readonly engine: PolicyEngine;
  /** `client('self')` must lead to this node's own executor. */
  readonly directory: PeerDirectory;
  readonly issuer: WritIssuer;
  /** What a task that is executed here may hand on; absent: nothing is handed on. */
  readonly contextOf?: Executor['context'];
  readonly transcripts: TranscriptMirror;
  /** Once a copy holds so many bytes, what follows is only counted. */
  readonly transcriptCapBytes: number;
  /**
   * Stores the session of a wish, where it is not stored yet, in the transaction that stores the wish. Throws NOT_FOUND
   * for one that has ended.
   */
  readonly recordSession: (tx: WriteTx, session: { readonly id: string; readonly agent: string }) => void;
  /** False once a session has ended, as far as this node knows; `origin` absent: it began here. */
  readonly sessionLives: (tx: ReadTx, session: { readonly origin?: string; readonly session: string }) => boolean;
  /** What is known of sessions, and of the tasks that run here for them. */
  readonly sessionEnds: SessionEnds;
  readonly tasks: Pick<TaskStore, 'listLive'>;
  readonly evidence: EvidenceKit;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
