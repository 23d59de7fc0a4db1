import { type DecisionStatement, type Json, quote, sha256Hex } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Approval, ApprovalDecision } from '@writ/lease-store';
import { ask, audit, whollyRefused } from './ask.ts';
import { checkAnswer, type DecideParts } from './checks.ts';
import type { Answer, Approvals, DecideOutcome } from './types.ts';

/** Most that one sweep ends, and most that it removes; more wait for the next. */
const SWEEP_LIMIT = 1000;

/** Questions to persons: one instance a node. */
export function createApprovals(parts: DecideParts): Approvals {
  const { approvals, database } = parts;
  return {
    ask: (tx, question) =>
      ask(parts, tx, question, {
        expire: (late) => end(parts, tx, late, 'expired'),
        makeRoom: (older) => end(parts, tx, older, 'cancelled'),
      }),
    refusalOf: (tx, question) => whollyRefused(parts, tx, question),
    statement(id, answer) {
      const approval = database.withReadTx((tx) => approvals.get(tx, id));
      return approval && statementOf(parts.self, approval, answer);
    },
    decide: (id, answer) => database.withWriteTx((tx) => decide(parts, tx, id, answer)),
    get: (id) => database.withReadTx((tx) => approvals.get(tx, id)),
    findByRequest: approvals.findByRequest,
    list: (filter) => database.withReadTx((tx) => approvals.list(tx, filter)),
    cancelOf(tx, whose) {
      for (const approval of approvals.cancelOf(tx, whose)) settle(parts, tx, approval);
    },
    cancel: (tx, id) => end(parts, tx, id, 'cancelled'),
    endAll(tx, by) {
      for (const approval of approvals.endAll(tx)) settle(parts, tx, approval);
      for (const id of approvals.dropUnused(tx)) auditDropped(tx, id, by);
    },
    dropUnusedOf(tx, approver, by) {
      const dropped = approvals.dropUnused(tx, approver);
      for (const id of dropped) auditDropped(tx, id, by);
      return dropped;
    },
    sweep: () =>
      database.withWriteTx((tx) => {
        // Under a clock that went back nothing has expired that had not before, and what had stays so.
        const expired = approvals.expireDue(tx, SWEEP_LIMIT);
        for (const approval of expired) settle(parts, tx, approval);
        const pruned = tx.forRemoval === undefined ? 0 : approvals.prune(tx.forRemoval, SWEEP_LIMIT);
        return { expired: expired.length, pruned };
      }),
  };
}

/** What an approver signs to give this answer to this question, as this node has it. */
function statementOf(
  node: string,
  { id, kind, digest, preview, expiresAtMs }: Approval,
  { answer, scope }: Pick<DecisionStatement, 'answer' | 'scope'>,
): DecisionStatement {
  const said = { node, approval: id, kind, digest, preview: sha256Hex(preview), answer, expiresAtMs };
  return scope === undefined ? said : { ...said, scope };
}

function decide(parts: DecideParts, tx: WriteTx, id: string, answer: Answer): DecideOutcome {
  const approval = parts.approvals.get(tx, id);
  if (approval === undefined) {
    const nextSteps = ['writ approval list'];
    return {
      ...{ decided: false, check: 'id' },
      refusal: { code: 'NOT_FOUND', message: `no approval ${quote(id)}`, nextSteps },
    };
  }
  const checked = checkAnswer(parts, tx, approval, answer);
  if (!checked.ok) {
    // Who tries in vain is remembered, except where nothing is there to be remembered for.
    if (checked.failure.refusal.code !== 'NOT_FOUND') auditRefusal(tx, approval, checked.failure);
    return checked.failure;
  }
  const decided = parts.approvals.decide(tx, approval, decisionOf(tx, approval, answer, checked.by));
  if (decided === undefined) {
    const refusal = { code: 'NOT_PENDING', message: 'somebody else was faster', nextSteps: [] } as const;
    return { decided: false, check: 'pending', refusal };
  }
  settle(parts, tx, decided);
  return { decided: true, approval: decided };
}

function decisionOf(
  tx: WriteTx,
  approval: Approval,
  { statement, proof }: Answer,
  decidedBy: string,
): ApprovalDecision {
  const given: Json = { ...proof };
  const scope = approval.scopes.find((offered) => offered === statement.scope);
  if (statement.answer === 'deny' || scope === undefined) return { state: 'denied', decidedBy, proof: given };
  const useByMs = tx.nowMs + (approval.expiresAtMs - approval.createdAtMs);
  return { state: 'approved', decidedBy, scope, proof: given, useByMs };
}

function end(parts: DecideParts, tx: WriteTx, id: string, state: 'expired' | 'cancelled'): void {
  const ended = parts.approvals.end(tx, id, state);
  if (ended !== undefined) settle(parts, tx, ended);
}

/** Applies an ending, whoever chose it, and tells of it after the commit. */
function settle({ kinds, events }: DecideParts, tx: WriteTx, approval: Approval): void {
  if (approval.state !== 'pending') audit(tx, `approval.${approval.state}`, approval);
  tx.afterCommit(() => events.tell({ kind: 'approval', approval }));
  kinds[approval.kind].settle(tx, approval);
}

function auditDropped(tx: WriteTx, id: string, actor: string): void {
  tx.audit({ kind: 'approval', action: 'approval.dropped', actor, subject: id });
}

function auditRefusal(tx: WriteTx, { id }: Approval, failure: Extract<DecideOutcome, { decided: false }>): void {
  const details = { check: failure.check, code: failure.refusal.code };
  tx.audit({ kind: 'approval', action: 'approval.answer-refused', actor: 'person', subject: id, details });
}
