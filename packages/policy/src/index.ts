export { changesFrom } from './bounds.ts';
export { CAPABILITIES } from './capabilities.ts';
export { checkCommandCase } from './cases/command-cases.ts';
export { checkPolicyCase } from './cases/policy-cases.ts';
export { readCommandCases, readPolicyCases } from './cases/read-cases.ts';
export { type CaseReport, reportOf } from './cases/types.ts';
export {
  changesCovered,
  coveredChanges,
  MOST_PATHS,
  type ReadsAlone,
  readsAlone,
  removalCovered,
} from './classification/alone.ts';
export { type CommandClassifier, createCommandClassifier, undecidedCommand } from './classification/classify.ts';
export { obeysFolder } from './classification/obeys-folder.ts';
export { isSystemFolder } from './classification/program.ts';
export { createShellGrammar, type ShellGrammarBinaries } from './classification/shell-grammar.ts';
export type {
  Classification,
  CommandClass,
  CommandPlace,
  InnerCommand,
  ShellGrammar,
} from './classification/types.ts';
export {
  type CompileResult,
  type ConfigTestReport,
  type ConfigTestResult,
  compileConfig,
  configInvalid,
  formatViolations,
  testConfig,
} from './compile.ts';
export { decisionForPeer } from './decide.ts';
export { diffPolicies } from './diff.ts';
export {
  addPeer,
  type PeerChange,
  type PeerEntry,
  readPeer,
  removePeer,
  updatePeer,
  type WrittenPeer,
} from './edit.ts';
export { dropProfile, dropWorkspace, putCeiling, putPeer, putProfile, putSelf, putWorkspace } from './edit-setup.ts';
export { readTable, removeTable, setTable } from './edit-table.ts';
export { type EffectiveValue, effectiveValues } from './effective.ts';
export { createPolicyEngine, type PolicyCompiler, type PolicyEngineOptions } from './engine.ts';
export { MAY_NOT_ASK } from './grant-steps.ts';
export { configJsonSchema } from './json-schema.ts';
export { meetNetworks } from './network.ts';
export { createUnpack, memoryOf, type PackedResult, packResult } from './packed-policy.ts';
export type { CompiledPolicy } from './policy-index.ts';
export { configReference, type ReferenceRow } from './reference.ts';
export { finish, finishInSlices, type Sliced } from './slices.ts';
export { type StockOptions, stockConfig } from './stock.ts';
export type {
  AcceptedText,
  CommandPattern,
  CommandRule,
  Config,
  Decision,
  DecisionRequest,
  Deprecation,
  Grant,
  Isolation,
  LeaseFact,
  Limits,
  Network,
  OutboundRequest,
  OutboundRules,
  PeerConfig,
  PolicyChange,
  PolicyEngine,
  PolicyFailure,
  PolicyStatus,
  Position,
  Profile,
  ReloadOptions,
  ReloadOutcome,
  RunnerConfig,
  Snapshot,
  SubjectRules,
  TaskInput,
  TraceStep,
  UpstreamConfig,
  UpstreamRequest,
  Usage,
  Violation,
  WorkspaceConfig,
} from './types.ts';
export { type ProfileAnswer, type ProfileQuestion, validateProfile } from './validate-profile.ts';
