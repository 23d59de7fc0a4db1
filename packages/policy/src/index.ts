export { CAPABILITIES } from './capabilities.ts';
export { commandAllowed, matchesPattern } from './commands.ts';
export { type CompileOptions, type CompileResult, compileConfig, formatViolations } from './compile.ts';
export { decisionForPeer } from './decide.ts';
export { diffPolicies } from './diff.ts';
export { createPolicyEngine, type PolicyEngineOptions } from './engine.ts';
export type { CompiledPolicy } from './policy-index.ts';
export { outcomeOf } from './self-tests.ts';
export type * from './types.ts';
