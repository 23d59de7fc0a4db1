import { quote, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Execution, LeaseStore } from '@writ/lease-store';
import type { Approvals } from '../approvals/types.ts';
import { checkAsker, goneOf } from '../presence.ts';
import type { RecordParts } from '../record-types.ts';
import type { Windows } from '../windows/windows.ts';
import { missingRight } from './needs.ts';
import { roomRefusal } from './room.ts';
import { scopesOf } from './scopes.ts';
import { auditExecution, moveExecution } from './transition.ts';
import type { Classify, CommandRights, Proposal, ProposeOutcome, RightsQuery } from './types.ts';

/** What gated commands need besides the records. */
export interface ExecutionParts extends RecordParts {
  readonly rights: CommandRights;
  readonly leases: Pick<LeaseStore, 'get'>;
  readonly classify: Classify;
  readonly ask: Approvals['ask'];
  readonly cancelApproval: Approvals['cancel'];
  readonly gate: Pick<Windows, 'covers' | 'claim' | 'giveBack'>;
}

/** Who asked for a stored command, as rights are decided from. */
export function rightsQueryOf(execution: Execution): RightsQuery {
  const { origin, session, agent, task, requestedBy, profile, basis } = execution;
  return { origin, session, agent, requestedBy, profile, basis, ...(task === undefined ? {} : { task }) };
}

/** Stores a gated command in the caller's transaction and asks, where neither its class nor a window lets it run. */
export function propose(parts: ExecutionParts, tx: WriteTx, proposal: Proposal): ProposeOutcome {
  const { asker, idempotencyKey, digest, preview, lifetimeMs, ...rest } = proposal;
  checkAsker(asker);
  const gone = goneOf(parts, tx, asker);
  if (gone !== undefined) return { proposed: false, refusal: gone.refusal };
  const known = parts.executions.findByKey(tx, { ...asker, idempotencyKey });
  if (known !== undefined) return sameAgain(known, proposal);
  const missing = missingRight(parts.rights.look(tx, { ...asker, ...rest }), rest);
  if (missing !== undefined) {
    auditRefusal(tx, proposal, missing.code);
    return { proposed: false, refusal: missing };
  }
  const full = roomRefusal(parts, tx, asker, tx.nowMs);
  if (full !== undefined) {
    auditRefusal(tx, proposal, full.code);
    return { proposed: false, refusal: full };
  }
  if (!preview.shown && proposal.class !== 'read') {
    const nextSteps = ['run something smaller, in parts'];
    return { proposed: false, refusal: { code: 'BAD_REQUEST', message: preview.message, nextSteps } };
  }
  const execution = parts.executions.insert(tx, {
    ...{ ...asker, ...rest, id: parts.random.uuid(), idempotencyKey, digest },
    preview: preview.shown ? preview.text : '',
    expiresAtMs: tx.nowMs + lifetimeMs,
  });
  auditExecution(tx, execution);
  tx.afterCommit(() => parts.events.tell({ kind: 'execution', execution }));
  const runs = execution.class === 'read' || parts.gate.covers(tx, execution, tx.nowMs) !== undefined;
  return { proposed: true, execution: runs ? execution : askFor(parts, tx, execution) };
}

/** Asks for one execution; it waits then, or is denied at once where nobody can be asked. */
export function askFor(parts: ExecutionParts, tx: WriteTx, execution: Execution): Execution {
  const { digest, preview, id, createdAtMs, expiresAtMs } = execution;
  const outcome = parts.ask(tx, {
    ...{ kind: 'execution', asker: execution, digest, scopes: scopesOf(execution) },
    preview: { shown: true, text: preview },
    subject: { execution: id },
    lifetimeMs: expiresAtMs - createdAtMs,
  });
  if (outcome.asked && outcome.isNew) {
    return moveExecution(parts, tx, execution, { event: 'ask', approval: outcome.approval.id });
  }
  // Two executions of one action would wait for one answer, and one yes runs one of them.
  const { code, message } = outcome.asked
    ? { code: 'CONFLICT', message: `the same command waits for an answer already: ${outcome.approval.id}` }
    : outcome.refusal;
  return moveExecution(parts, tx, execution, { event: 'deny', outcome: { code, message } });
}

function sameAgain(known: Execution, { digest, idempotencyKey, profile }: Proposal): ProposeOutcome {
  if (known.digest === digest && known.profile === profile) return { proposed: true, execution: known };
  throw new WritError('CONFLICT', `the key ${quote(idempotencyKey)} was used for another command`, {
    nextSteps: ['give each command a key of its own'],
  });
}

function auditRefusal(tx: WriteTx, { asker, digest, class: of, profile }: Proposal, code: string): void {
  const { origin, session, agent, requestedBy } = asker;
  const details = { origin, session, agent, digest, class: of, profile, code };
  tx.audit({ kind: 'execution', action: 'execution.refused', actor: requestedBy, details });
}
