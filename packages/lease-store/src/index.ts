export { createInviteStore } from './invite-store.ts';
export { createLeaseStore } from './lease-store.ts';
export { createNodeFactStore } from './node-fact-store.ts';
export { createRequestLogStore } from './request-log-store.ts';
export { createSessionStore } from './session-store.ts';
export { createTokenStore } from './token-store.ts';
export type {
  ClaimRefusal,
  InviteRecord,
  InviteStore,
  Lease,
  LeaseQuery,
  LeaseStore,
  NewLease,
  NodeFactStore,
  RequestLogStore,
  Session,
  SessionStore,
  TokenIdentity,
  TokenStore,
} from './types.ts';
