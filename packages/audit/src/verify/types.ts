import type { AuditRow } from '@writ/database';

/** Where something is not as it was signed. */
export type ProblemPlace = 'rows' | 'file' | 'hashes' | 'checkpoint' | 'kept-checkpoint' | 'bundle';

/** What became of it. */
export type ProblemKind =
  | 'edited'
  | 'missing'
  | 'duplicate'
  | 'reordered'
  | 'extra'
  | 'unreadable'
  | 'cut'
  | 'forked'
  | 'bad-signature'
  | 'unknown-key'
  | 'another-log';

/** One thing that does not hold. */
export interface Problem {
  readonly where: ProblemPlace;
  readonly kind: ProblemKind;
  /** First and last entry that it is about, where it is about some. */
  readonly from?: number;
  readonly to?: number;
  /** Lower case, no full stop, safe to show. */
  readonly message: string;
  readonly nextSteps: readonly string[];
}

/** What a checkpoint that was kept elsewhere says about a log. */
export interface KeptCheckpoint {
  readonly size: number;
  /** Hex. */
  readonly root: string;
  /** Whether the log began with exactly what it counts. */
  readonly holds: boolean;
}

/** What verifying came to. */
export interface VerifyReport {
  readonly ok: boolean;
  /** Id of the node whose log it is. */
  readonly node: string;
  /** Rows that were looked at. */
  readonly rows: number;
  /** Entries in the files. */
  readonly written: number;
  /** Entries that the newest checkpoint with a good signature counts. */
  readonly signed: number;
  /** Checkpoints that hold. */
  readonly checkpoints: number;
  readonly kept: readonly KeptCheckpoint[];
  /** In the order of the entries. */
  readonly problems: readonly Problem[];
  /** Problems beyond those. */
  readonly more: number;
  /** What is not as usual, and no problem. */
  readonly notes: readonly string[];
}

/** A line of a file of entries. */
export interface EntryLine {
  readonly text: string;
  /** What it says; undefined where it says nothing. */
  readonly row: AuditRow | undefined;
}
