import { WritError } from '@writ/core';
import type { Database, ReadTx, WriteTx } from '@writ/database';
import type { Task, TaskChange, TaskEventBody, TaskOutcome, TaskStore, TaskWait, Turn } from '@writ/task-store';
import { endingTransition, next, type TaskTransition } from '../state-machine.ts';
import type { Wakeups } from '../wakeups.ts';
import type { Evidence } from './evidence/collecting.ts';
import type { SignEnd } from './evidence/signing.ts';

/** Writes what happens to tasks: row, event and audit entry in one transaction, then wakes who watches. */
export interface TaskJournal {
  /** Throws NOT_FOUND. */
  require(tx: ReadTx, id: string): Task;
  /** Throws INTERNAL where `transition` cannot come now; callers look at the state first, in the same transaction. */
  move(
    tx: WriteTx,
    task: Task,
    transition: TaskTransition,
    change?: Omit<TaskChange, 'state'>,
    note?: { readonly message: string; readonly code?: string; readonly turn?: Turn; readonly waits?: TaskWait },
  ): Task;
  /**
   * Ends a task that is not terminal, with its signed result; `left`: what its run left, events that were not written yet
   * first. A success that cannot be signed becomes a failure.
   */
  end(tx: WriteTx, task: Task, outcome: TaskOutcome, left?: Left): Task;
  append(tx: WriteTx, task: Task, bodies: readonly TaskEventBody[]): void;
  /** Appends output events of an attempt; one of an older epoch changes nothing. */
  appendOutput(id: string, epoch: number, bodies: readonly TaskEventBody[]): void;
}

/** What a run leaves for its end. */
export interface Left {
  readonly unwritten: readonly TaskEventBody[];
  readonly evidence: Evidence;
}

export function createTaskJournal(options: {
  readonly database: Database;
  readonly tasks: TaskStore;
  readonly wakeups: Wakeups;
  readonly sign: SignEnd;
  /** Called in the transaction that ends a task; what it throws keeps the end from being stored. */
  readonly onEnd: (tx: WriteTx, task: Task) => void;
}): TaskJournal {
  const { database, tasks, wakeups, sign, onEnd } = options;

  function require(tx: ReadTx, id: string): Task {
    const task = tasks.get(tx, id);
    if (!task) throw new WritError('NOT_FOUND', 'no such task', { nextSteps: ['list the tasks: writ task list'] });
    return task;
  }

  function append(tx: WriteTx, task: Task, bodies: readonly TaskEventBody[]): void {
    if (bodies.length === 0) return;
    tasks.append(tx, task.id, task.epoch, bodies);
    tx.afterCommit(() => wakeups.wake(task.id));
  }

  /** INVARIANT: 8 every change of state goes through `next`, at the version that was read. */
  function change(tx: WriteTx, task: Task, transition: TaskTransition, more: Omit<TaskChange, 'state'>): Task {
    const result = next(task.state, transition);
    const changed =
      result.kind === 'moved' ? tasks.update(tx, task.id, task.version, { ...more, state: result.state }) : undefined;
    if (changed) return changed;
    throw new WritError('INTERNAL', `task cannot ${transition.kind} while it is ${task.state}`, {
      details: { task: task.id },
    });
  }

  // INVARIANT: 10 every transition has its audit entry in the same transaction.
  function audit(tx: WriteTx, task: Task, details: Readonly<Record<string, string | number | null>>): void {
    const { state } = task;
    // Nothing leads back there.
    if (state === 'submitted') return;
    tx.audit({ kind: 'task', action: `task.${state}`, actor: 'node', subject: task.id, details });
  }

  return {
    require,
    append,
    move(tx, task, transition, more = {}, note) {
      const moved = change(tx, task, transition, more);
      append(tx, moved, [{ kind: 'state', state: moved.state, ...note }]);
      audit(tx, moved, { sender: moved.sender, epoch: moved.epoch });
      return moved;
    },
    end(tx, task, verdict, left) {
      // INVARIANT: 10 whatever the ending, its signed result is stored in the transaction that ends the task.
      const outcome = sign(tx, task, verdict, left?.evidence);
      const ended = change(tx, task, endingTransition(outcome.state), { outcome });
      append(tx, ended, [...(left?.unwritten ?? []), { kind: 'outcome', outcome }]);
      audit(tx, ended, { sender: ended.sender, epoch: ended.epoch, code: outcome.code ?? null });
      onEnd(tx, ended);
      return ended;
    },
    appendOutput(id, epoch, bodies) {
      database.withWriteTx((tx) => {
        const task = tasks.get(tx, id);
        if (task?.epoch === epoch && task.outcome === undefined) append(tx, task, bodies);
      });
    },
  };
}
