import type { ApproverChange, Gate, LeaseWish, NewApprover } from '@writ/authority';
import type { Decision, Deprecation, PolicyChange, ReloadOutcome, Violation } from '@writ/policy';
import type { Caller, SessionRef } from './types.ts';

/** A question to persons, as it is stored. */
export type Approval = NonNullable<ReturnType<Gate['approvals']['get']>>;

/** What a node says of itself. */
export interface NodeInfo {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  /** Folder that holds everything of the node. */
  readonly home: string;
  /** `host:port` that the mesh listener is bound to; absent: it only dials out. */
  readonly meshAddress?: string;
  /** `host:port` of the HTTP listener of this machine; absent: there is none. */
  readonly httpAddress?: string;
  /** True while the wall clock stands so far behind the records that nothing that is limited in time counts. */
  readonly clockIsBackwards: boolean;
  /** True while the person's and the agent's credential are the same one. */
  readonly unseparated: boolean;
  /** Stored rows that cannot be read and are left out, as `table/key`; found since the start. */
  readonly unreadableRows: readonly string[];
}

/** The running node as a whole. */
export interface NodeControl {
  info(): NodeInfo;
  /** What tasks run in where their profile requires isolation, or why there is nothing, for a person. */
  sandbox(): Promise<string>;
  /** Why no command can be looked at, so that each is refused; undefined: they can. */
  commandsProblem(): string | undefined;
  /** Starts the orderly stop and returns at once. */
  requestStop(): void;
}

/** A program of this machine, and whether its sandbox can run it. */
export interface ProgramFound {
  /** Absolute. */
  readonly path: string;
  readonly sandbox: 'runs' | 'unknown' | 'not-shown' | 'fails' | 'no-sandbox';
}

/** An agent that this version knows how to drive, and what of it is here. */
export interface AgentFound {
  readonly agent: {
    readonly program: string;
    readonly kind: 'acp' | 'codex' | 'claude';
    /** Behind the program in the `argv` of its runner. */
    readonly args: readonly string[];
    readonly asksLeave: boolean;
    readonly usage: readonly ('tokens' | 'cost')[];
  };
  /** Absent: it is not installed. */
  readonly found?: ProgramFound & { readonly version?: string };
  readonly problem?: string;
  readonly nextSteps: readonly string[];
}

/** Looks for what can do the work. */
export interface MachineAgents {
  /** Every known agent, installed or not. */
  agents(): Promise<readonly AgentFound[]>;
  /** A program as a runner names it; undefined: it is not there. */
  program(name: string): Promise<ProgramFound | undefined>;
}

/** `none`: this node has no address of the peer; `idle`: nothing is connected and nothing was tried. */
export type LinkState = 'up' | 'connecting' | 'idle' | 'down' | 'none';

/** What is known of the connections to peers. */
export interface PeerLinks {
  /** By node id; never throws, an unknown id is `none`. */
  state(peerId: string): LinkState;
}

/** A profile as its node describes it to a peer. */
export interface OfferedProfile {
  readonly name: string;
  readonly rank: number;
  readonly requiresLease: boolean;
  readonly requiresApproval: boolean;
}

/** What a peer lets this node ask for. */
export interface PeerDescription {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly profiles: readonly OfferedProfile[];
  readonly workspaces: readonly string[];
  readonly generation: number;
}

/** What policy says to a request, as far as the asker may know it. */
export interface PolicyVerdict
  extends Pick<Decision, 'effect' | 'message' | 'nextSteps' | 'effectiveProfile' | 'effectiveRunner' | 'generation'> {
  readonly code: string;
}

/** Asks a peer what it offers. Both go by node id and throw UNREACHABLE where the peer does not answer. */
export interface RemoteDescribe {
  describe(peerId: string, signal: AbortSignal): Promise<PeerDescription>;
  /** Whether a request of this node would be allowed there; it counts there like one. */
  check(
    peerId: string,
    question: { readonly profile?: string; readonly workspace?: string; readonly runner?: string },
    signal: AbortSignal,
  ): Promise<PolicyVerdict>;
}

/** What a configuration text would come to, without loading it. */
export interface ConfigCheck {
  readonly violations: readonly Violation[];
  readonly deprecations: readonly Deprecation[];
}

/** One `[[tests]]` entry and what came of it. */
export interface ConfigTestResult {
  /** How the entry reads, for example `laptop repo-dev/app`. */
  readonly name: string;
  readonly ok: boolean;
  readonly expected: string;
  readonly got: string;
  readonly line?: number;
}

/** The node's `writ.toml`. */
export interface ConfigAdmin {
  /** The file as it stands now. */
  text(): Promise<string>;
  /** Loads the file in place; `accept` also takes what gives someone more. */
  reload(options: { readonly accept: boolean }): Promise<ReloadOutcome>;
  /** When an approver's yes came to nothing because the file was changed, or met a fault, before it was in force; while something waits. */
  unusedYesAtMs(): number | undefined;
  validate(text: string): Promise<ConfigCheck>;
  /** Runs the `[[tests]]` of the file. Throws CONFIG_INVALID where it does not load for another reason. */
  test(text: string): Promise<readonly ConfigTestResult[]>;
  /**
   * Checks an edit, and unless `dryRun` writes it and loads it without anybody's yes: what takes away is in force at
   * once, what gives someone more waits. A text that does not load is not written. Throws what `change` throws,
   * CONFIG_INVALID where the file does not load as it stands, and CONFLICT where it changes meanwhile, or is not the one of `digest`.
   */
  propose(change: (text: string) => string, options: ProposeOptions): Promise<Proposal>;
  /** Proposes the text from before the last proposal. Throws NOT_FOUND where none was made since the node started, CONFLICT where the file has changed since. */
  revert(options: ProposeOptions): Promise<Proposal>;
}

export interface ProposeOptions {
  /** Writes nothing. */
  readonly dryRun: boolean;
  /** SHA-256 of the text that the change is meant for, hex; absent: it suits whatever is there. */
  readonly digest?: string;
}

/** What an edit of the configuration comes to. */
export interface Proposal {
  /** Lines that go and come, as a patch shows them; empty where nothing changes. */
  readonly difference: string;
  /** SHA-256 of the file as it is now, hex. */
  readonly digest: string;
  readonly violations: readonly Violation[];
  /** Who gets more and less by it than the file before it gave. */
  readonly changes: readonly PolicyChange[];
  /** What goes beyond what a person has accepted, and waits; or would, where it was not written. */
  readonly gains: readonly PolicyChange[];
  /** What came of loading it; absent where it was not written. */
  readonly outcome?: ReloadOutcome;
}

/** What a person types to do what no agent may. */
export interface SetupAdvice {
  /** Agents that are on this machine, and whether they know this node. */
  clients(): Promise<
    readonly { readonly client: string; readonly here: boolean; readonly state: string; readonly file: string }[]
  >;
  /** How an agent is told of this node. Throws NOT_FOUND for one that is not known. */
  clientSteps(client: string): {
    readonly command?: readonly string[];
    readonly file: string;
    readonly settings: string;
  };
  /** The node as a service of its user. Throws BAD_REQUEST where there is no service manager that is known. */
  service(): { readonly kind: string; readonly file: string; readonly text: string; readonly installed: boolean };
}

/** A profile that somebody asks about, as the tables of `writ.toml` would say it. */
export interface ProfileDeclaration {
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly claims?: readonly string[];
  readonly shell?: 'allow' | 'deny';
  readonly network?: 'allow' | 'deny' | readonly string[];
  readonly requireExplicit: boolean;
  readonly requireLease: boolean;
  readonly rank?: number;
}

/** What the load rules say about a profile. */
export interface ProfileVerdict {
  readonly violations: readonly Violation[];
  readonly deprecations: readonly Deprecation[];
  /** Sorted; what could be understood of the declaration. */
  readonly closure: readonly string[];
  readonly rank: number;
}

/** The load rules, applied to one profile alone. */
export interface ProfileValidator {
  validate(declaration: ProfileDeclaration): ProfileVerdict;
}

/** Sessions of this node's own agents. */
export interface Sessions {
  /** Starts the session of a connection, whose origin is this node; `agent` is a folded name. */
  start(agent: string): SessionRef;
  /**
   * Starts one for a call that named none. With a `retry`, the session that this agent started with the same before, if there is
   * one: a retry has to find the work of the first try, and nothing else may.
   */
  startForCall(agent: string, retry?: SessionRetry): SessionRef;
  /** Starts one with a credential, which is given once and kept as a hash. */
  issue(agent: string): { readonly session: SessionRef; readonly credential: string };
  /** The session of a credential; undefined for garbage, and for one that has ended, alike. */
  find(credential: string): SessionRef | undefined;
  /** Those that have not ended, newest first. */
  listOpen(limit: number): readonly (SessionRef & { readonly startedAtMs: number })[];
  /** Ends one; `ended` is false where it had ended, `peers` how many nodes are owed the news. Throws NOT_FOUND. */
  end(id: string, by: string): { readonly ended: boolean; readonly peers: number };
}

/** A call that may be made again: its operation, and the key that its caller gave it. */
export interface SessionRetry {
  readonly operation: string;
  readonly key: string;
}

/** What a person at this node wants, and an approver has to answer. */
export type PersonWish =
  | { readonly about: 'lease'; readonly wish: LeaseWish }
  | { readonly about: 'approver'; readonly change: ApproverChange }
  /** What the configuration that is loaded gives beyond what was accepted. */
  | { readonly about: 'policy' }
  /** That the wall clock is right although it went back. */
  | { readonly about: 'clock' };

/** Puts questions to the approvers of this node, and enrols the first one. */
export interface PersonDesk {
  /** True where somebody can answer: then what gives somebody more needs an answer, and the host token is not one. */
  hasApprover(): boolean;
  /** Enrols the first approver. Throws NOT_APPROVER where there is one, CONFLICT, BAD_REQUEST for what is no key. */
  enroll(approver: NewApprover): void;
  /** Asks for the person. Throws what keeps it from being asked, or what would keep it from being done. */
  ask(wish: PersonWish): Approval;
  /**
   * Whether what a yes to this question of kind `policy` gives is in force, once that is certain; asked right after the
   * answer. Throws where it is not, and may be at the next start.
   */
  isInForce(approval: string): Promise<boolean>;
  /** What takes this question back, for whoever has just asked it: another one each time. */
  giveTicket(id: string): string;
  /** Takes back a question of the person's that waits, with the last ticket of it; false for any other, and while somebody else has one. */
  withdraw(id: string, ticket: string): boolean;
}

/** A clone of a repository that this node has on its disk. */
export interface WorkspaceRow {
  /** `in-use`: a task has it · `ready`: made ahead · else how the task ended that it was for. */
  readonly state: 'in-use' | 'ready' | 'done' | 'failed' | 'orphaned';
  /** What `remove` takes; absent for what is in use or ready. */
  readonly id?: string;
  readonly task?: string;
  /** Name in the configuration; absent where it is not known any more. */
  readonly workspace?: string;
  /** Who asked for its task: the id of a node, or `self`. */
  readonly sender?: string;
  /** Absolute path. */
  readonly dir: string;
  /** On the disk; absent while it is in use. */
  readonly bytes?: number;
  readonly sinceMs?: number;
  /** When it goes by itself; absent: it does not. */
  readonly dueAtMs?: number;
  /** Whether changes in it are kept nowhere else; absent while it is in use. */
  readonly unbundled?: 'none' | 'some' | 'unknown';
}

/** Work of one sender that is kept nowhere else; with more than `shareBytes` it gets no further workspace. */
export interface HeldWork {
  /** The id of a node, `self`, or empty where nobody knows. */
  readonly sender: string;
  readonly bytes: number;
  readonly shareBytes: number;
}

/** What workspaces take of the disk. */
export interface WorkspaceKeeper {
  held(): readonly HeldWork[];
  /** Absolute paths of folders that could not be deleted; they are tried again. */
  undeleted(): readonly string[];
  list(): Promise<{
    readonly rows: readonly WorkspaceRow[];
    readonly bytes: number;
    readonly budgetBytes: number;
  }>;
  /**
   * Removes what is kept: those named by id or task, else every one whose work is kept elsewhere. Throws NOT_FOUND, and
   * CONFLICT for work that is kept nowhere else, unless `unbundled` says so.
   */
  remove(request: {
    readonly which?: readonly string[];
    readonly unbundled: boolean;
    readonly actor: string;
  }): Promise<readonly WorkspaceRow[]>;
}

/** Proves what a presented token is good for. */
export interface Authenticator {
  /**
   * Compares hashes in constant time. Undefined for garbage, expired, revoked and foreign tokens alike.
   * INVARIANT: 7 whoever calls is known from the credential alone.
   */
  authenticate(token: string): Caller | undefined;
}

/** Which tasks a task token reaches. */
export interface TaskScope {
  /** True where `task` is `root` or was delegated on from it, directly or not. */
  within(root: string, task: string): boolean;
  /** Everything that was delegated on from `root`, directly or not, without `root` itself; at most `limit`, newest first. */
  members(root: string, limit: number): readonly string[];
}
