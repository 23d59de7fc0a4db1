export { formatAddress, type HostPort, isLoopback, parseAddress, readAddress } from './address.ts';
export { type Cancel, type Clock, createSystemClock, nextTurn, sleep } from './clock.ts';
export {
  AUTHORITY_CODES,
  type AuthorityCode,
  DECISION_CODES,
  type DecisionCode,
  FAULT_CODES,
  type FaultCode,
  LOAD_CODES,
  type LoadCode,
  RUNNING_CODES,
  type RunningCode,
  WRIT_CODES,
  type WritCode,
} from './codes.ts';
export { matchesPattern } from './command-pattern.ts';
export type { ApproverProof, DecisionStatement } from './decision-statement.ts';
export { hasErrno } from './errno.ts';
export {
  errorFromJson,
  errorToJson,
  isWritError,
  toWritError,
  WritError,
  type WritErrorJson,
  type WritErrorOptions,
} from './errors.ts';
export { canonicalJson, digestJson, type Json, readCanonicalJson, sha256Hex } from './json.ts';
export { type LogFields, type Logger, silentLogger } from './logger.ts';
export { foldName } from './names.ts';
export { foldId, nodeIdFromBase32, parseNodeId } from './node-id.ts';
export {
  assertPrivateFile,
  createPrivateFile,
  ensurePrivateDirectory,
  readPrivateFile,
  replacePrivateFile,
} from './private-files.ts';
export { createSystemRandom, type Random } from './random.ts';
export { createRwLock, Mutex, type RwLock } from './rw-lock.ts';
export { nearest, quote, shellWord, visible } from './text.ts';
export { noTracing, type Span, type SpanKind, type SpanOptions, type Tracing } from './tracing.ts';
export { formatDuration, formatSize, parseDuration, parseSize } from './units.ts';
export { parseSpan, type TypedAt } from './until.ts';
