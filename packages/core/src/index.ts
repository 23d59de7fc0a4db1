export { formatAddress, type HostPort, isLoopback, parseAddress, readAddress } from './address.ts';
export { type Cancel, type Clock, createSystemClock, nextTurn, sleep } from './clock.ts';
export {
  type AuthorityCode,
  DECISION_CODES,
  type DecisionCode,
  type FaultCode,
  type LoadCode,
  RUNNING_CODES,
  type RunningCode,
  WRIT_CODES,
  type WritCode,
} from './codes.ts';
export { matchesPattern } from './command-pattern.ts';
export type { ApproverProof, DecisionStatement } from './decision-statement.ts';
export { hasErrno, isAbsent } from './errno.ts';
export {
  errorFromJson,
  errorToJson,
  isWritError,
  toWritError,
  WritError,
  type WritErrorJson,
  type WritErrorOptions,
} from './errors.ts';
export { createFairTurns, type FairTurns, type Turn, type TurnLimits, type TurnOf } from './fair-turns.ts';
export { gitWords, KEPT_GIT_WORDS } from './git-words.ts';
export { canonicalJson, digestJson, type Json, readCanonicalJson, sha256Hex } from './json.ts';
export {
  createValueCounter,
  holdsMoreValues,
  jsonWeight,
  MOST_VALUES,
  parseCounted,
  type ValueCounter,
} from './json-values.ts';
export { LEAST_KEPT_MS } from './keeping.ts';
export { createListeners, type Listeners } from './listeners.ts';
export { type LogFields, type Logger, silentLogger } from './logger.ts';
export { foldName, isSecretFileName } from './names.ts';
export { foldId, nodeIdFromBase32, parseNodeId } from './node-id.ts';
export { pause, untilRung } from './pause.ts';
export {
  assertPrivateFile,
  createPrivateFile,
  ensurePrivateDirectory,
  type FileChange,
  findExposure,
  readPrivateFile,
  replaceIfSame,
  replacePrivateFile,
  syncDirectory,
} from './private-files.ts';
export { createSystemRandom, type Random } from './random.ts';
export { createRateLimiter, type Rate, type RateLimiter } from './rate-limiter.ts';
export { type RetryParts, retryStored, STORE_AGAIN_MS } from './retry-stored.ts';
export { createRwLock, Mutex, type RwLock } from './rw-lock.ts';
export { nearest, quote, shellWord, visible } from './text.ts';
export type { Span, SpanKind, SpanOptions, Tracing } from './tracing.ts';
export { underUmask } from './under-umask.ts';
export { formatCounted, formatDuration, formatSize, parseDuration, parseSize, UNCOUNTED_BYTES } from './units.ts';
export { isUntil, parseSpan, type TypedAt } from './until.ts';
export { withoutUrlSecrets } from './url-secrets.ts';
export { findUnwritable } from './writable.ts';
