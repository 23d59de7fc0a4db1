import type { FairTurns } from '@writ/core';
import type { createResultReader } from '@writ/evidence';
import type { Wakeups } from '../wakeups.ts';
import type { Follower } from './following.ts';
import type { MirrorJournal } from './mirror-journal.ts';
import type { OriginOptions } from './options.ts';
import type { PeerTime } from './peer-time.ts';
import type { ReceiptOutbox } from './results/receipts.ts';
import type { Turns } from './turns.ts';

/** What the functions of one origin share. */
export interface OriginParts extends OriginOptions {
  readonly journal: MirrorJournal;
  readonly wakeups: Wakeups;
  /** One for each mirror that is not terminal, by task id. */
  readonly followers: Map<string, Follower>;
  /** Submits that wait for an answer, by peer. */
  readonly turns: Turns;
  readonly peerTime: PeerTime;
  readonly receipts: ReceiptOutbox;
  readonly late: LateResults;
  /** Reads a kept envelope by its digest. */
  readonly readResult: ReturnType<typeof createResultReader>;
  /** Working trees that are being sent ahead, by session and key. */
  readonly shipping: Map<string, Promise<unknown>>;
  /** In which these are read and sent. */
  readonly ships: FairTurns;
  /** Aborts when this node closes. */
  readonly stopping: AbortSignal;
  readonly closing: () => boolean;
}

/**
 * Asks for what was given up here while its executor was silent. What comes is kept beside the mirror: state and outcome
 * stay.
 */
export interface LateResults {
  /** No effect for a task that was not given up. */
  await(id: string): void;
  /** Everything that is stored as given up. */
  awaitAll(): void;
  close(): Promise<void>;
}
