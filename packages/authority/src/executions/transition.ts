import { WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Execution, ExecutionChange } from '@writ/lease-store';
import type { RecordParts } from '../record-types.ts';
import { type ExecutionEvent, nextExecutionState } from './state.ts';

/** What happens, and what is stored with it. */
export type Transition = Omit<ExecutionChange, 'state'> & { readonly event: ExecutionEvent };

/**
 * The one way in which an execution changes: by the table, with its audit row, told after the commit. `before` was read
 * in this transaction. Throws INTERNAL for what the table does not allow.
 */
export function moveExecution(
  { executions, events }: Pick<RecordParts, 'executions' | 'events'>,
  tx: WriteTx,
  before: Execution,
  { event, ...change }: Transition,
): Execution {
  const state = nextExecutionState(before.state, event);
  const execution = state && executions.move(tx, before, { ...change, state });
  if (execution === undefined) {
    throw new WritError('INTERNAL', `an execution that is ${before.state} cannot ${event}`, {
      details: { execution: before.id },
    });
  }
  auditExecution(tx, execution);
  tx.afterCommit(() => events.tell({ kind: 'execution', execution }));
  return execution;
}

/** Writes what state it is in; never the command, which may hold secrets. */
export function auditExecution(tx: WriteTx, execution: Execution): void {
  const { id, state, origin, session, agent, task, profile, digest, target } = execution;
  const { approval, window, lease, outcome } = execution;
  tx.audit({
    kind: 'execution',
    action: `execution.${state}`,
    actor: execution.requestedBy,
    subject: id,
    details: {
      ...{
        origin,
        session,
        agent,
        profile,
        digest,
        class: execution.class,
        task: task ?? null,
        target: target ?? null,
      },
      ...{ approval: approval ?? null, window: window ?? null, lease: lease ?? null, code: outcome?.code ?? null },
    },
  });
}
