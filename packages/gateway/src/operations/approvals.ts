import type { ApproverChange, DecideOutcome, LeaseWishGrant } from '@writ/authority';
import { quote, WritError } from '@writ/core';
import type { z } from 'zod';
import type { OperationOutput, StreamItem } from '../client/types.ts';
import { approvalContract } from '../contract/approvals.ts';
import type { leaseContract } from '../contract/leases.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement, implementStream } from '../implement.ts';
import type { PersonWish } from '../ports.ts';
import type { Caller } from '../types.ts';
import { approverLabels, viewApproval, viewApprovalRow, viewOwnRow } from '../views/approval-view.ts';
import { spanOf } from './lease-span.ts';
import { foldLetters, nodeLabels, requireName } from './peer-lookup.ts';
import { createQueue } from './queue.ts';

/** Most questions that a watcher is told of at its start. */
const MOST_WAITING = 1000;

/** Questions to persons, and their answers; for a person. */
export function approvalOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { gate, person, clock } = ports;
  const whole = (approval: Parameters<typeof viewApproval>[0]) =>
    viewApproval(approval, nodeLabels(ports), approverLabels(gate));
  const requireApproval = (id: string) => {
    const approval = gate.approvals.get(id);
    if (approval === undefined) throw noApproval(id);
    return approval;
  };
  return [
    implement(approvalContract.approval_list, ({ all, limit }) => {
      const approvals = gate.approvals.list({ pendingOnly: !all, limit });
      const nowMs = clock.nowMs();
      return {
        approvals: approvals
          .filter(({ state, expiresAtMs }) => all || state !== 'pending' || expiresAtMs > nowMs)
          .map((approval) => viewApprovalRow(approval, nodeLabels(ports), approverLabels(gate))),
      };
    }),
    implement(approvalContract.list_approvals, ({ all, limit }, { caller }) => ({
      approvals: askedBy(ports, caller, { pendingOnly: !all, limit }).map((approval) =>
        viewOwnRow(approval, nodeLabels(ports)),
      ),
    })),
    implement(approvalContract.approval_show, ({ approval }) => ({ approval: whole(requireApproval(approval)) })),
    implement(approvalContract.approval_ask, ({ about }) => {
      const approval = whole(person.ask(wishOf(ports, about)));
      return { approval, ticket: person.giveTicket(approval.id) };
    }),
    implement(approvalContract.approval_statement, ({ approval, answer, scope }) => {
      const said = scope === undefined ? { answer } : { answer, scope };
      const statement = gate.approvals.statement(approval, said);
      if (statement === undefined) throw noApproval(approval);
      const { scope: _, ...rest } = statement;
      return { statement: { ...rest, ...said } };
    }),
    implement(approvalContract.approval_decide, async ({ statement: { scope, ...said }, proof }) => {
      const statement = scope === undefined ? said : { ...said, scope };
      const outcome = gate.approvals.decide(said.approval, { statement, proof });
      const answer = viewOutcome(ports, outcome);
      if (!outcome.decided || outcome.approval.kind !== 'policy' || said.answer === 'deny') return answer;
      return { ...answer, in_force: await person.isInForce(said.approval) };
    }),
    implement(approvalContract.approval_withdraw, ({ approval, ticket }) => ({
      approval: requireApproval(approval).id,
      withdrawn: person.withdraw(approval, ticket),
    })),
    implementStream(approvalContract.approval_watch, (_, { signal }) => watch(ports, signal)),
  ];
}

/** INVARIANT: 7 an agent sees what its session asked and nothing else of this node; a task what it asked itself. */
function askedBy(
  { gate, clock }: GatewayPorts,
  caller: Caller,
  filter: { readonly pendingOnly: boolean; readonly limit: number },
): ReturnType<GatewayPorts['gate']['approvals']['list']> {
  const { session } = caller;
  if (session === undefined) return [];
  const whose =
    caller.kind === 'task' ? { task: caller.task } : { key: { origin: session.origin, session: session.id } };
  const nowMs = clock.nowMs();
  return gate.approvals
    .list({ ...filter, ...whose })
    .filter(({ state, expiresAtMs }) => !filter.pendingOnly || state !== 'pending' || expiresAtMs > nowMs);
}

function noApproval(id: string): WritError {
  return new WritError('NOT_FOUND', `no approval ${quote(id)}`, { nextSteps: ['writ approval list'] });
}

async function* watch(ports: GatewayPorts, signal: AbortSignal): AsyncGenerator<StreamItem<'approval_watch'>> {
  const { gate } = ports;
  const queue = createQueue<Parameters<typeof viewApproval>[0]>(signal);
  // Before the list is read, so that nothing is asked unseen in between.
  const stop = gate.events.add((event) => {
    if (event.kind === 'approval') queue.send(event.approval);
  });
  try {
    const waiting = gate.approvals.list({ pendingOnly: true, limit: MOST_WAITING });
    for (const approval of [...waiting].reverse()) yield item(ports, approval);
    for await (const approval of queue) yield item(ports, approval);
  } finally {
    stop();
  }
}

function item(ports: GatewayPorts, approval: Parameters<typeof viewApproval>[0]): StreamItem<'approval_watch'> {
  return { approval: viewApproval(approval, nodeLabels(ports), approverLabels(ports.gate)) };
}

function viewOutcome(ports: GatewayPorts, outcome: DecideOutcome): OperationOutput<'approval_decide'> {
  const labels = approverLabels(ports.gate);
  if (outcome.decided) return { decided: true, approval: viewApproval(outcome.approval, nodeLabels(ports), labels) };
  const { check, refusal, decidedBy } = outcome;
  const { code, message, nextSteps } = refusal;
  const by = decidedBy === undefined ? {} : { decided_by: decidedBy, decided_by_label: labels(decidedBy) };
  return { decided: false, check, code, message, next_steps: [...nextSteps], ...by };
}

type About = z.output<typeof approvalContract.approval_ask.input>['about'];

function wishOf(ports: GatewayPorts, about: About): PersonWish {
  switch (about.kind) {
    case 'policy':
    case 'clock':
      return { about: about.kind };
    case 'lease_renew': {
      const { lease } = about;
      return { about: 'lease', wish: { act: 'renew', lease, ...spanOf(about) } };
    }
    case 'lease_grant':
      return { about: 'lease', wish: { act: 'grant', grant: grantOf(about) } };
    case 'approver_enroll': {
      const { id, public_key: publicKey, label } = about;
      const approver = { id, kind: 'passphrase', publicKey, label: requireName('label', label) };
      return { about: 'approver', change: { act: 'enroll', approver } };
    }
    case 'approver_remove':
      return { about: 'approver', change: removalOf(ports, about.approver) };
  }
}

/** A grant as a person types it, with folded names. */
export function grantOf(
  input: Omit<z.output<typeof leaseContract.lease_grant.input>, 'origin'> & { readonly origin?: string | undefined },
): LeaseWishGrant {
  const { workspaces, max_uses: maxUses, origin } = input;
  return {
    peer: foldLetters(input.peer),
    profile: requireName('profile', input.profile),
    ...spanOf(input),
    ...(workspaces === undefined ? {} : { workspaces: workspaces.map((name) => requireName('workspaces', name)) }),
    ...(maxUses === undefined ? {} : { maxUses }),
    ...(origin === undefined ? {} : { origin: foldLetters(origin) }),
  };
}

function removalOf({ gate }: GatewayPorts, idOrLabel: string): ApproverChange {
  const approvers = gate.approvers.list();
  const byId = approvers.filter(({ id }) => id === foldLetters(idOrLabel));
  const [found, another] = byId.length > 0 ? byId : approvers.filter(({ label }) => label === foldLetters(idOrLabel));
  const nextSteps = ['writ approver list'];
  if (found === undefined) throw new WritError('NOT_FOUND', `no approver ${quote(idOrLabel)}`, { nextSteps });
  if (another !== undefined) {
    throw new WritError('CONFLICT', `several approvers are called ${quote(idOrLabel)}`, {
      nextSteps: ['name one by its id', ...nextSteps],
    });
  }
  const { id, label } = found;
  return { act: 'remove', approver: { id, label } };
}
