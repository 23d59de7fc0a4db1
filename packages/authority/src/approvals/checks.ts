import { sha256Hex } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Approval } from '@writ/lease-store';
import { goneOf } from '../presence.ts';
import type { ApprovalKinds, ProofCheck, RecordParts, Refusal } from '../record-types.ts';
import { CLOCK_REFUSAL } from './ask.ts';
import { isClockWish } from './clock-kind.ts';
import type { Answer, DecideOutcome, DecisionCheck } from './types.ts';

/** What checks of a decision look at besides the records. */
export interface DecideParts extends RecordParts {
  readonly kinds: ApprovalKinds;
  readonly verify: ProofCheck;
}

type Failure = Extract<DecideOutcome, { decided: false }>;

/** Who has proved to answer, or the first check that failed. */
export type Checked = { readonly ok: true; readonly by: string } | { readonly ok: false; readonly failure: Failure };

/**
 * The checks in their order, the same for a yes and a no, except that a no needs nobody's permission: right id, pending,
 * session and task alive, digest unchanged, policy still allows, a scope that was offered, a valid approver.
 * INVARIANT: 5 what was asked, what was seen, what was signed and what would be done now are one thing.
 */
export function checkAnswer(parts: DecideParts, tx: WriteTx, approval: Approval, answer: Answer): Checked {
  const { statement } = answer;
  if (statement.approval !== approval.id || statement.node !== parts.self || statement.kind !== approval.kind) {
    return fail('id', refusal('WRONG_REQUEST', 'the answer was given to another question', ANEW));
  }
  const gone = goneOf(parts, tx, approval);
  const waits = checkWaiting(tx, approval);
  // What was cancelled with its session or task is not there, rather than answered.
  if (waits !== undefined && !(approval.state === 'cancelled' && gone)) return { ok: false, failure: waits };
  if (gone !== undefined) return fail(gone.what, gone.refusal);
  if (!isUnchanged(parts, tx, approval, answer)) {
    return fail('digest', refusal('CHANGED_SINCE_APPROVAL', 'what would be done is not what was shown', ANEW));
  }
  if (statement.answer === 'approve') {
    const illegal = parts.kinds[approval.kind].refusal(tx, approval);
    if (illegal !== undefined) return fail('policy', illegal);
  }
  const isOffered = approval.scopes.some((scope) => scope === statement.scope);
  if (statement.answer === 'approve' ? !isOffered : statement.scope !== undefined) {
    const offered = `it can be approved for: ${approval.scopes.join(', ')}`;
    return fail('scope', refusal('BAD_REQUEST', 'this question offers no such scope', [offered]));
  }
  const by = approverOf(parts, tx, answer);
  return by === undefined ? fail('approver', NOT_APPROVER) : { ok: true, by };
}

const ANEW = ['look at it again and answer what is shown then'];

const NOT_APPROVER = refusal('NOT_APPROVER', 'the answer is not proved to be an approver’s', [
  'answer with the key of an approver, which asks for the passphrase',
]);

function checkWaiting(tx: WriteTx, approval: Approval): Failure | undefined {
  const { state, decidedBy, expiresAtMs } = approval;
  if (state !== 'pending') {
    const who = decidedBy === undefined || decidedBy === 'node' ? '' : ` by ${decidedBy}`;
    const failure = failureOf(
      'pending',
      refusal('NOT_PENDING', `it is ${state} already${who}`, ['nothing is left to do']),
    );
    return { ...failure, ...(decidedBy === undefined ? {} : { decidedBy }) };
  }
  if (tx.clockIsBackwards && !isClockWish(approval)) return failureOf('pending', CLOCK_REFUSAL);
  if (expiresAtMs <= tx.nowMs) {
    return failureOf('pending', refusal('EXPIRED', 'the time to answer is over', ['have it asked anew']));
  }
  return undefined;
}

function isUnchanged({ kinds }: DecideParts, tx: WriteTx, approval: Approval, { statement }: Answer): boolean {
  return (
    statement.digest === approval.digest &&
    statement.preview === sha256Hex(approval.preview) &&
    statement.expiresAtMs === approval.expiresAtMs &&
    kinds[approval.kind].digestNow(tx, approval) === approval.digest
  );
}

/** Id of the approver whose proof holds, or `terminal` where the configuration takes a terminal for one. */
function approverOf({ approvers, engine, verify }: DecideParts, tx: WriteTx, answer: Answer): string | undefined {
  const { proof, statement } = answer;
  if (proof.kind === 'terminal') {
    return engine.snapshot().config.approvals.mode === 'terminal' ? proof.kind : undefined;
  }
  const approver = approvers.get(tx, proof.approver);
  if (approver === undefined || approver.removedAtMs !== undefined) return undefined;
  return verify(approver, proof, statement) ? approver.id : undefined;
}

function refusal(code: Refusal['code'], message: string, nextSteps: readonly string[]): Refusal {
  return { code, message, nextSteps };
}

function failureOf(check: DecisionCheck, why: Refusal): Failure {
  return { decided: false, check, refusal: why };
}

function fail(check: DecisionCheck, why: Refusal): Checked {
  return { ok: false, failure: failureOf(check, why) };
}
