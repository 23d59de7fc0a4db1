import type {
  ArtifactLimits,
  BundleLimits,
  CollectLimits,
  ContentStore,
  GitPort,
  OpenGitRoom,
  ReadOwnersWords,
  RepositoryGuard,
  ResultSigner,
  Trust,
} from '@writ/evidence';
import type { NodeIdentity } from '@writ/identity';
import type { ResultStore } from '@writ/task-store';

/** What both ends of a task need for its evidence; one for a node. */
export interface EvidenceKit {
  /** Runs git away from this process. */
  readonly git: GitPort;
  /** Where git looks at the files of tasks and at what peers sent; undefined: wherever `git` runs. */
  readonly openRoom: OpenGitRoom | undefined;
  /** Absolute folder for git directories that live as long as one piece of work. */
  readonly gitDirRoot: string;
  /** PATH for git's own helpers. */
  readonly path: string;
  /** Bundles, patches and artifacts of both ends. */
  readonly content: ContentStore;
  readonly results: ResultStore;
  readonly signer: ResultSigner;
  /** Signs receipts. */
  readonly identity: NodeIdentity;
  readonly trust: Trust;
  /** What the owner's git goes by in a repository, as it is now: what is ignored, and what form files have on the disk. */
  readonly words?: ReadOwnersWords;
  /** Which repositories of this machine a caller may name. */
  readonly guard: RepositoryGuard;
  readonly limits: {
    readonly collect: CollectLimits;
    readonly artifacts: ArtifactLimits;
    readonly bundle: BundleLimits;
    /** Most bytes of one envelope that is taken from a peer. */
    readonly maxEnvelopeBytes: number;
  };
}
