import type { ReadTx, RemovalTx, WriteTx } from '@writ/database';
import type { SessionKey } from './approval-types.ts';

/** A time-limited grant of a profile to a peer (or session), issued on the executing node. */
export interface Lease {
  readonly id: string;
  /** Node id of the peer that may use it, or `self`. */
  readonly peer: string;
  /** Node id of the origin it serves; the peer itself unless said otherwise. */
  readonly origin: string;
  /** Only this session of the origin; absent: all. */
  readonly session?: string;
  readonly profile: string;
  /** Closure of the profile at issue. */
  readonly closure: readonly string[];
  /** Empty: every workspace that the peer has. */
  readonly workspaces: readonly string[];
  readonly issuedBy: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  /** The latest moment that a renewal may reach. */
  readonly maxExpiresAtMs: number;
  /** Undefined: unlimited. */
  readonly maxUses?: number;
  readonly uses: number;
  readonly revokedAtMs?: number;
  readonly version: number;
}

export type NewLease = Omit<Lease, 'uses' | 'revokedAtMs' | 'version' | 'issuedAtMs'>;

/** Why a claim was refused. */
export type ClaimRefusal = 'missing' | 'revoked' | 'expired' | 'used-up' | 'clock-backwards';

export interface LeaseQuery {
  readonly peer: string;
  readonly origin: string;
  readonly session?: string;
}

/** Records of leases. Every method works inside the caller's transaction. */
export interface LeaseStore {
  insert(tx: WriteTx, lease: NewLease): Lease;
  get(tx: ReadTx, id: string): Lease | undefined;
  /** Newest first; `peer` limits to one. */
  list(
    tx: ReadTx,
    filter: { readonly peer?: string; readonly includeDead?: boolean; readonly nowMs: number },
  ): readonly Lease[];
  /** Unrevoked, unexpired, not used up, for exactly this peer and origin, and this session or none. */
  findLive(tx: ReadTx, query: LeaseQuery, nowMs: number): readonly Lease[];
  /** Counts one use, or says why not. INVARIANT: 4 the check and the count are one statement. */
  claimUse(
    tx: WriteTx,
    id: string,
  ): { readonly claimed: true } | { readonly claimed: false; readonly refusal: ClaimRefusal };
  /** Gives a use back; only for an attempt whose process was never spawned. */
  returnUse(tx: WriteTx, id: string): void;
  /**
   * Moves the expiry of a live lease on, never past its own maximum. Undefined, and nothing changed, where it is dead,
   * has changed since `before`, would not live longer, or the clock is back.
   */
  renew(tx: WriteTx, before: Pick<Lease, 'id' | 'version'>, expiresAtMs: number): Lease | undefined;
  /** False where it was revoked before or does not exist. */
  revoke(tx: WriteTx, id: string): boolean;
  /** Removes at most `limit` leases dead for over 30 days; returns how many. */
  prune(tx: RemovalTx, limit: number): number;
}

/** One agent's piece of work, named by its origin node and an id there. */
export interface Session {
  readonly origin: string;
  readonly id: string;
  readonly agent: string;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
}

/** What the record of a session is needed for, as its id says. */
export interface SessionRules {
  /** Whatever comes in it while it goes on records it anew: nothing is proved by its record. */
  readonly isRecordedAnew: boolean;
  /** Without its record it does not begin again after its end. */
  readonly staysEnded: boolean;
  /** It was one call's, so that there is no end of it to tell anybody. */
  readonly isOfOneCall: boolean;
}

/** What sessions are removed by. */
export interface SessionPruning {
  readonly after?: SessionKey | undefined;
  readonly openBeforeMs: number;
  readonly limit: number;
  rulesOf(key: SessionKey): SessionRules;
  /** A record that is none of authority and is kept names it. */
  isNamed(tx: ReadTx, key: SessionKey): boolean;
}

export interface SessionStore {
  start(tx: WriteTx, session: { readonly origin: string; readonly id: string; readonly agent: string }): Session;
  get(tx: ReadTx, origin: string, id: string): Session | undefined;
  /** False where it was ended before or does not exist. */
  end(tx: WriteTx, origin: string, id: string): boolean;
  /**
   * Remembers the end of a session that nothing was asked in, so that nothing can be asked in it later: at most `limit` of an origin, those
   * that ended before `sinceMs` forgotten first, unless the time is doubted. False: it is known, or there is no room.
   */
  noteEnded(
    tx: WriteTx,
    session: { readonly origin: string; readonly id: string; readonly agent: string },
    bounds: { readonly sinceMs: number; readonly limit: number },
  ): boolean;
  /** Those of an origin that have not ended, newest first. */
  listOpen(tx: ReadTx, origin: string, limit: number): readonly Session[];
  /** Remembers that a peer was asked for something in a session, and so has to hear of its end. */
  hold(tx: WriteTx, key: SessionKey, peer: string): void;
  /** Who was, sorted. */
  holders(tx: ReadTx, key: SessionKey): readonly string[];
  /** Remembers that a peer holds something for a session that has ended, until it was told. */
  oweEnd(tx: WriteTx, owed: SessionEnd): void;
  /** Oldest first; of one peer when asked. */
  listOwedEnds(tx: ReadTx, filter: { readonly peer?: string; readonly limit: number }): readonly SessionEnd[];
  /** The peer has been told. */
  settleEnd(tx: WriteTx, owed: SessionEnd): void;
  /**
   * Removes sessions that nothing names, with an audit row: such as ended thirty days ago and stay ended, and such as go on,
   * began before `openBeforeMs`, are recorded anew by whatever comes in them, and have no end that somebody would be told of.
   * At most `limit` are looked at, behind `after`; `next` is where to go on, absent at the end.
   */
  prune(tx: RemovalTx, pruning: SessionPruning): { readonly removed: number; readonly next?: SessionKey };
}

/** A node that has to hear of the end of a session. */
export interface SessionEnd {
  readonly origin: string;
  readonly session: string;
  /** Node id. */
  readonly peer: string;
  /** What the origin has signed, where that is another node; absent: this node signs it itself. */
  readonly statement?: Uint8Array;
}

/** What a presented token proves. */
export type TokenIdentity =
  | { readonly kind: 'host' }
  | { readonly kind: 'task'; readonly task: string; readonly origin: string; readonly session: string };

/** Tokens by hash; the secret itself is never stored. */
export interface TokenStore {
  /** Stores the hash (SHA-256, hex) of a token; an older host token dies with a new one. */
  put(tx: WriteTx, hash: string, identity: TokenIdentity): void;
  /** Constant-time compare of hashes; undefined for anything that proves nothing. */
  find(tx: ReadTx, hash: string): TokenIdentity | undefined;
  /** Ends the token of a task. */
  dropTask(tx: WriteTx, task: string): void;
}

/** Requests that count against a subject's limits: granted, asked and denied ones. */
export interface RequestLogStore {
  record(tx: WriteTx, subject: string): void;
  /** Requests of `subject` in the hour before `nowMs`. */
  countLastHour(tx: ReadTx, subject: string, nowMs: number): number;
  prune(tx: RemovalTx, limit: number): number;
}

/** An invite that this node made: the secret works once, until it expires. */
export interface InviteRecord {
  readonly id: string;
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly profiles: readonly string[];
  readonly workspaces: readonly string[];
  /** Lease that is granted when the peer joins, milliseconds; absent: none. */
  readonly leaseMs?: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly usedAtMs?: number;
}

export interface InviteStore {
  insert(tx: WriteTx, invite: Omit<InviteRecord, 'createdAtMs' | 'usedAtMs'>): InviteRecord;
  listOpen(tx: ReadTx, nowMs: number): readonly InviteRecord[];
  /** Marks it used in one statement; false where it was used, is expired or missing. */
  use(tx: WriteTx, id: string): boolean;
  /** Marks every unused one used, expired or not, whatever the clock says; returns their ids. */
  endAll(tx: WriteTx): readonly string[];
  /** Removes what was used, or expired, thirty days ago, at most `limit`; returns how many. */
  prune(tx: RemovalTx, limit: number): number;
}

/** Durable facts of a node, by key: the texts of the accepted policy and their digests, schema of the home, … */
export interface NodeFactStore {
  get(tx: ReadTx, key: string): string | undefined;
  set(tx: WriteTx, key: string, value: string): void;
  /** Does nothing where there is none. */
  remove(tx: WriteTx, key: string): void;
  /** Keys that begin with `prefix` (printable ASCII), sorted; their values are not read. */
  keys(tx: ReadTx, prefix: string): readonly string[];
}
