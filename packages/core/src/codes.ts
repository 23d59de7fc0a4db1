/** What a configuration can be refused for when it is loaded. Closed; see docs/configuration.md. */
const LOAD_CODES = [
  'TOML_SYNTAX',
  'SCHEMA_VERSION',
  'UNKNOWN_KEY',
  'UNKNOWN_CAPABILITY',
  'UNKNOWN_RUNNER',
  'UNKNOWN_PROFILE',
  'UNKNOWN_WORKSPACE',
  'BAD_NAME',
  'BAD_VALUE',
  'NAME_CONFLICT',
  'RANK_TOO_LOW',
  'HIGH_RISK_NEEDS_EXPLICIT',
  'HIGH_RISK_NEEDS_LEASE',
  'CEILING_UNDEFINED',
  'CEILING_OUTRANKS',
  'CEILING_WIDENS',
  'CEILING_CYCLE',
  'TEST_FAILED',
  'EXAMPLE_FAILED',
] as const;
export type LoadCode = (typeof LOAD_CODES)[number];

/** Why a request is denied or has to ask. Closed. */
export const DECISION_CODES = [
  'PEER_UNKNOWN',
  'PEER_DISABLED',
  'CHAIN_CYCLE',
  'CHAIN_MISMATCH',
  'CHAIN_TOO_DEEP',
  'ORIGIN_NOT_ACCEPTED',
  'PROFILE_REQUIRED',
  'PROFILE_UNKNOWN',
  'PROFILE_NOT_ALLOWED',
  'RANK_EXCEEDED',
  'RUNNER_NOT_ALLOWED',
  'GRANT_EXCEEDED',
  'WORKSPACE_NOT_ALLOWED',
  'LEASE_REQUIRED',
  'LIMIT_EXCEEDED',
  'APPROVAL_REQUIRED',
  'POLICY_ERROR',
] as const;
export type DecisionCode = (typeof DECISION_CODES)[number];

/** How a task that was started can end other than well. Closed. */
export const RUNNING_CODES = [
  'WORKER_FAILED',
  'RESULT_TOO_LARGE',
  'RUNNER_UNAVAILABLE',
  'EVIDENCE_FAILED',
  'TIMED_OUT',
  'CANCELLED',
  'LEASE_EXPIRED',
  'LEASE_REVOKED',
  'TRUST_REVOKED',
  'COMMAND_NOT_ALLOWED',
  'ISOLATION_UNAVAILABLE',
  'LOST',
] as const;
export type RunningCode = (typeof RUNNING_CODES)[number];

/** Authority and wire. Closed. */
const AUTHORITY_CODES = [
  'NOT_FOUND',
  'NOT_PENDING',
  'WRONG_REQUEST',
  'CHANGED_SINCE_APPROVAL',
  'NOT_APPROVER',
  'EXPIRED',
  'TASK_ENDED',
  'TOKEN_INVALID',
  'WRIT_INVALID',
  'WRIT_EXPIRED',
  'WRIT_REPLAYED',
  'CLOCK_BACKWARDS',
  'UNREACHABLE',
  'EVIDENCE_INVALID',
] as const;
export type AuthorityCode = (typeof AUTHORITY_CODES)[number];

/** Faults of a node itself and of the calls made to it. Closed. */
const FAULT_CODES = [
  'INTERNAL',
  'BAD_REQUEST',
  'CONFLICT',
  'ALREADY_RUNNING',
  'NOT_RUNNING',
  'NOT_INITIALIZED',
  'HOME_INSECURE',
  'PORT_IN_USE',
  'SCHEMA_TOO_NEW',
  'DATABASE_ERROR',
  'CONFIG_INVALID',
  'INVITE_INVALID',
  'GIT_FAILED',
  'RATE_LIMITED',
  'SHUTTING_DOWN',
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** Every code that a WritError may carry. */
export type WritCode = DecisionCode | RunningCode | AuthorityCode | FaultCode;
export const WRIT_CODES: readonly WritCode[] = [
  ...DECISION_CODES,
  ...RUNNING_CODES,
  ...AUTHORITY_CODES,
  ...FAULT_CODES,
];
