/** A repository that the node offers; `path` is absolute. */
export interface WorkspaceSource {
  readonly name: string;
  readonly path: string;
  /** Branch, tag or commit; absent: the repository's HEAD. */
  readonly ref?: string;
  /** Work that was sent along, instead of `ref`: a repository that holds the commit, there until the run is released. */
  readonly shipped?: { readonly repository: string; readonly commit: string };
}

/** A clone as it was before the run could touch it. */
export interface Clone {
  /** Full id of the commit that is checked out; absent: the repository has none. */
  readonly base?: string;
  readonly objectFormat: 'sha1' | 'sha256';
  /** Absolute path of a repository of this node's that holds `base`; never the clone itself. */
  readonly source: string;
}

/** What a workspace was made for, and what became of it. */
export interface WorkspaceRecord {
  readonly task: string;
  /** Who asked for it; absent: an earlier version did not note it. */
  readonly sender?: string;
  /** Name of the workspace in the configuration. */
  readonly workspace: string;
  readonly clone: Clone;
  readonly preparedAtMs: number;
  /** Absent: its run has not ended. */
  readonly end?: WorkspaceEnd;
}

/** How a workspace came to be kept. */
export interface WorkspaceEnd {
  /** `done`: the task was completed · `failed`: it ended in another way · `orphaned`: the node stopped meanwhile. */
  readonly state: 'done' | 'failed' | 'orphaned';
  readonly atMs: number;
  /**
   * Whether what was changed there is kept nowhere else; `unknown` until somebody looks. Nothing of which this is not
   * `none` is removed by itself.
   */
  readonly unbundled: 'none' | 'some' | 'unknown';
  /** How often somebody looked in vain; absent: never. After some times it is left to a person. */
  readonly looks?: number;
}

/** What became of a run's work. */
export type Fate = Pick<WorkspaceEnd, 'state' | 'unbundled'>;

/** How long workspaces are kept once their run is over, and how much room they may take. */
export interface StorageRules {
  /** Milliseconds from the end of a completed task; undefined: not at all. */
  readonly doneMs?: number;
  /** The same of one that ended in another way. */
  readonly failedMs: number;
  /** The same of one whose node stopped while it ran. */
  readonly orphanedMs: number;
  /** Bytes that what is kept and what stands ready may take together. */
  readonly budgetBytes: number;
}

/** A workspace whose run is over. */
export interface KeptWorkspace {
  /** What a person names it by; part of its folder's name. */
  readonly id: string;
  /** Absolute path of the clone. */
  readonly dir: string;
  /** Absent: its record cannot be read. */
  readonly record?: WorkspaceRecord;
  readonly end: WorkspaceEnd;
  /** On the disk. */
  readonly bytes: number;
}

/** The same, with what will become of it. */
export type ListedWorkspace = KeptWorkspace & {
  /** When it goes; absent: not by itself. */
  readonly dueAtMs?: number;
};

/** Work of one sender that is kept nowhere else. */
export interface HeldWork {
  /** The id of a node, `self`, or empty where nobody knows. */
  readonly sender: string;
  readonly bytes: number;
  /** With more than this it gets no further workspace. */
  readonly shareBytes: number;
}

/** What a person wants removed. */
export interface Removal {
  /** Ids of workspaces or of their tasks; absent: every one whose work is kept elsewhere. */
  readonly which?: readonly string[];
  /** Also what is kept nowhere else; only of those that are named. */
  readonly unbundled: boolean;
  /** Hears of all that are gone, also where another one could not be removed. */
  readonly removed: (gone: readonly KeptWorkspace[]) => void;
}

/** Looks whether a clone holds changes; rejects where that cannot be established. */
export type HoldsWork = (record: WorkspaceRecord, dir: string) => Promise<boolean>;

/** A clone that stands ready, or is in use. */
export interface LiveClone {
  /** Absolute path of its folder. */
  readonly dir: string;
  /** Absolute path of the repository that it is a clone of. */
  readonly source: string;
  /** On the disk, when it was made; absent for one in use. */
  readonly bytes?: number;
}

/** All that the runner has on the disk. */
export interface Stored {
  readonly inUse: readonly LiveClone[];
  readonly ready: readonly LiveClone[];
  readonly kept: readonly ListedWorkspace[];
  /** Of what is ready and what is kept. */
  readonly bytes: number;
}

/** What a sweep goes by. */
export interface SweepOrder {
  readonly holdsWork: HoldsWork;
  /** Nothing is looked at any more once it is aborted; what is cut short so was not looked at in vain. */
  readonly signal?: AbortSignal;
  /** Transcripts that were last written before this go. */
  readonly transcriptsBeforeMs: number;
  /** Whether a transcript that is that old may go. */
  readonly mayForget: (transcript: TranscriptFile) => boolean;
}

/** What takes room on the disk, and how it is given back. */
export interface Storage {
  list(): Promise<Stored>;
  /** As far as it is known by now: what an earlier process left is taken over behind the scenes. */
  held(): readonly HeldWork[];
  /** Absolute paths of folders that were to be deleted and could not be; a sweep tries again. */
  undeleted(): readonly string[];
  /** Removes what a person names; its room is free when this resolves. Throws NOT_FOUND, CONFLICT. */
  remove(removal: Removal): Promise<readonly KeptWorkspace[]>;
  /** Removes what has had its time or is over the budget, and what could not be removed before. */
  sweep(order: SweepOrder): Promise<{ readonly workspaces: number; readonly transcripts: number }>;
}

/** A transcript on the disk. */
export interface TranscriptFile {
  /** Absent: its id does not show in the file's name. */
  readonly task?: string;
}
