export { type AuditLog, type AuditLogOptions, createAuditLog } from './audit-log.ts';
export type { ExportWish } from './bundle/export-bundle.ts';
export { verifyBundle } from './bundle/verify-bundle.ts';
export { linesOf } from './lines.ts';
export {
  createLogFollower,
  type FollowerOptions,
  type LogFollower,
  type LogProblem,
  type LogState,
} from './log/follower.ts';
export { type AuditFiles, auditFiles } from './log/layout.ts';
export { proofText, type ShownEntry } from './show-entry.ts';
export type { KeptCheckpoint, Problem, ProblemKind, ProblemPlace, VerifyReport } from './verify/types.ts';
