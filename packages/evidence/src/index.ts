export { type Applied, type ApplyRequest, applyResult } from './apply.ts';
export { type ArtifactPattern, parseArtifactPattern } from './artifact-pattern.ts';
export { type ArtifactRequest, collectArtifacts } from './artifacts.ts';
export { type OpenBeneath, openBeneath } from './beneath.ts';
export { type ChangedQuestion, collectEvidence, hasChanges } from './collect.ts';
export { createContentStore } from './content-store.ts';
export type { Fit } from './fit.ts';
export { createGitProcess, type GitProcessOptions } from './git-process.ts';
export type { OwnersWords } from './owners-words.ts';
export { readResult, readSigner } from './read-result.ts';
export {
  type AskedRepository,
  type OwnersEnvironment,
  type OwnersShell,
  type ReadOwnersWords,
  readOwnersWords,
} from './read-words.ts';
export { type Receipt, signReceipt, verifyReceipt } from './receipt.ts';
export type { RepositoryGuard } from './repository-guard.ts';
export { formatResult } from './result.ts';
export { createResultReader } from './result-reader.ts';
export { RESULT_LISTS, type Result } from './result-schema.ts';
export { type SessionEndStatement, signSessionEnd, verifySessionEnd } from './session-end.ts';
export { type Received, receiveShipped, type Shipment, type ShipRequest, shipWorkingTree } from './ship.ts';
export { type ShipTaskRequest, shipTaskFiles } from './ship-task.ts';
export { createResultSigner, type ResultSigner, type SignedResult, type UnsignedResult } from './sign.ts';
export type { Subject } from './statement.ts';
export type {
  Artifact,
  ArtifactLimits,
  BundleLimits,
  ChangedFile,
  Changes,
  CollectLimits,
  CollectRequest,
  ContentStore,
  GitAnswer,
  GitCall,
  GitPort,
  GitRoom,
  GitStep,
  GitWork,
  OpenGitRoom,
  RepoPath,
  Stored,
} from './types.ts';
export { type Expected, type Standing, type Trust, type Verified, verifyEnvelope } from './verify.ts';
export { type VerifiedTree, verifyTree } from './verify-tree.ts';
export { listCommits } from './workspace-commits.ts';
