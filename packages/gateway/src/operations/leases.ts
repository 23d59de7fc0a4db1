import { leaseContract } from '../contract/leases.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import { viewLease } from '../views/lease-view.ts';
import { requireDuration } from './duration.ts';
import { foldLetters, labelsOf, requireName, requirePeerId } from './peer-lookup.ts';

/** Who lends and takes back, for the audit trail. */
const PERSON = 'person';

/** Lending authority and taking it back; for a person. */
export function leaseOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { authority, engine, clock } = ports;
  const labels = () => labelsOf(engine.snapshot().config);
  return [
    implement(leaseContract.lease_grant, (input) => {
      const { workspaces, max_uses: maxUses, origin } = input;
      const lease = authority.grantLease({
        peer: foldLetters(input.peer),
        profile: requireName('profile', input.profile),
        durationMs: requireDuration('duration', input.duration),
        ...(workspaces === undefined ? {} : { workspaces: workspaces.map((name) => requireName('workspaces', name)) }),
        ...(maxUses === undefined ? {} : { maxUses }),
        ...(origin === undefined ? {} : { origin: foldLetters(origin) }),
        issuedBy: PERSON,
      });
      return { lease: viewLease(lease, labels(), clock.nowMs()) };
    }),
    implement(leaseContract.lease_list, ({ peer, all }) => {
      const leases = authority.listLeases({
        includeDead: all,
        ...(peer === undefined ? {} : { peer: requirePeerId(engine.snapshot().config, peer) }),
      });
      return { leases: leases.map((lease) => viewLease(lease, labels(), clock.nowMs())) };
    }),
    implement(leaseContract.lease_revoke, ({ lease }) => ({ lease, revoked: authority.revokeLease(lease, PERSON) })),
  ];
}
