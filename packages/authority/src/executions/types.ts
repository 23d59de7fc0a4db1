import type { Json } from '@writ/core';
import type { ReadTx, WriteTx } from '@writ/database';
import type { Execution, ExecutionOutcome, SessionKey } from '@writ/lease-store';
import type { Isolation, Network } from '@writ/policy';
import type { Preview } from '../approvals/showing.ts';
import type { Asker, Refusal } from '../record-types.ts';

/** What the right to run something is decided from; stored with it, and decided from again right before the start. */
export interface RightsQuery extends Asker {
  /** Effective profile that it was asked under. */
  readonly profile: string;
  /** What the part that decides needs besides. */
  readonly basis: Json;
}

/** What policy and leases grant at this moment. */
export interface GrantedRights {
  readonly granted: true;
  readonly profile: string;
  readonly runner: string;
  readonly network: Network;
  readonly isolation: Isolation;
  readonly closure: readonly string[];
  /** Lease that was claimed. */
  readonly leaseId?: string;
  /** When its time is over, milliseconds since the epoch; absent where nothing was claimed. */
  readonly deadlineMs?: number;
  /** What it rests on ends then, whatever it has worked by that time; absent: that has no end of its own. */
  readonly ends?: RightEnd;
}

/** The end of a lease or of a writ, milliseconds since the epoch. */
export interface RightEnd {
  readonly code: 'LEASE_EXPIRED' | 'WRIT_EXPIRED';
  readonly atMs: number;
}

/** Until when a command may run. */
export type StartBounds = Pick<GrantedRights, 'deadlineMs' | 'ends'>;

export type Rights = GrantedRights | { readonly granted: false; readonly refusal: Refusal };

/** Decides rights: for commands of no task authority itself, for those of a task whoever keeps its grant. */
export interface CommandRights {
  /** Without effect. */
  look(tx: ReadTx, query: RightsQuery): Rights;
  /** In the transaction that starts; claims a use of the lease where one is needed. */
  claim(tx: WriteTx, query: RightsQuery): Rights;
  /** Gives a claimed use back; only where no process was ever spawned. */
  giveBack(tx: WriteTx, leaseId: string): void;
}

/** What rules say about a command. */
export type CommandFacts = Pick<Execution, 'class' | 'known' | 'needs' | 'target'>;

/** Says it of a stored one by the rules of this moment: those of a reload may be stricter than those it was asked under. */
export type Classify = (execution: Execution) => CommandFacts;

/** A gated command as it is proposed. */
export interface Proposal extends CommandFacts {
  readonly asker: Asker;
  /** Of the caller; the same key and action is the same execution. */
  readonly idempotencyKey: string;
  readonly profile: string;
  readonly digest: string;
  readonly request: Json;
  readonly basis: Json;
  readonly preview: Preview;
  /** How long it may wait to start, milliseconds. */
  readonly lifetimeMs: number;
}

export type ProposeOutcome =
  | { readonly proposed: true; readonly execution: Execution }
  | { readonly proposed: false; readonly refusal: Refusal };

/** What became of trying to start. */
export type StartOutcome =
  | ({ readonly started: true; readonly execution: Execution } & StartBounds)
  /** It waits on, for a person or a window. */
  | { readonly started: false; readonly waits: true }
  /** It has ended, now or before; absent execution: there is none. */
  | { readonly started: false; readonly waits: false; readonly execution?: Execution };

/** A command that runs without its right, and why it has none. */
export interface Withdrawn {
  readonly execution: Execution;
  readonly refusal: Refusal;
}

/** Gated commands of one node. */
export interface Executions {
  /** Stores it and, where nothing covers it, asks. Throws BAD_REQUEST for an empty key, CONFLICT for one used otherwise. */
  propose(proposal: Proposal): ProposeOutcome;
  /** The same in the caller's transaction, which may store what the proposal rests on. */
  proposeIn(tx: WriteTx, proposal: Proposal): ProposeOutcome;
  /**
   * Why nothing of an asker is taken in now, whatever it is: `tooFast`, or that there is no room. A look before anything is
   * read or decided for it; written down as a refused proposal is.
   */
  refusalOf(tx: WriteTx, asker: Asker, tooFast: Refusal | undefined): Refusal | undefined;
  get(id: string): Execution | undefined;
  /** The one that was proposed under a key. */
  findByKey(whose: Pick<Execution, 'requestedBy' | 'origin' | 'session' | 'idempotencyKey'>): Execution | undefined;
  /** Newest first. */
  list(filter: { readonly key?: SessionKey; readonly task?: string; readonly limit: number }): readonly Execution[];
  /** Ids of what may start now, oldest first, of one lane where it is named, without those to skip; a first look that claims nothing. */
  ready(limit: number, which?: { readonly lane?: string; readonly skip?: ReadonlySet<string> }): readonly string[];
  /** The lanes in which something has not started, see `laneOf`. */
  lanes(): readonly string[];
  /**
   * The last look, in the transaction that stores `running`: `digest` is that of what is held to run.
   * INVARIANT: 5, 6 what starts has its own approval or window, checked for it alone, with its own session.
   */
  start(id: string, digest: string): StartOutcome;
  /** Stores how a running one ended. */
  finish(id: string, event: 'complete' | 'fail' | 'cancel' | 'crash', outcome: ExecutionOutcome): Execution | undefined;
  /** No process was ever spawned: it ends `failed`, and what was claimed is given back. */
  notSpawned(id: string, outcome: ExecutionOutcome): Execution | undefined;
  /** Ends one that cannot start any more, whatever is approved; undefined where it does not wait. */
  refuse(id: string, outcome: ExecutionOutcome): Execution | undefined;
  /** Ends one that has not started, by its caller; undefined where it has, or has ended. */
  cancel(id: string): Execution | undefined;
  /** Ends what has not started of a session or a task, in the transaction that ends that. */
  cancelOf(tx: WriteTx, whose: SessionKey | { readonly task: string }): void;
  /** Ends everything that has not started, in the transaction that accepts a clock that went back. */
  endWaiting(tx: WriteTx): void;
  /** Ends what would start by yeses that do not count any more. */
  refuseApproved(tx: WriteTx, approvals: readonly string[]): void;
  /** What is granted for one at this moment, whether or not it is what was shown; without effect. */
  rights(execution: Execution): Rights;
  /** Those that run and would not be allowed to start any more: by policy, or because their lease is gone. */
  withdrawn(): readonly Withdrawn[];
  /** How many run, as they are stored. */
  countRunning(): number;
  /** At the start of the node: whatever was running has an unknown outcome, and is never tried again. */
  recover(): number;
  /** Ends what was not started in time, and removes what ended long ago; a bounded number at a time. */
  sweep(): { readonly expired: number; readonly pruned: number };
}
