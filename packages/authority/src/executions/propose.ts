import { quote, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Execution, LeaseStore, NewExecution } from '@writ/lease-store';
import type { Approvals, Question } from '../approvals/types.ts';
import { checkAsker, goneOf } from '../presence.ts';
import type { Asker, RecordParts, Refusal } from '../record-types.ts';
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
  readonly askRefusal: Approvals['refusalOf'];
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
    auditProposal(tx, proposal, missing.code);
    return { proposed: false, refusal: missing };
  }
  const full = roomRefusal(parts, tx, asker, tx.nowMs);
  if (full !== undefined) {
    auditProposal(tx, proposal, full.code);
    return { proposed: false, refusal: full };
  }
  if (!preview.shown && proposal.class !== 'read') {
    const nextSteps = ['run something smaller, in parts'];
    return { proposed: false, refusal: { code: 'BAD_REQUEST', message: preview.message, nextSteps } };
  }
  const command = {
    ...{ ...asker, ...rest, id: parts.random.uuid(), idempotencyKey, digest },
    preview: preview.shown ? preview.text : '',
    expiresAtMs: tx.nowMs + lifetimeMs,
  };
  const runs = rest.class === 'read' || parts.gate.covers(tx, command, tx.nowMs) !== undefined;
  // What nobody is asked leaves no more than who asked: whoever is refused would fill the database otherwise.
  const unasked = runs ? undefined : unaskable(parts, tx, command);
  if (unasked !== undefined) {
    auditProposal(tx, proposal, unasked.code);
    return { proposed: false, refusal: unasked };
  }
  const execution = parts.executions.insert(tx, command);
  auditExecution(tx, execution);
  tx.afterCommit(() => parts.events.tell({ kind: 'execution', execution }));
  return { proposed: true, execution: runs ? execution : askFor(parts, tx, execution) };
}

/** Asks for one execution; it waits then, or is denied at once where nobody can be asked. */
export function askFor(parts: ExecutionParts, tx: WriteTx, execution: Execution): Execution {
  const outcome = parts.ask(tx, questionOf(execution, execution.createdAtMs));
  if (outcome.asked && outcome.isNew) {
    return moveExecution(parts, tx, execution, { event: 'ask', approval: outcome.approval.id });
  }
  // Two executions of one action would wait for one answer, and one yes runs one of them.
  const { code, message } = outcome.asked ? sameWaits(outcome.approval.id) : outcome.refusal;
  return moveExecution(parts, tx, execution, { event: 'deny', outcome: { code, message } });
}

/** Why nobody would be asked about a command, before anything of it is stored; undefined: somebody would. */
function unaskable(parts: ExecutionParts, tx: WriteTx, command: NewExecution): Refusal | undefined {
  const { digest, origin, session, agent, requestedBy, task } = command;
  const asker = { origin, session, agent, requestedBy, ...(task === undefined ? {} : { task }) };
  const waiting = parts.approvals.findPending(tx, { ...asker, kind: 'execution', digest });
  if (waiting !== undefined && waiting.expiresAtMs > tx.nowMs) return sameWaits(waiting.id);
  return parts.askRefusal(tx, questionOf(command, tx.nowMs));
}

function sameWaits(approval: string): Refusal {
  return {
    code: 'CONFLICT',
    message: `the same command waits for an answer already: ${approval}`,
    nextSteps: ['wait for that one: writ execution list'],
  };
}

function questionOf(command: NewExecution, nowMs: number): Question {
  const { digest, preview, id, expiresAtMs } = command;
  return {
    ...{ kind: 'execution', asker: command, digest, scopes: scopesOf(command) },
    preview: { shown: true, text: preview },
    subject: { execution: id },
    lifetimeMs: expiresAtMs - nowMs,
  };
}

function sameAgain(known: Execution, { digest, idempotencyKey, profile }: Proposal): ProposeOutcome {
  if (known.digest === digest && known.profile === profile) return { proposed: true, execution: known };
  throw new WritError('CONFLICT', `the key ${quote(idempotencyKey)} was used for another command`, {
    nextSteps: ['give each command a key of its own'],
  });
}

function auditProposal(tx: WriteTx, { asker, digest, class: of, profile }: Proposal, code: string): void {
  auditRefused(tx, asker, code, { digest, class: of, profile });
}

/** Writes down that nothing was taken in, with what was known of it by then. */
export function auditRefused(
  tx: WriteTx,
  { origin, session, agent, task, requestedBy }: Asker,
  code: string,
  known: Readonly<Record<string, string>> = {},
): void {
  const details = { origin, session, agent, ...(task === undefined ? {} : { task }), ...known, code };
  tx.audit({ kind: 'execution', action: 'execution.refused', actor: requestedBy, details });
}
