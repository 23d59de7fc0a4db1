import { quote, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Question, Task } from '@writ/task-store';
import type { Reply, ReplyTaken } from '../../turn-types.ts';
import type { ExecutorParts } from '../parts.ts';
import { gone, requireLive } from './presence.ts';
import type { Secrets } from './secrets.ts';
import { settleQuestion, tellTurn } from './settling.ts';

/** Longest reply, and longest secret, bytes. */
const LONGEST_BYTES = 64 * 1024;

/** What became of a reply, inside its transaction. */
type Taken = { readonly taken: ReplyTaken } | { readonly refused: WritError };

/** Takes a reply; see `ExecutorTurns.reply`. */
export function takeReply(
  parts: ExecutorParts,
  secrets: Secrets,
  { task, reply, by }: { readonly task: string; readonly reply: Reply; readonly by: string },
): ReplyTaken {
  try {
    checkReply(reply);
    const outcome = parts.database.withWriteTx((tx) => replyIn(parts, secrets, tx, { task, reply, by }));
    if ('refused' in outcome) throw outcome.refused;
    return outcome.taken;
  } finally {
    // Whatever became of it: nothing here holds the secret any more but who asked for it.
    if (reply.content.kind === 'credential') reply.content.secret.fill(0);
  }
}

function checkReply({ content }: Reply): void {
  const bytes = content.kind === 'input' ? Buffer.byteLength(content.text) : content.secret.length;
  if (bytes === 0 || bytes > LONGEST_BYTES) throw refused(`a reply has 1 to ${LONGEST_BYTES} bytes`);
  if (content.kind === 'input') return;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content.secret);
  } catch {
    throw refused('a credential is text, in UTF-8');
  }
}

function replyIn(
  parts: ExecutorParts,
  secrets: Secrets,
  tx: WriteTx,
  said: { readonly task: string; readonly reply: Reply; readonly by: string },
): Taken {
  const { reply, by } = said;
  const { content } = reply;
  const task = requireLive(parts, tx, said.task);
  const question = parts.turns.questions.get(tx, task.id, reply.question);
  if (question === undefined) throw gone(`the task has asked no question ${quote(reply.question)}`);
  if (question.state !== 'open') return settledBefore(parts, tx, task, { question, reply, by });
  checkFits(question, reply);
  const answer = content.kind === 'input' ? { answer: content.text } : {};
  // INVARIANT: 5 one answer to a question: of two replies one finds it open.
  settleQuestion(parts, tx, question, { state: 'answered', by, answerKey: reply.key, ...answer });
  if (content.kind === 'credential') {
    const { secret } = content;
    tx.afterCommit(() => secrets.put(task.id, question.id, secret));
  }
  const { turn, id, kind } = question;
  tx.audit({
    kind: 'task',
    action: 'task.replied',
    actor: by,
    subject: task.id,
    details: { turn, question: id, kind },
  });
  return { taken: takenOf(parts, tx, tellTurn(parts, tx, task), question) };
}

function takenOf({ turns }: ExecutorParts, tx: WriteTx, task: Task, { id }: Question): ReplyTaken {
  return { question: id, state: task.state, open: turns.questions.listOpen(tx, task.id).length };
}

/** The same reply once more, or one that came too late. */
function settledBefore(
  parts: ExecutorParts,
  tx: WriteTx,
  task: Task,
  { question, reply, by }: { readonly question: Question; readonly reply: Reply; readonly by: string },
): Taken {
  const { id, state, settledBy = 'nobody', answerKey, answer } = question;
  if (state === 'expired' || state === 'withdrawn' || state === 'ended') {
    throw gone(`question ${id} is ${state}: nobody waits for its answer`);
  }
  if (state === 'answered' && settledBy === by && answerKey === reply.key) {
    const isSame = reply.content.kind === 'credential' || reply.content.text === answer;
    if (isSame) return { taken: takenOf(parts, tx, task, question) };
    return {
      refused: new WritError('WRIT_REPLAYED', 'this key was used for another reply', {
        nextSteps: ['reply under a new key'],
      }),
    };
  }
  const details = { question: id, code: 'NOT_PENDING' };
  tx.audit({ kind: 'task', action: 'task.reply-refused', actor: by, subject: task.id, details });
  const message = `question ${id} is ${state} already, by ${settledBy}`;
  return {
    refused: new WritError('NOT_PENDING', message, {
      details: { by: settledBy },
      nextSteps: ['nothing is left to do'],
    }),
  };
}

function checkFits({ id, kind, choices }: Question, { content }: Reply): void {
  if (kind === 'approval') {
    throw new WritError(
      'NOT_APPROVER',
      `question ${id} is answered by an approver of the executing node, and by no reply`,
      {
        nextSteps: ['have an approver of that node look at what waits there: writ approval list'],
      },
    );
  }
  if (kind !== content.kind) {
    const how = kind === 'credential' ? 'give it with --credential' : 'reply in words';
    throw refused(`question ${id} asks for ${kind === 'credential' ? 'a credential' : 'words'}`, how);
  }
  if (content.kind === 'input' && choices !== undefined && !choices.includes(content.text)) {
    throw refused(`question ${id} takes one of: ${choices.join(', ')}`);
  }
}

function refused(message: string, step = 'reply with something that fits'): WritError {
  return new WritError('BAD_REQUEST', message, { nextSteps: [step] });
}
