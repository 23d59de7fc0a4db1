import { WritError } from '@writ/core';
import type { ReadTx, WriteTx } from '@writ/database';
import type { Approval, Execution, Window } from '@writ/lease-store';
import { goneOf } from '../presence.ts';
import { unlikeShown } from './grant-shown.ts';
import { missingRight } from './needs.ts';
import { askFor, type ExecutionParts, rightsQueryOf } from './propose.ts';
import { moveExecution, type Transition } from './transition.ts';
import type { CommandFacts, Rights, StartBounds, StartOutcome } from './types.ts';

/** What lets a command run without asking (again). */
type Permission =
  | { readonly by: 'class' }
  | { readonly by: 'approval'; readonly approval: Approval }
  | { readonly by: 'window'; readonly window: Window };

/** Whether a first look finds something that lets it run now; nothing is claimed by it. */
export function mayStart(parts: ExecutionParts, tx: ReadTx, execution: Execution, nowMs: number): boolean {
  return permissionOf(parts, tx, execution, nowMs) !== undefined;
}

/** The last look before a command starts, in the transaction that stores `running`; see `Executions.start`. */
export function start(parts: ExecutionParts, tx: WriteTx, id: string, digest: string): StartOutcome {
  const execution = parts.executions.get(tx, id);
  if (execution === undefined) return { started: false, waits: false };
  if (execution.state !== 'proposed' && execution.state !== 'pending_approval') {
    return { started: false, waits: false, execution };
  }
  const end = endingOf(parts, tx, execution, digest);
  if (end !== undefined) return ended(parts, tx, execution, end);
  const permission = tx.clockIsBackwards ? undefined : permissionOf(parts, tx, execution, tx.nowMs);
  if (permission === undefined) return keepWaiting(parts, tx, execution);
  // INVARIANT: 2, 4 policy and leases of this moment, claimed in this transaction.
  const rights = parts.rights.claim(tx, rightsQueryOf(execution));
  const lack = missingRight(rights, execution) ?? unlikeShown(rights, execution);
  if (lack !== undefined) {
    if (rights.granted && rights.leaseId !== undefined) parts.rights.giveBack(tx, rights.leaseId);
    const { code, message } = lack;
    return ended(parts, tx, execution, { event: 'refuse', outcome: { code, message } });
  }
  return run(parts, tx, execution, permission, rights);
}

function run(
  parts: ExecutionParts,
  tx: WriteTx,
  execution: Execution,
  permission: Permission,
  rights: Rights,
): StartOutcome {
  if (!use(parts, tx, execution, permission)) {
    // Found and used in one synchronous transaction: whatever this is, none of it may commit.
    throw new WritError('INTERNAL', 'a permission went away inside the transaction that uses it');
  }
  const running = moveExecution(parts, tx, execution, {
    event: 'start',
    ...(permission.by === 'window' ? { window: permission.window.id } : {}),
    ...(rights.granted && rights.leaseId !== undefined ? { lease: rights.leaseId } : {}),
  });
  // INVARIANT: 5 the question that still waits is closed with the start: it can never run a second time.
  if (execution.state === 'pending_approval' && execution.approval !== undefined) {
    parts.cancelApproval(tx, execution.approval);
  }
  return { started: true, execution: running, ...boundsOf(rights) };
}

function boundsOf(rights: Rights): StartBounds {
  if (!rights.granted) return {};
  const { deadlineMs, ends } = rights;
  return { ...(deadlineMs === undefined ? {} : { deadlineMs }), ...(ends === undefined ? {} : { ends }) };
}

/** What ends it instead of a start; undefined: nothing does. */
function endingOf(parts: ExecutionParts, tx: WriteTx, execution: Execution, digest: string): Transition | undefined {
  if (execution.expiresAtMs <= tx.nowMs) return EXPIRED;
  const gone = goneOf(parts, tx, execution);
  if (gone !== undefined) {
    return { event: 'cancel', outcome: { code: gone.refusal.code, message: gone.refusal.message } };
  }
  // INVARIANT: 5 what is held to run has the digest that was asked about, or it does not run.
  if (digest !== execution.digest) return CHANGED;
  // INVARIANT: 2 it is what the rules of this moment say, not those that it was asked under.
  return isSame(parts.classify(execution), execution) ? undefined : RECLASSIFIED;
}

const CHANGED = refusal(
  'the command, its files, its directory or its environment changed; it has to be asked for anew',
);
const RECLASSIFIED = refusal('the rules say something else about the command now; it has to be asked for anew');

function refusal(message: string): Transition {
  return { event: 'refuse', outcome: { code: 'CHANGED_SINCE_APPROVAL', message } };
}

function isSame(now: CommandFacts, then: CommandFacts): boolean {
  const needs = (of: CommandFacts): string => [...new Set(of.needs)].sort().join();
  return (
    now.class === then.class && now.known === then.known && now.target === then.target && needs(now) === needs(then)
  );
}

/** Ending of what nobody let start in time. */
export const EXPIRED: Transition = {
  event: 'expire',
  outcome: { code: 'EXPIRED', message: 'it was not started in time' },
};

function ended(parts: ExecutionParts, tx: WriteTx, execution: Execution, transition: Transition): StartOutcome {
  const after = moveExecution(parts, tx, execution, transition);
  // Nobody has to answer any more.
  if (execution.approval !== undefined) parts.cancelApproval(tx, execution.approval);
  return { started: false, waits: false, execution: after };
}

/** One whose window has closed meanwhile is asked for; one that is asked for already waits on. */
function keepWaiting(parts: ExecutionParts, tx: WriteTx, execution: Execution): StartOutcome {
  if (execution.state === 'pending_approval' || tx.clockIsBackwards) return { started: false, waits: true };
  if (execution.approval !== undefined) {
    // It was approved, and the yes was not used in time.
    return ended(parts, tx, execution, EXPIRED);
  }
  const after = askFor(parts, tx, execution);
  return after.state === 'pending_approval'
    ? { started: false, waits: true }
    : { started: false, waits: false, execution: after };
}

/**
 * INVARIANT: 5, 6 looked for each command by itself, with its own session: its own approval, with its digest, or a window
 * of its own key.
 */
function permissionOf(
  { approvals, gate }: ExecutionParts,
  tx: ReadTx,
  execution: Execution,
  nowMs: number,
): Permission | undefined {
  if (execution.class === 'read') return { by: 'class' };
  const approval = execution.approval === undefined ? undefined : approvals.get(tx, execution.approval);
  if (
    approval?.state === 'approved' &&
    approval.usedAtMs === undefined &&
    approval.digest === execution.digest &&
    (approval.useByMs ?? 0) > nowMs
  ) {
    return { by: 'approval', approval };
  }
  const window = gate.covers(tx, execution, nowMs);
  return window && { by: 'window', window };
}

/** Takes the permission, once; false where it is none any more. */
function use(parts: ExecutionParts, tx: WriteTx, execution: Execution, permission: Permission): boolean {
  switch (permission.by) {
    case 'class':
      return true;
    case 'approval':
      return parts.approvals.use(tx, permission.approval.id, execution.digest);
    case 'window':
      return parts.gate.claim(tx, execution)?.id === permission.window.id;
  }
}
