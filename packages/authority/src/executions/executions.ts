import type { WriteTx } from '@writ/database';
import type { Execution } from '@writ/lease-store';
import { laneOf } from '../whose.ts';
import { auditRefused, type ExecutionParts, propose, rightsQueryOf } from './propose.ts';
import { roomRefusal } from './room.ts';
import { EXPIRED, mayStart, start } from './start.ts';
import { moveExecution, type Transition } from './transition.ts';
import type { Executions } from './types.ts';
import { withdrawnOf } from './withdrawn.ts';

/** Most that one sweep or one look goes through of each kind; more wait for the next. */
const PAGE = 1000;

/** Gated commands: one instance a node. */
export function createExecutions(parts: ExecutionParts): Executions {
  const { database, executions } = parts;
  const endRunning = (tx: WriteTx, id: string, transition: Transition): Execution | undefined => {
    const execution = executions.get(tx, id);
    return execution?.state === 'running' ? moveExecution(parts, tx, execution, transition) : undefined;
  };
  return {
    propose: (proposal) => database.withWriteTx((tx) => propose(parts, tx, proposal)),
    proposeIn: (tx, proposal) => propose(parts, tx, proposal),
    refusalOf(tx, asker, tooFast) {
      const refusal = tooFast ?? roomRefusal(parts, tx, asker, tx.nowMs);
      if (refusal !== undefined) auditRefused(tx, asker, refusal.code);
      return refusal;
    },
    get: (id) => database.withReadTx((tx) => executions.get(tx, id)),
    findByKey: (whose) => database.withReadTx((tx) => executions.findByKey(tx, whose)),
    list: (filter) => database.withReadTx((tx) => executions.list(tx, filter)),
    ready: (limit, which = {}) => ready(parts, limit, which),
    lanes: () => [...new Set(database.withReadTx((tx) => executions.listWaitingHeads(tx)).map(laneOf))],
    start: (id, digest) => database.withWriteTx((tx) => start(parts, tx, id, digest)),
    finish: (id, event, outcome) => database.withWriteTx((tx) => endRunning(tx, id, { event, outcome })),
    notSpawned: (id, outcome) =>
      database.withWriteTx((tx) => {
        const ended = endRunning(tx, id, { event: 'fail', outcome });
        if (ended?.lease !== undefined) parts.rights.giveBack(tx, ended.lease);
        if (ended?.window !== undefined) parts.gate.giveBack(tx, ended.window);
        return ended;
      }),
    refuse: (id, outcome) => endWaiting(parts, id, { event: 'refuse', outcome }),
    cancel: (id) => endWaiting(parts, id, cancelled('its caller cancelled it')),
    cancelOf(tx, whose) {
      for (const execution of executions.listWaiting(tx, 'task' in whose ? whose : { key: whose })) {
        end(parts, tx, execution, cancelled('what asked for it has ended'));
      }
    },
    endWaiting(tx) {
      for (const state of ['proposed', 'pending_approval'] as const) {
        const waiting = executions.listIn(tx, state, { limit: Number.MAX_SAFE_INTEGER });
        for (const execution of waiting) end(parts, tx, execution, EXPIRED);
      }
      // Those that cannot be read too.
      executions.endWaiting(tx);
    },
    refuseApproved(tx, approvals) {
      for (const id of approvals) {
        const execution = executions.findByApproval(tx, id);
        if (execution?.state === 'proposed') moveExecution(parts, tx, execution, NOBODYS_YES);
      }
    },
    rights: (execution) => database.withReadTx((tx) => parts.rights.look(tx, rightsQueryOf(execution))),
    withdrawn: () => database.withReadTx((tx) => withdrawnOf(parts, tx)),
    countRunning: () =>
      database.withReadTx((tx) => executions.listIn(tx, 'running', { limit: Number.MAX_SAFE_INTEGER }).length),
    recover: () =>
      database.withWriteTx((tx) => {
        const left = executions.listIn(tx, 'running', { limit: Number.MAX_SAFE_INTEGER });
        for (const execution of left) moveExecution(parts, tx, execution, CRASHED);
        return left.length;
      }),
    sweep: () =>
      database.withWriteTx((tx) => {
        const due = executions.listDue(tx, PAGE);
        for (const execution of due) end(parts, tx, execution, EXPIRED);
        // A key that is gone would start its command a second time.
        return { expired: due.length, pruned: tx.forRemoval === undefined ? 0 : executions.prune(tx.forRemoval, PAGE) };
      }),
  };
}

/** The node ended between the start and the result: nobody knows what was done, so nothing does it again. */
const CRASHED: Transition = {
  event: 'crash',
  outcome: { code: 'LOST', message: 'the node ended while it ran; look at what it did before it is run again' },
};

const NONE: ReadonlySet<string> = new Set();

const NOBODYS_YES: Transition = {
  event: 'refuse',
  outcome: { code: 'NOT_APPROVER', message: 'who said yes to it is no approver any more' },
};

function ready(
  parts: ExecutionParts,
  limit: number,
  { lane, skip = NONE }: NonNullable<Parameters<Executions['ready']>[1]>,
): readonly string[] {
  const { database, executions } = parts;
  return database.withReadTx((tx) => {
    const nowMs = database.nowMs();
    const heads = executions.listWaitingHeads(tx);
    const found: string[] = [];
    // A proposed one that nothing covers any more is looked at too: it has to be asked for.
    for (const state of ['proposed', 'pending_approval'] as const) {
      for (const head of heads) {
        if (found.length >= limit) return found;
        if (head.state !== state || skip.has(head.id) || (lane !== undefined && laneOf(head) !== lane)) continue;
        const execution = state === 'proposed' ? undefined : executions.get(tx, head.id);
        if (state === 'proposed' || (execution && mayStart(parts, tx, execution, nowMs))) found.push(head.id);
      }
    }
    return found;
  });
}

function cancelled(message: string): Transition {
  return { event: 'cancel', outcome: { code: 'CANCELLED', message } };
}

function endWaiting(parts: ExecutionParts, id: string, transition: Transition): Execution | undefined {
  return parts.database.withWriteTx((tx) => {
    const execution = parts.executions.get(tx, id);
    const isWaiting = execution?.state === 'proposed' || execution?.state === 'pending_approval';
    return isWaiting ? end(parts, tx, execution, transition) : undefined;
  });
}

/** Ends one that has not started, and then its question: in this order, so that the question finds nothing to end. */
function end(parts: ExecutionParts, tx: WriteTx, execution: Execution, transition: Transition): Execution {
  const ended = moveExecution(parts, tx, execution, transition);
  if (execution.approval !== undefined) parts.cancelApproval(tx, execution.approval);
  return ended;
}
