import { visible } from '@writ/core';
import type { Reply, ReplyTaken, Turn, TurnQuestion } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { credentialFate, questionKind, taskState } from './enums.ts';
import { given, readCount, readId, readTime, refuseField } from './fields.ts';

/** Most questions of a turn, and choices of one, that are taken from a peer; longest text of either, characters. */
const MOST_QUESTIONS = 64;
const MOST_CHOICES = 64;
const LONGEST_TEXT = 32_768;
/** Most characters of a turn in all: the 16 questions that one task has open are at most half as long. */
const LONGEST_TURN = 1_048_576;

/** What a task waits for, for the peer that sent it. */
export function turnToWire({ turn, sinceMs, questions }: Turn): wire.Init<wire.Turn> {
  return { turn, sinceMs, questions: questions.map(questionToWire) };
}

function questionToWire({ id, kind, text, askedAtMs, ...more }: TurnQuestion): wire.Init<wire.TurnQuestion> {
  const { choices = [], previous, approval } = more;
  return {
    ...{ id, kind: questionKind.toWire(kind), text, choices, askedAtMs },
    ...given('previous', previous && credentialFate.toWire(previous)),
    ...given('approval', approval),
  };
}

/** The same as a peer says it, safe for a terminal. Throws BAD_REQUEST. */
export function turnFromWire(message: wire.Turn): Turn {
  if (message.questions.length > MOST_QUESTIONS)
    return refuseField('turn', `has more than ${MOST_QUESTIONS} questions`);
  const length = message.questions.reduce((sum, { text, choices }) => sum + [text, ...choices].join('').length, 0);
  if (length > LONGEST_TURN) return refuseField('turn', `is longer than ${LONGEST_TURN} characters`);
  return {
    turn: readCount('turn', message.turn),
    sinceMs: readTime('turn.since_ms', message.sinceMs),
    questions: message.questions.map(questionFromWire),
  };
}

function questionFromWire(message: wire.TurnQuestion): TurnQuestion {
  const { choices, previous, approval } = message;
  if (choices.length > MOST_CHOICES) return refuseField('question.choices', `has more than ${MOST_CHOICES} entries`);
  const fate = previous === 'CREDENTIAL_FATE_UNSPECIFIED' ? undefined : credentialFate.fromWire('previous', previous);
  return {
    id: readId('question.id', message.id),
    kind: questionKind.fromWire('question.kind', message.kind),
    text: readLines(message.text),
    askedAtMs: readTime('question.asked_at_ms', message.askedAtMs),
    ...(choices.length === 0 ? {} : { choices: choices.map(readLines) }),
    ...given('previous', fate),
    ...given('approval', approval === '' ? undefined : readId('question.approval', approval)),
  };
}

/** Text of another node on its lines, with every other control character written out. */
function readLines(text: string): string {
  const cut = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return cut.split('\n').map(visible).join('\n');
}

/** A reply, for the peer that asks. */
export function replyToWire(task: string, { question, key, content }: Reply): wire.Init<wire.ReplyRequest> {
  const said = content.kind === 'input' ? { text: content.text } : { secret: content.secret };
  return { task, question, idempotencyKey: key, ...said };
}

/** The same as a peer sends it; how long it may be is for whoever takes it. Throws BAD_REQUEST. */
export function replyFromWire({ question, idempotencyKey, text, secret }: wire.ReplyRequest): Reply {
  const head = { question: readId('question', question), key: readId('idempotency_key', idempotencyKey) };
  if (secret !== undefined) return { ...head, content: { kind: 'credential', secret } };
  if (text !== undefined) return { ...head, content: { kind: 'input', text } };
  return refuseField('content', 'is missing');
}

/** What became of a reply, for whoever replied. */
export function takenToWire({ state, open }: ReplyTaken): wire.Init<wire.ReplyResponse> {
  return { state: taskState.toWire(state), open };
}

/** The same as a peer says it. Throws BAD_REQUEST. */
export function takenFromWire(question: string, { state, open }: wire.ReplyResponse): ReplyTaken {
  return { question, state: taskState.fromWire('state', state), open: readCount('open', open) };
}
