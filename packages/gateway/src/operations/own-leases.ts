import type { Lease } from '@writ/authority';
import { quote, WritError } from '@writ/core';
import { ownLeaseContract } from '../contract/own-leases.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { Caller } from '../types.ts';
import { viewLease } from '../views/lease-view.ts';
import { actor } from './actor.ts';
import { labelsOf, SELF } from './peer-lookup.ts';

/** Leases as an agent may know of them: what its own piece of work may use on this node. */
export function ownLeaseOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { authority, engine, clock } = ports;
  const own = (caller: Caller, includeDead: boolean): readonly Lease[] =>
    authority.listLeases({ includeDead, peer: SELF }).filter((lease) => mayUse(lease, caller));
  return [
    implement(ownLeaseContract.list_leases, ({ all }, { caller }) => ({
      leases: own(caller, all).map((lease) => viewLease(lease, labelsOf(engine.snapshot().config), clock.nowMs())),
    })),
    implement(ownLeaseContract.release_lease, ({ lease: id }, { caller }) => {
      const lease = own(caller, true).find((one) => one.id === id);
      if (lease === undefined) {
        throw new WritError('NOT_FOUND', `no lease ${quote(id)} that is yours`, { nextSteps: ['see list_leases'] });
      }
      if (lease.session === undefined) {
        throw new WritError('BAD_REQUEST', 'that lease serves other work of this node too', {
          nextSteps: [`a person takes it back: writ lease revoke ${id}`],
        });
      }
      return { lease: id, released: authority.revokeLease(id, actor(caller)) };
    }),
  ];
}

/** INVARIANT: 6 what is bound to a session is there for that session alone. */
function mayUse({ peer, session }: Lease, caller: Caller): boolean {
  return peer === SELF && (session === undefined || session === caller.session?.id);
}
