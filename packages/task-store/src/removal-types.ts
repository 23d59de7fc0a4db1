import type { ReadTx, RemovalTx, WriteTx } from '@writ/database';

/** The two parts that a node can have in a task: it ran it, or it asked for it. */
export type TaskPart = 'task' | 'mirror';

/** Where a walk over what has ended stands: everything up to this was looked at. */
export interface WalkPlace {
  readonly endedAtMs: number;
  readonly n: number;
}

/** Something that has ended long ago. */
export interface EndedPart extends WalkPlace {
  readonly part: TaskPart;
  readonly id: string;
  /** Who asked for a task: a node id or `self`; for a mirror, who ran it. */
  readonly peer: string;
  readonly state: string;
  /** No record of work asks for it or is made of it any more. */
  readonly isFree: boolean;
}

/** What decides whether something is still wanted. */
export interface RemovalRules {
  /** What ended later than this stays, milliseconds since the epoch. */
  readonly beforeMs: number;
  /** Node ids of everybody who may still ask, in lower case. */
  readonly peers: readonly string[];
}

/** Whose a part was that has just been removed. */
export interface RemovedRow {
  /** Who asked for a task: a node id or `self`; for a mirror, who ran it. */
  readonly peer: string;
  readonly session: string;
  /** Id of the node where the session of a mirror began; absent: this one. */
  readonly origin?: string;
}

/** Something that is left of what was removed. `name`: a number of rows, a task's id, or a SHA-256. */
export interface Leftover {
  readonly kind: 'task-events' | 'mirror-events' | 'questions' | 'transcript' | 'copy' | 'evidence';
  readonly name: string;
}

/** What clearing a leftover came to, and how many rows it changed. */
export interface Cleared {
  /**
   * `done`: it is gone, or belongs to somebody who is kept. `more`: as many rows went as go at once. `file`: what is left is
   * a file. `later`: whether it belongs to somebody is not known yet, or what it names.
   */
  readonly kind: 'done' | 'more' | 'file' | 'later';
  readonly rows: number;
}

/** What is known of a part that was removed. `owner`: the sender of a task, the session of a mirror. */
export interface RemovedPart {
  readonly owner: string;
  readonly atMs: number;
}

/**
 * Removes what has ended and what nobody may ask for any more, in transactions that change some hundred rows at most. The row
 * goes first, with an audit row, and what is to follow it is noted in the same transaction; so nobody finds a task without
 * what belongs to it.
 */
export interface RemovalStore {
  /** What ended before `rules.beforeMs`, behind `place`, oldest end first: at most `limit` are looked at. */
  walk(tx: ReadTx, part: TaskPart, rules: RemovalRules, place: WalkPlace, limit: number): readonly EndedPart[];
  /**
   * Removes one that is free, with its audit row. Undefined, with no effect, where it is gone or not free.
   * INVARIANT: 8 its id and its key are remembered for ever, so that neither starts anything again.
   */
  remove(tx: RemovalTx, part: TaskPart, id: string, rules: RemovalRules): RemovedRow | undefined;
  /** Whether something is kept that was asked for in a session with this id, whoever's it is. */
  hasSession(tx: ReadTx, session: string): boolean;
  /** What is known of a part with this id that was removed; undefined: none was. */
  find(tx: ReadTx, part: TaskPart, id: string): RemovedPart | undefined;
  /** The same by the key of a sender (`task`) or a session (`mirror`). */
  findKey(tx: ReadTx, part: TaskPart, owner: string, key: string): RemovedPart | undefined;
}

/**
 * What is left of what was removed, and who names which evidence. Everything goes in the end but envelopes that cannot be read.
 */
export interface LeftoverStore {
  /** Leftovers behind `place` in the order of kind and name, at most `limit`. */
  list(tx: ReadTx, place: Leftover | undefined, limit: number): readonly Leftover[];
  /** INVARIANT: 10 evidence that something names which is kept stays; nothing of it goes before all envelopes are read. */
  clear(tx: WriteTx, leftover: Leftover): Cleared;
  /** Whether content with this digest belongs to something that is kept. */
  isNamed(tx: ReadTx, sha256: string): boolean;
  /** A file is gone. */
  settle(tx: WriteTx, leftover: Leftover): void;
  /** Digests of envelopes of which is not known yet what they name, at most `limit`. */
  unread(tx: ReadTx, limit: number): readonly string[];
  /** Content and envelopes that an envelope names. */
  noteNames(tx: WriteTx, envelope: string, names: readonly string[]): void;
  /** All that an envelope names is noted. `task`: which task it is about; empty: it cannot be read. */
  noteRead(tx: WriteTx, envelope: string, task: string): void;
}
