import type { InviteRecord } from '@writ/lease-store';
import type { PairingOptions } from './options.ts';

/** The invites that can still be redeemed. */
export interface OpenInvites {
  list(): readonly InviteRecord[];
  /** Whether there is one; from memory, because every call of a stranger asks. */
  any(): boolean;
  /** To be told after each change of an invite is committed: made, used, withdrawn. */
  changed(): void;
}

export function createOpenInvites({
  database,
  invites,
  clock,
}: Pick<PairingOptions, 'database' | 'invites' | 'clock'>): OpenInvites {
  /** When the last one expires, in time of the wall clock; undefined: to be read again. */
  let untilMs: number | undefined;
  const list = (): readonly InviteRecord[] => database.withReadTx((tx) => invites.listOpen(tx, clock.nowMs()));
  return {
    list,
    any() {
      untilMs ??= Math.max(0, ...list().map(({ expiresAtMs }) => expiresAtMs));
      return untilMs > clock.nowMs();
    },
    changed() {
      untilMs = undefined;
    },
  };
}
