import { digestJson } from '@writ/core';
import type { WriteTx } from '@writ/database';
import { isTerminal, type Question, type Settlement, type Task, type Turn, type TurnQuestion } from '@writ/task-store';
import type { ExecutorParts } from '../parts.ts';

/** Key of the wake-ups of who waits for answers to a task's questions. */
export const askKey = (task: string): string => `ask ${task}`;

/** What an approver of this node says yes or no to: this question of this task, in these words. */
export function questionDigest({ task, id, text }: Pick<Question, 'task' | 'id' | 'text'>): string {
  return digestJson({ task, question: id, text });
}

/** The open questions of a task, for whoever answers; undefined where there are none. */
export function turnOf(open: readonly Question[]): Turn | undefined {
  const [first] = open;
  if (first === undefined) return undefined;
  return { turn: first.turn, sinceMs: first.askedAtMs, questions: open.map(shownOf) };
}

function shownOf({ id, kind, text, choices, previous, approval, askedAtMs }: Question): TurnQuestion {
  return {
    ...{ id, kind, text, askedAtMs },
    ...(choices === undefined ? {} : { choices }),
    ...(previous === undefined ? {} : { previous }),
    ...(approval === undefined ? {} : { approval }),
  };
}

/**
 * Brings the state of a task in line with its open questions and tells of them, in the transaction that changed them: it
 * requires what its oldest one asks for, and goes on when none is open.
 */
export function tellTurn({ journal, turns }: ExecutorParts, tx: WriteTx, task: Task): Task {
  const turn = turnOf(turns.questions.listOpen(tx, task.id));
  const first = turn?.questions[0];
  if (turn === undefined || first === undefined) {
    return task.state === 'running' ? task : journal.move(tx, task, { kind: 'resume' });
  }
  const message = `${turn.questions.length} open, waiting for ${whomOf(turn)}`;
  const state = `${first.kind}_required` as const;
  if (task.state !== state) return journal.move(tx, task, { kind: 'require', what: first.kind }, {}, { message, turn });
  journal.append(tx, task, [{ kind: 'state', state, message, turn }]);
  return task;
}

function whomOf({ questions }: Turn): string {
  const toApprover = questions.filter(({ kind }) => kind === 'approval').length;
  if (toApprover === 0) return 'a reply of whoever handed the task over';
  const approver = 'an approver of the executing node';
  return toApprover === questions.length ? approver : `a reply of whoever handed the task over, and ${approver}`;
}

/** Settles one question and tells who asked, after the commit; undefined where it was not open. */
export function settleQuestion(
  { turns, wakeups }: ExecutorParts,
  tx: WriteTx,
  { task, id }: Pick<Question, 'task' | 'id'>,
  how: Settlement,
): Question | undefined {
  const settled = turns.questions.settle(tx, task, id, how);
  if (settled === undefined) return undefined;
  tx.afterCommit(() => wakeups.wake(askKey(task)));
  // An approver is asked nothing that nobody waits for.
  if (settled.approval !== undefined) turns.withdrawApproval(tx, settled.approval);
  return settled;
}

/**
 * Ends what a task asked, in the transaction that ends the task, its attempt or its session.
 * INVARIANT: 8 after that no answer has an effect.
 */
export function endQuestions(parts: ExecutorParts, tx: WriteTx, task: string): number {
  const open = parts.turns.questions.listOpen(tx, task);
  for (const question of open) settleQuestion(parts, tx, question, { state: 'ended', by: 'node' });
  return open.length;
}

/** Settles what is left of one call, and lets the task go on. */
export function settleRest(
  parts: ExecutorParts,
  tx: WriteTx,
  asked: readonly Pick<Question, 'task' | 'id'>[],
  state: 'expired' | 'withdrawn',
): void {
  const settled = asked.filter((question) => settleQuestion(parts, tx, question, { state, by: 'node' }));
  const [first] = settled;
  const task = first && parts.tasks.get(tx, first.task);
  if (task && !isTerminal(task.state)) tellTurn(parts, tx, task);
}
