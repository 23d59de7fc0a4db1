import type { DecisionCode, LoadCode } from '@writ/core';
import type { Config, Isolation, Network, PeerConfig } from './config-types.ts';

export type {
  CommandPattern,
  CommandRule,
  Config,
  Isolation,
  Limits,
  Network,
  OutboundRules,
  PeerConfig,
  Profile,
  RunnerConfig,
  StorageConfig,
  SubjectRules,
  UpstreamConfig,
  WorkspaceConfig,
} from './config-types.ts';

/** Where in `writ.toml` something stands: 1-based line and column. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One thing wrong with a configuration. A load reports all of them at once. */
export interface Violation {
  readonly code: LoadCode;
  /** Dotted key path, for example `profiles.repo-dev.rank`; empty for the whole file. */
  readonly path: string;
  readonly position?: Position;
  /** What is wrong and what to write instead; lower case, no full stop. */
  readonly message: string;
}

/** Something that still loads but should be written otherwise. */
export interface Deprecation {
  readonly path: string;
  readonly position?: Position;
  readonly message: string;
}

/** How the work of a task is given to a runner. */
export type TaskInput =
  | { readonly kind: 'argv'; readonly argv: readonly string[] }
  | { readonly kind: 'prompt'; readonly prompt: string };

/** One immutable compiled policy. A decision reads exactly one. */
export interface Snapshot {
  readonly generation: number;
  /** SHA-256 of the text it was compiled from, hex. */
  readonly digest: string;
  readonly config: Config;
  /** The peer with this node id, folded: what every call asks for, so that nobody looks through them all. */
  readonly peer: (id: string) => PeerConfig | undefined;
  readonly deprecations: readonly Deprecation[];
}

/** What already counts against a subject's limits. */
export interface Usage {
  readonly concurrent: number;
  readonly lastHour: number;
}

/** A live lease that the caller found for this request; matched against the effective profile. */
export interface LeaseFact {
  readonly id: string;
  readonly profile: string;
  /** Closure of the profile when the lease was issued. */
  readonly closure: readonly string[];
  /** Empty: every workspace the peer has. */
  readonly workspaces: readonly string[];
  readonly expiresAtMs: number;
}

/** What a decision is made from. All facts are fields: deciding reads no file, no clock and no network. */
export interface DecisionRequest {
  /** Node id of the sender (any letter case), or `self` for this machine's own agent. */
  readonly from: string;
  /** Node ids from the origin to the sender; empty for `self`. */
  readonly chain: readonly string[];
  readonly profile?: string;
  readonly runner?: string;
  readonly workspace?: string;
  readonly input?: TaskInput['kind'];
  /**
   * Closures of the grants of the writs, first hop first; absent for `self`. Every one but the last must hold
   * `subdelegate`, and the effective closure must lie within each.
   */
  readonly grants?: readonly (readonly string[])[];
  /** Workspaces that every grant allows; absent: no bound. */
  readonly grantWorkspaces?: readonly string[];
  /** Network that every grant allows; absent: no bound. */
  readonly grantNetwork?: Network;
  /** Output that every grant allows; absent: no bound. */
  readonly grantMaxOutputBytes?: number;
  /** Further hops that the writ allows; absent: no bound by the writ. */
  readonly depthLeft?: number;
  /** Live leases of this subject; the engine picks the first that covers the effective profile. */
  readonly leases: readonly LeaseFact[];
  readonly usage: Usage;
  /** A person has said yes to exactly this; whoever says so has compared digests. Absent: nobody has. */
  readonly approved?: boolean;
}

/** What was granted: the bounds under which the work runs. */
export interface Grant {
  readonly closure: readonly string[];
  readonly rank: number;
  readonly network: Network;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly isolation: Isolation;
  /** Further hops that may follow. */
  readonly depth: number;
}

/** One rule looked at. */
export interface TraceStep {
  /** Stable name of the step, for example `ceilings`. */
  readonly rule: string;
  readonly outcome: 'pass' | 'cut' | 'ask' | 'deny' | 'skip';
  readonly detail: string;
  /** Key path of the rule in the file, where it stands there. */
  readonly path?: string;
  readonly position?: Position;
}

/** A decision is a value, never an exception. */
export interface Decision {
  readonly effect: 'allow' | 'ask' | 'deny';
  /** `OK` for a plain allow. */
  readonly code: DecisionCode | 'OK';
  readonly message: string;
  readonly nextSteps: readonly string[];
  readonly requestedProfile?: string;
  readonly effectiveProfile?: string;
  readonly effectiveRunner?: string;
  readonly grant?: Grant;
  readonly leaseId?: string;
  readonly generation: number;
  readonly trace: readonly TraceStep[];
}

/** A request that this machine's agent wants to send to a peer. */
export interface OutboundRequest {
  /** Label or id of the peer. */
  readonly to: string;
  readonly profile?: string;
  readonly workspace?: string;
  readonly ship: boolean;
}

/** A call of a tool of an upstream MCP server. */
export interface UpstreamRequest {
  readonly upstream: string;
  /** As the server names it. */
  readonly tool: string;
  /** Of the task that calls; absent: an agent of this node does. */
  readonly profile?: string;
}

/** What became of a reload; the caller is told the truth. */
export interface ReloadOutcome {
  readonly reloaded: boolean;
  /** Generation in force after the call. */
  readonly generation: number;
  /** Why the last good policy stays in force. */
  readonly violations?: readonly Violation[];
  /** What would give someone more and therefore waits; both old and new decide until it is accepted. */
  readonly parked?: readonly PolicyChange[];
  /** Keys, addresses all of them, whose value in force is another one than at the start: it takes a restart. */
  readonly restartNeeded: readonly string[];
}

/** One difference between two policies, seen by one subject. */
export interface PolicyChange {
  /** Peer label, `self`, or `node`. */
  readonly subject: string;
  readonly effect: 'gains' | 'loses';
  /** For example `may ask for profile repo-dev`. */
  readonly what: string;
}

export interface ReloadOptions {
  /** True only for a caller that may accept what gives someone more. */
  readonly acceptWidening: boolean;
}

/** What `policy status` shows. */
export interface PolicyStatus {
  /** Digest of the text that a person has accepted last; the same as `digest` unless a change is parked. */
  readonly acceptedDigest: string;
  readonly generation: number;
  readonly digest: string;
  readonly loadedAtMs: number;
  readonly deprecations: readonly Deprecation[];
  /** The last reload that failed, until one succeeds. */
  readonly lastError?: PolicyFailure;
  readonly parked?: readonly PolicyChange[];
  /**
   * True where nobody is let in until a person accepts: more changes wait than can be kept apart, or what was accepted
   * last cannot be read any more.
   */
  readonly isShut: boolean;
  /** As of a reload. */
  readonly restartNeeded: readonly string[];
  /** Keys of the addresses that wait for a yes; the ones of before are in force. */
  readonly addressesWaiting: readonly string[];
}

/** Why a text is not in force: it breaks rules, or it could not even be read. */
export interface PolicyFailure {
  readonly atMs: number;
  /** Empty where the text could not be read. */
  readonly violations: readonly Violation[];
  /** Why the text could not be read. */
  readonly unreadable?: string;
}

/** A text of a configuration that still bounds what holds. */
export interface AcceptedText {
  /** SHA-256 of the text, hex. */
  readonly digest: string;
  readonly text: string;
}

/**
 * The policy engine: one instance a node, handed to the mesh server and the gateway. The snapshot inside is swapped
 * by one reference assignment under the write lock.
 */
export interface PolicyEngine {
  snapshot(): Snapshot;
  decide(request: DecisionRequest): Decision;
  decideOutbound(request: OutboundRequest): Decision;
  decideUpstream(request: UpstreamRequest): Decision;
  /** Starting work: `fn` runs under the read lock; no reload is acknowledged while it does. */
  whileHeld<T>(fn: () => Promise<T> | T): Promise<T>;
  /** Parse → validate → tests → compile → one assignment → generation + 1, under the write lock. */
  reload(text: string, options: ReloadOptions): Promise<ReloadOutcome>;
  /** Notes for `status` that there is no text to load: the last good policy stays in force until one loads again. */
  noteUnreadable(reason: string): void;
  status(): PolicyStatus;
  /**
   * The text that a person has accepted last, then those that have taken something away since, for the caller to store:
   * a restart begins with them.
   */
  acceptedTexts(): readonly AcceptedText[];
  /**
   * Called after each change of the snapshot, outside the lock and before it is acknowledged, each listener in a turn of its
   * own; returns how to stop. One that throws is reported and keeps no other from being called.
   */
  onChange(listener: (now: Snapshot, before: Snapshot) => void): () => void;
}
