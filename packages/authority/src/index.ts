export type { Lease } from '@writ/lease-store';
export { createAuthority } from './authority.ts';
export { withdrawalCode } from './start.ts';
export type {
  Ask,
  Authority,
  AuthorityError,
  AuthorityOptions,
  LeaseGrant,
  LiveTaskCounter,
  StartPermit,
  Subject,
} from './types.ts';
