import { formatDuration } from '@writ/core';
import type { AuditAction, ReadTx, WriteTx } from '@writ/database';
import type { Approval } from '@writ/lease-store';
import { checkAsker, goneOf } from '../presence.ts';
import type { RecordParts, Refusal } from '../record-types.ts';
import { isClockWish } from './clock-kind.ts';
import { fullness } from './fullness.ts';
import { isShowable } from './showing.ts';
import type { AskOutcome, Question } from './types.ts';

/** Longest time that a question can wait: seven days. */
const LONGEST_MS = 7 * 86_400_000;

/** How questions end that stand in the way of another one. */
export interface AskEnds {
  /** One that nobody answered in time, or can read. */
  readonly expire: (id: string) => void;
  /** One that gives way to a newer one. */
  readonly makeRoom: (id: string) => void;
}

/** Asks in the caller's transaction; see `Approvals.ask`. */
export function ask(parts: RecordParts, tx: WriteTx, question: Question, ends: AskEnds): AskOutcome {
  const { approvals, engine, random, events } = parts;
  const { kind, asker, digest, preview, subject, scopes, lifetimeMs } = question;
  checkAsker(asker);
  const refusal = refusalOf(parts, tx, question);
  if (refusal !== undefined) return refused(tx, question, refusal);
  const waiting = approvals.findPending(tx, { ...asker, kind, digest });
  if (waiting !== undefined && waiting.expiresAtMs > tx.nowMs) return { asked: true, approval: waiting, isNew: false };
  const late = waiting === undefined ? approvals.findUnreadable(tx, { ...asker, kind, digest }) : waiting.id;
  if (late !== undefined) ends.expire(late);
  const full = fullness(parts, tx, asker, tx.nowMs);
  if (full !== undefined && 'refusal' in full) return refused(tx, question, full.refusal);
  if (full !== undefined) ends.makeRoom(full.makesRoom);
  const approval = approvals.insert(tx, {
    ...asker,
    ...{ id: random.uuid(), kind, digest, subject, scopes },
    preview: preview.shown ? preview.text : '',
    generation: engine.snapshot().generation,
    expiresAtMs: tx.nowMs + lifetimeMs,
  });
  audit(tx, 'approval.requested', approval);
  tx.afterCommit(() => events.tell({ kind: 'approval', approval }));
  return { asked: true, approval, isNew: true };
}

/** Writes who asked for what, or what became of it; never the preview, which may hold secrets. */
export function audit(tx: WriteTx, action: AuditAction, approval: Approval): void {
  const { id, kind, origin, session, agent, task, digest, scope, decidedBy, requestedBy } = approval;
  tx.audit({
    kind: 'approval',
    action,
    actor: decidedBy ?? requestedBy,
    subject: id,
    details: { kind, origin, session, agent, task: task ?? null, digest, scope: scope ?? null },
  });
}

function refusalOf(parts: RecordParts, tx: WriteTx, question: Question): Refusal | undefined {
  return goneOf(parts, tx, question.asker)?.refusal ?? unaskable(parts, tx, question);
}

/** Why nobody can be asked this now, whether or not who asks is there; see `Approvals.refusalOf`. */
export function whollyRefused(parts: RecordParts, tx: WriteTx, question: Question): Refusal | undefined {
  const full = fullness(parts, tx, question.asker, tx.nowMs);
  return unaskable(parts, tx, question) ?? (full !== undefined && 'refusal' in full ? full.refusal : undefined);
}

function unaskable(parts: RecordParts, tx: WriteTx, question: Question): Refusal | undefined {
  const { preview, lifetimeMs } = question;
  if (tx.clockIsBackwards && !isClockWish(question)) return CLOCK_REFUSAL;
  if (!preview.shown || !isShowable(preview.text)) {
    const message = preview.shown ? 'what would be approved has no text that can be shown' : preview.message;
    return { code: 'BAD_REQUEST', message, nextSteps: ['ask for something smaller, in parts'] };
  }
  if (!Number.isSafeInteger(lifetimeMs) || lifetimeMs <= 0 || lifetimeMs > LONGEST_MS) {
    const message = `a question waits for at most ${formatDuration(LONGEST_MS)}, and longer than no time`;
    return { code: 'BAD_REQUEST', message, nextSteps: ['give another time'] };
  }
  return canAnswer(parts, tx) ? undefined : NOBODY;
}

/** Refused while the clock stands back: a time that has passed could look like one to come. */
export const CLOCK_REFUSAL: Refusal = {
  code: 'CLOCK_BACKWARDS',
  message: 'the clock of this node went back, so that nothing that is limited in time is given',
  nextSteps: ['set the clock of the executing node right, or have its person accept it'],
};

/** The fallback: nobody could ever answer, so the answer is no, at once. */
const NOBODY: Refusal = {
  code: 'APPROVAL_REQUIRED',
  message: 'a person would have to approve this, and no approver is enrolled on this node',
  nextSteps: ['enrol an approver on the executing node: writ approver enroll'],
};

function canAnswer({ approvers, engine }: RecordParts, tx: ReadTx): boolean {
  return engine.snapshot().config.approvals.mode === 'terminal' || approvers.listActive(tx).length > 0;
}

function refused(tx: WriteTx, { kind, asker }: Question, refusal: Refusal): AskOutcome {
  // INVARIANT: 5 nothing is written for what no longer exists.
  if (refusal.code !== 'NOT_FOUND') {
    const { origin, session, agent, requestedBy } = asker;
    const details = { kind, origin, session, agent, code: refusal.code };
    tx.audit({ kind: 'approval', action: 'approval.not-asked', actor: requestedBy, details });
  }
  return { asked: false, refusal };
}
