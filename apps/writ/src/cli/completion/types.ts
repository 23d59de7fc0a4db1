/** What a node has names of. */
export type NamedKind =
  | 'peer'
  | 'task'
  | 'profile'
  | 'workspace'
  | 'lease'
  | 'approval'
  | 'window'
  | 'session'
  | 'execution'
  | 'approver';

/** One word that could stand there, and what it means. */
export interface Candidate {
  readonly word: string;
  readonly says: string;
}

/** What could stand where the cursor is. */
export interface Wanted {
  /** From the definitions of the commands. */
  readonly words: readonly Candidate[];
  /** Names that the running node has. */
  readonly named?: NamedKind;
  /** Label of the peer that was typed before, whose profiles and workspaces count. */
  readonly peer?: string;
  /** A path of this machine. */
  readonly isPath: boolean;
}
