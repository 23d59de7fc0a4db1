import { foldName, quote, sha256Hex, WritError } from '@writ/core';
import type { z } from 'zod';
import type { OperationOutput } from '../client/types.ts';
import { leaseContract } from '../contract/leases.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { Caller } from '../types.ts';
import { approverLabels } from '../views/approval-view.ts';
import { ownSteps } from '../views/lease-step.ts';
import { viewLease } from '../views/lease-view.ts';
import { grantOf } from './approvals.ts';
import { requireDuration } from './duration.ts';
import { spanOf, spanText } from './lease-span.ts';
import { ownSession, retryOf } from './own-session.ts';
import { labelsOf, requireName, requirePeerId } from './peer-lookup.ts';
import { refuseAlone } from './separation.ts';

/** Who lends and takes back, for the audit trail. */
const PERSON = 'person';

/** Lending authority and taking it back; for a person. */
export function leaseOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { authority, engine, clock } = ports;
  const labels = () => labelsOf(engine.snapshot().config);
  return [
    implement(leaseContract.lease_grant, (input) => {
      const grant = grantOf(input);
      refuseAlone(ports, 'a lease', `writ lease grant ${grant.peer} ${grant.profile} ${spanText(grant)}`);
      const lease = authority.grantLease({ ...grant, issuedBy: PERSON });
      return { lease: viewLease(lease, labels(), clock.nowMs()) };
    }),
    implement(leaseContract.lease_list, ({ peer, all }) => {
      const leases = authority.listLeases({
        includeDead: all,
        ...(peer === undefined ? {} : { peer: requirePeerId(engine.snapshot().config, peer) }),
      });
      return { leases: leases.map((lease) => viewLease(lease, labels(), clock.nowMs())) };
    }),
    implement(leaseContract.lease_show, ({ lease: id }) => {
      const lease = authority.listLeases({ includeDead: true }).find((one) => one.id === id);
      if (lease === undefined) throw noLease(id);
      const issuer = approverLabels(ports.gate)(lease.issuedBy);
      const label = issuer === lease.issuedBy ? {} : { issued_by_label: issuer };
      return { lease: { ...viewLease(lease, labels(), clock.nowMs()), ...label } };
    }),
    implement(leaseContract.lease_renew, ({ lease: id, ...typed }) => {
      const span = spanOf(typed);
      refuseAlone(ports, 'a lease that lives longer', `writ lease renew ${id} ${spanText(span)}`);
      const lease = authority.renewLease(id, span, PERSON);
      return { lease: viewLease(lease, labels(), clock.nowMs()) };
    }),
    implement(leaseContract.request_lease, (input, { caller }) => requestLease(ports, input, caller)),
    implement(leaseContract.lease_revoke, ({ lease }) => ({ lease, revoked: authority.revokeLease(lease, PERSON) })),
  ];
}

function noSession(): WritError {
  return new WritError('BAD_REQUEST', 'only_this_session: this call belongs to no session', {
    nextSteps: ['begin one, and ask in it: writ session start', 'or ask for any session'],
  });
}

function noLease(id: string): WritError {
  return new WritError('NOT_FOUND', `no lease ${quote(id)}`, { nextSteps: ['list them: writ lease list'] });
}

function wishOf(input: LeaseInput) {
  const { workspaces, max_uses: maxUses } = input;
  return {
    profile: requireName('profile', input.profile),
    durationMs: requireDuration('duration', input.duration),
    onlyThisSession: input.only_this_session,
    ...(workspaces === undefined ? {} : { workspaces: workspaces.map((name) => requireName('workspaces', name)) }),
    ...(maxUses === undefined ? {} : { maxUses }),
  };
}

type LeaseInput = z.output<typeof leaseContract.request_lease.input>;

/**
 * Asks the person of this node, or of another, in the name of the caller's session. One key is one question, whatever reason
 * is given: asking again says what became of it. Without a key the same wish in the same session is that.
 */
async function requestLease(
  ports: GatewayPorts,
  input: LeaseInput,
  caller: Caller,
): Promise<OperationOutput<'request_lease'>> {
  const { reason, idempotency_key: said } = input;
  // One that is begun for this call alone would have a lease that no other call could use.
  if (input.only_this_session && caller.session === undefined) throw noSession();
  const session = ownSession(ports, caller, retryOf('request_lease', said));
  const to = requirePeerId(ports.engine.snapshot().config, input.peer);
  const wish = wishOf(input);
  const key = said ?? sha256Hex(JSON.stringify([to, wish]));
  const answer = await ports.origin.requestLease({
    ...{ ...wish, to, key, session: session.id, agent: session.agent },
    ...(reason === undefined ? {} : { reason }),
  });
  if (answer.asked) {
    const { approval, answerByMs, state } = answer;
    const over = state === 'pending' ? {} : { next_steps: ['ask for another one under a new idempotency key'] };
    return { asked: true, approval, expires_at_ms: answerByMs, state, ...over };
  }
  const { code, message, nextSteps } = answer.decision;
  return { asked: false, code, message, next_steps: ownSteps(nextSteps, foldName(input.peer) ?? input.peer) };
}
