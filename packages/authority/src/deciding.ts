import { foldId } from '@writ/core';
import type { AuditAction, ReadTx, WriteTx } from '@writ/database';
import type { Lease } from '@writ/lease-store';
import type { Decision, Usage } from '@writ/policy';
import { factOf, findLeases } from './lease-facts.ts';
import type { Ask, AuthorityOptions, Subject } from './types.ts';

/** A decision with the leases that it could choose from. */
export interface Deciding {
  readonly decision: Decision;
  readonly leases: readonly Lease[];
}

/** Who asks for what; `approved`: taking for granted that a person has said yes. */
interface Question {
  readonly subject: Subject;
  readonly ask: Ask;
  readonly usage: Usage;
  readonly approved?: boolean;
}

/** Joins policy with what a person has lent at this moment. A clock that went back leaves no lease to choose. */
export function decideNow(
  { engine, leases: store, database }: AuthorityOptions,
  tx: ReadTx,
  { subject, ask, usage, approved = false }: Question,
): Deciding {
  const backwards = database.clockIsBackwards();
  const leases = backwards ? [] : findLeases(store, tx, subject, database.nowMs());
  const facts = { from: subject.from, leases: leases.map(factOf), usage };
  const decision = engine.decide(approved ? { ...ask, ...facts, approved } : { ...ask, ...facts });
  const explained = backwards && decision.code === 'LEASE_REQUIRED' ? explainClock(decision) : decision;
  return { decision: explained, leases };
}

/** What counts against a subject's limits now. */
export function usageOf({ requestLog, liveTasks, database }: AuthorityOptions, tx: ReadTx, subject: Subject): Usage {
  const from = foldId(subject.from);
  return {
    concurrent: liveTasks.countLive(tx, from),
    lastHour: requestLog.countLastHour(tx, from, database.nowMs()),
  };
}

/** Writes what was decided about whom; never what was to be run, which may hold secrets. */
export function auditDecision(
  tx: WriteTx,
  action: AuditAction,
  { subject, ask, decision }: { readonly subject: Subject; readonly ask: Ask; readonly decision: Decision },
): void {
  tx.audit({
    kind: 'decision',
    action,
    actor: foldId(subject.from),
    subject: `${subject.origin}/${subject.session}`,
    details: {
      effect: decision.effect,
      code: decision.code,
      generation: decision.generation,
      requested: decision.requestedProfile ?? ask.profile ?? null,
      effective: decision.effectiveProfile ?? null,
      workspace: ask.workspace ?? null,
      lease: decision.leaseId ?? null,
      chain: ask.chain,
    },
  });
}

function explainClock(decision: Decision): Decision {
  return {
    ...decision,
    message: `${decision.message}: the clock of this node went back, so that no lease counts`,
    nextSteps: ['set the clock of the executing node right, or have its person accept it', ...decision.nextSteps],
  };
}
