import type BetterSqlite3 from 'better-sqlite3';
import type { AuditFiles } from '../../log/layout.ts';
import type { ProblemKind, ProblemPlace } from '../../verify/types.ts';

/** A log that somebody tampers with: a copy of one that was made by a node. */
export interface Victim {
  readonly dir: string;
  readonly files: AuditFiles;
  readonly databaseFile: string;
  /** Entries of the log. */
  readonly size: number;
  /** Entries that its checkpoints count, smallest first; the last is `size`. */
  readonly sizes: readonly number[];
  /** Changes the rows as somebody does who can write the file: without triggers. */
  rows(change: (handle: BetterSqlite3.Database) => void): void;
  /** Writes files and checkpoints anew from the rows, signed by the node's own key or by another. */
  rewrite(key: 'own' | 'another'): Promise<void>;
  /** A number from `from` to `to`, both included. */
  pick(from: number, to: number): number;
}

/** What verifying has to say about a tampering: one of its problems. */
export interface Expected {
  readonly where: readonly ProblemPlace[];
  readonly kind: readonly ProblemKind[];
  /** The entry that it has to be about; absent: about none in particular. */
  readonly entry?: number;
  /** Whether only a checkpoint that was kept elsewhere shows it. */
  readonly needsKept?: boolean;
}

/** One way to tamper with a log. */
export interface Tampering {
  readonly name: string;
  apply(victim: Victim): Expected | Promise<Expected>;
}

/** One way to tamper with a bundle of all entries: what becomes of its lines, and the entry that it is about; 0: its head. */
export interface BundleTampering {
  readonly name: string;
  change(lines: readonly string[], pick: Victim['pick']): { readonly lines: readonly string[]; readonly entry: number };
}
