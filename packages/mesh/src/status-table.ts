import { status } from '@grpc/grpc-js';
import type { WritCode } from '@writ/core';

/** How a code travels. A `hidden` one says too much about this node; a peer is told `INTERNAL`. */
interface WireStatus {
  readonly status: status;
  readonly hidden?: true;
}

const DENIED: WireStatus = { status: status.PERMISSION_DENIED };
const ENDED: WireStatus = { status: status.FAILED_PRECONDITION };
const INVALID: WireStatus = { status: status.INVALID_ARGUMENT };
const STRANGER: WireStatus = { status: status.UNAUTHENTICATED };
const EXHAUSTED: WireStatus = { status: status.RESOURCE_EXHAUSTED };
const ABORTED: WireStatus = { status: status.ABORTED };
const HIDDEN: WireStatus = { status: status.INTERNAL, hidden: true };

/** The one table from codes to gRPC statuses. */
export const STATUS_OF_CODE: Readonly<Record<WritCode, WireStatus>> = {
  PEER_UNKNOWN: STRANGER,
  PEER_DISABLED: DENIED,
  CHAIN_CYCLE: DENIED,
  CHAIN_MISMATCH: DENIED,
  CHAIN_TOO_DEEP: DENIED,
  ORIGIN_NOT_ACCEPTED: DENIED,
  PROFILE_REQUIRED: INVALID,
  // Would tell which profiles exist; a decision tells PROFILE_NOT_ALLOWED instead.
  PROFILE_UNKNOWN: HIDDEN,
  PROFILE_NOT_ALLOWED: DENIED,
  RANK_EXCEEDED: DENIED,
  RUNNER_NOT_ALLOWED: DENIED,
  GRANT_EXCEEDED: DENIED,
  WORKSPACE_NOT_ALLOWED: DENIED,
  LEASE_REQUIRED: DENIED,
  LIMIT_EXCEEDED: EXHAUSTED,
  APPROVAL_REQUIRED: DENIED,
  POLICY_ERROR: HIDDEN,

  WORKER_FAILED: ABORTED,
  RESULT_TOO_LARGE: EXHAUSTED,
  RUNNER_UNAVAILABLE: ENDED,
  EVIDENCE_FAILED: ABORTED,
  TIMED_OUT: { status: status.DEADLINE_EXCEEDED },
  CANCELLED: { status: status.CANCELLED },
  LEASE_EXPIRED: DENIED,
  LEASE_REVOKED: DENIED,
  TRUST_REVOKED: DENIED,
  COMMAND_NOT_ALLOWED: DENIED,
  ISOLATION_UNAVAILABLE: ENDED,
  LOST: ABORTED,

  NOT_FOUND: { status: status.NOT_FOUND },
  NOT_PENDING: ENDED,
  WRONG_REQUEST: ENDED,
  CHANGED_SINCE_APPROVAL: ENDED,
  NOT_APPROVER: DENIED,
  EXPIRED: ENDED,
  TASK_ENDED: ENDED,
  TOKEN_INVALID: STRANGER,
  WRIT_INVALID: DENIED,
  WRIT_EXPIRED: DENIED,
  WRIT_REPLAYED: { status: status.ALREADY_EXISTS },
  CLOCK_BACKWARDS: HIDDEN,
  UNREACHABLE: { status: status.UNAVAILABLE },
  EVIDENCE_INVALID: ABORTED,

  INTERNAL: HIDDEN,
  BAD_REQUEST: INVALID,
  CONFLICT: { status: status.ALREADY_EXISTS },
  ALREADY_RUNNING: HIDDEN,
  NOT_RUNNING: HIDDEN,
  NOT_INITIALIZED: HIDDEN,
  HOME_INSECURE: HIDDEN,
  PORT_IN_USE: HIDDEN,
  SCHEMA_TOO_NEW: HIDDEN,
  DATABASE_ERROR: HIDDEN,
  CONFIG_INVALID: HIDDEN,
  INVITE_INVALID: DENIED,
  GIT_FAILED: ABORTED,
  RATE_LIMITED: EXHAUSTED,
  SHUTTING_DOWN: { status: status.UNAVAILABLE },
};

/** The reverse, for an answer that names no code: it came from the gRPC library and not from a handler. */
export const CODE_OF_STATUS: Readonly<Record<status, WritCode>> = {
  [status.OK]: 'INTERNAL',
  [status.CANCELLED]: 'CANCELLED',
  [status.UNKNOWN]: 'INTERNAL',
  [status.INVALID_ARGUMENT]: 'BAD_REQUEST',
  [status.DEADLINE_EXCEEDED]: 'UNREACHABLE',
  [status.NOT_FOUND]: 'NOT_FOUND',
  [status.ALREADY_EXISTS]: 'CONFLICT',
  [status.PERMISSION_DENIED]: 'PEER_DISABLED',
  // A stream that the other end has reset because of too many (ENHANCE_YOUR_CALM) says nothing of the request.
  [status.RESOURCE_EXHAUSTED]: 'RATE_LIMITED',
  [status.FAILED_PRECONDITION]: 'CONFLICT',
  [status.ABORTED]: 'CONFLICT',
  [status.OUT_OF_RANGE]: 'BAD_REQUEST',
  [status.UNIMPLEMENTED]: 'BAD_REQUEST',
  [status.INTERNAL]: 'INTERNAL',
  [status.UNAVAILABLE]: 'UNREACHABLE',
  [status.DATA_LOSS]: 'INTERNAL',
  [status.UNAUTHENTICATED]: 'PEER_UNKNOWN',
};
