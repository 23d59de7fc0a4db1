import { acceptedContent, type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { quote, visible, WritError } from '@writ/core';
import { z } from 'zod';
import type { OperationOutput } from '../client/types.ts';
import type { CallOperation } from './resources.ts';

/** Key of the one thing that is asked. */
const ANSWER = 'answer';

type Turn = NonNullable<OperationOutput<'status'>['turn']>;
type Question = Turn['questions'][number];

/** What a `reply` without a text works with. */
export interface ReplyWish {
  readonly task: string;
  readonly question?: string;
}

/** What the client said in this round, and whether it can put a question to its person. */
export interface ClientSide {
  readonly canElicit: boolean;
  readonly responses: Record<string, unknown> | undefined;
  /** Id of the question that was put in the round before. */
  readonly asked: string | undefined;
}

/**
 * Has the person at the client answer a question of a task. Only those of kind input: what asks for a credential or an
 * approval is never put there. Throws BAD_REQUEST where there is nothing to put or nobody to put it to.
 */
export async function replyByPerson(
  call: CallOperation,
  wish: ReplyWish,
  client: ClientSide,
): Promise<OperationOutput<'reply'> | InputRequiredResult> {
  const { task, state, turn, peer } = await call('status', { task: wish.task });
  const question = questionOf(turn, client.asked ?? wish.question);
  const response = inputResponse(client.responses, ANSWER);
  if (response.kind === 'elicit' && response.action !== 'accept') {
    const open = turn?.questions.length ?? 0;
    const not_answered = response.action === 'decline' ? ('declined' as const) : ('cancelled' as const);
    return { question: question.id, state, open, not_answered };
  }
  if (response.kind === 'missing') {
    if (!client.canElicit) throw cannotAsk();
    return inputRequired({
      inputRequests: { [ANSWER]: questionForm(question, { task, peer }) },
      requestState: question.id,
    });
  }
  const answer = acceptedContent(client.responses, ANSWER, z.object({ [ANSWER]: z.string().min(1) }));
  if (answer === undefined) throw new WritError('BAD_REQUEST', 'the client answered with something that is no text');
  return call('reply', { ...wish, question: question.id, text: answer[ANSWER] });
}

function questionOf(turn: Turn | undefined, id: string | undefined): Question {
  const open = turn?.questions ?? [];
  const inputs = open.filter(({ kind }) => kind === 'input');
  const question = id === undefined ? inputs.length === 1 && inputs[0] : open.find((one) => one.id === id);
  if (question && question.kind === 'input') return question;
  if (question) {
    throw new WritError(
      'BAD_REQUEST',
      `question ${quote(question.id)} asks for a ${question.kind}, which no agent and no client is asked for`,
      {
        nextSteps: ['a person answers it at a terminal: writ task reply, or writ approval approve'],
      },
    );
  }
  throw new WritError('BAD_REQUEST', inputs.length > 1 ? 'several questions are open' : 'no such question is open', {
    nextSteps: ['see turn in status, and name the question'],
  });
}

/** The words of a task are shown as such: a person has to see who asks. */
function questionForm({ text, choices }: Question, { task, peer }: { readonly task: string; readonly peer: string }) {
  return inputRequired.elicit({
    message: `Task ${visible(task)} (${visible(peer)}) asks, in its own words: ${visible(text)}\nGive it no password and no key here.`,
    requestedSchema: {
      type: 'object',
      properties: {
        [ANSWER]: { type: 'string', title: 'Answer', ...(choices === undefined ? {} : { enum: choices }) },
      },
      required: [ANSWER],
    },
  });
}

function cannotAsk(): WritError {
  return new WritError('BAD_REQUEST', 'this client cannot put a question to its person', {
    nextSteps: ['ask the person yourself and give the answer as text', 'or a person answers: writ task reply'],
  });
}
