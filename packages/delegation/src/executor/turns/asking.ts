import { WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Question, Task } from '@writ/task-store';
import type { Asked, AskedAnswer, AskWish, QuestionWish } from '../../turn-types.ts';
import type { ExecutorParts } from '../parts.ts';
import { contextOf } from '../task-context.ts';
import { nextPlaces } from './places.ts';
import { gone, requireLive } from './presence.ts';
import type { Secrets } from './secrets.ts';
import { questionDigest, settleQuestion, tellTurn } from './settling.ts';
import { untilSettled } from './until-settled.ts';
import { checkWish, LONGEST_WAIT_MS, visibleLines } from './wishes.ts';

/** Asks and waits; see `ExecutorTurns.ask`. */
export async function askAndWait(
  parts: ExecutorParts,
  secrets: Secrets,
  { task, wish: said }: { readonly task: string; readonly wish: AskWish },
  signal: AbortSignal,
): Promise<Asked> {
  checkWish(said);
  const wish = withoutSecrets(parts, task, said);
  const asked = parts.database.withWriteTx((tx) => askIn(parts, tx, task, wish));
  const late = new AbortController();
  const disarm = parts.clock.setTimer(wish.timeoutMs ?? LONGEST_WAIT_MS, () => late.abort());
  for (const { id } of asked) secrets.expect(task, id);
  try {
    const settled = await untilSettled(parts, asked, AbortSignal.any([signal, late.signal]), () =>
      signal.aborted ? 'withdrawn' : 'expired',
    );
    if (signal.aborted) throw new WritError('CANCELLED', 'nobody waits for the answers any more');
    return { turn: asked[0]?.turn ?? 0, answers: settled.map((question) => answerOf(parts, question, secrets)) };
  } finally {
    disarm();
    for (const { id } of asked) secrets.forget(task, id);
  }
}

/** What a task was given in confidence stands in no row, and goes to no peer. */
function withoutSecrets(parts: ExecutorParts, task: string, wish: AskWish): AskWish {
  const run = parts.live.get(task)?.run;
  if (run === undefined) return wish;
  const clean = (text: string): string => run.clean(text);
  return {
    ...wish,
    questions: wish.questions.map(({ choices, ...question }) => ({
      ...question,
      text: clean(question.text),
      ...(choices === undefined ? {} : { choices: choices.map(clean) }),
    })),
  };
}

function askIn(parts: ExecutorParts, tx: WriteTx, id: string, { questions, timeoutMs }: AskWish): readonly Question[] {
  const task = requireLive(parts, tx, id);
  if (!contextOf(parts, tx, id).closure.includes('interactive')) throw NOT_INTERACTIVE();
  const { turn, ids } = nextPlaces(parts, tx, id, questions.length);
  const longestMs = Math.min(timeoutMs ?? LONGEST_WAIT_MS, LONGEST_WAIT_MS, (task.deadlineMs ?? Infinity) - tx.nowMs);
  const asked = questions.map((wish, at) =>
    insert(parts, tx, { task, wish, turn, id: ids[at] ?? '', lifetimeMs: Math.max(1, longestMs) }),
  );
  // The words are in the question's row, and in none of the audit trail.
  const details = { turn, questions: asked.map(({ id, kind }) => `${id} ${kind}`) };
  tx.audit({ kind: 'task', action: 'task.asked', actor: 'task', subject: id, details });
  tellTurn(parts, tx, task);
  return asked;
}

function insert(
  parts: ExecutorParts,
  tx: WriteTx,
  asking: {
    readonly task: Task;
    readonly wish: QuestionWish;
    readonly turn: number;
    readonly id: string;
    readonly lifetimeMs: number;
  },
): Question {
  const { task, wish, turn, id, lifetimeMs } = asking;
  const { kind, choices, previous } = wish;
  const text = visibleLines(wish.text);
  if (previous !== undefined && parts.turns.questions.lastCredential(tx, task.id) === undefined) {
    throw new WritError('BAD_REQUEST', 'no credential was given to this task that could be accepted or refused');
  }
  const row = {
    ...{ task: task.id, turn, id, kind, text },
    ...(choices === undefined ? {} : { choices: choices.map(visibleLines) }),
    ...(previous === undefined ? {} : { previous }),
  };
  if (kind !== 'approval') return parts.turns.questions.insert(tx, row);
  const answer = parts.turns.askApprover(tx, {
    ...{ task, lifetimeMs, digest: questionDigest(row), subject: { task: task.id, question: id } },
    lines: wish.text.split('\n').map((line) => ({ label: 'the task asks', text: line })),
  });
  if (answer.asked) return parts.turns.questions.insert(tx, { ...row, approval: answer.approval });
  if (answer.code === 'NOT_FOUND') throw gone(answer.message);
  // The fallback: nobody could ever answer, so the answer is no, at once.
  const stored = parts.turns.questions.insert(tx, row);
  return settleQuestion(parts, tx, stored, { state: 'denied', by: 'node', message: answer.message }) ?? stored;
}

const NOT_INTERACTIVE = (): WritError =>
  new WritError('GRANT_EXCEEDED', 'the task was not granted `interactive`: it asks nobody anything', {
    nextSteps: [
      'hand the work over under a profile that holds `interactive`',
      'decide without asking, or end with what is missing',
    ],
  });

function answerOf(parts: ExecutorParts, question: Question, secrets: Secrets): AskedAnswer {
  const { task, id, kind, state, answer, settledBy, message } = question;
  const text = kind === 'credential' ? secrets.take(task, id) : answer;
  // Known before the task has it, so that it cannot be printed first; what is not known it does not get.
  if (kind === 'credential' && text !== undefined && parts.live.get(task)?.run?.redact(text) === false) {
    const why = 'the task was given as many credentials as one is, or as long ones';
    return { question: id, kind, state: 'denied', by: 'node', message: why };
  }
  return {
    ...{ question: id, kind, state: state === 'open' ? 'ended' : state },
    ...(text === undefined ? {} : { text }),
    ...(settledBy === undefined ? {} : { by: settledBy }),
    ...(message === undefined ? {} : { message }),
  };
}
