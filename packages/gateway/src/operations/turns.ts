import { WritError } from '@writ/core';
import type { Asked, QuestionKind, Reply, ReplyTaken, Turn } from '@writ/delegation';
import type { z } from 'zod';
import type { OperationOutput } from '../client/types.ts';
import type { turnField } from '../contract/fields.ts';
import { turnContract } from '../contract/turns.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { CallContext, Caller } from '../types.ts';
import { viewTurn } from '../views/turn-view.ts';
import { actor } from './actor.ts';
import { requireDuration } from './duration.ts';
import { type FoundTask, findTask, type TaskEnds } from './task-lookup.ts';

/** Questions of interactive tasks, and replies to them. */
export function turnOperations(ports: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(turnContract.ask, (input, context) => ask(ports, input, context)),
    implement(turnContract.reply, ({ text, ...input }, { caller }) => {
      if (text === undefined) throw new WritError('BAD_REQUEST', 'text: give the answer');
      return reply(ports, input, { kind: 'input', text }, caller);
    }),
    implement(turnContract.reply_credential, ({ secret, ...input }, { caller }) =>
      reply(ports, input, { kind: 'credential', secret: Buffer.from(secret) }, caller),
    ),
  ];
}

/** INVARIANT: 7 which task asks is known from the credential alone. */
async function ask(
  { executor }: GatewayPorts,
  { questions, timeout }: z.output<typeof turnContract.ask.input>,
  { caller, signal }: CallContext,
): Promise<OperationOutput<'ask'>> {
  if (caller.kind !== 'task') {
    throw new WritError('BAD_REQUEST', 'only a task that runs here asks', {
      nextSteps: ['ask from inside the task, on its own socket'],
    });
  }
  const wish = {
    questions: questions.map(({ kind, text, choices, previous }) => ({
      ...{ kind, text },
      ...(choices === undefined ? {} : { choices }),
      ...(previous === undefined ? {} : { previous }),
    })),
    ...(timeout === undefined ? {} : { timeoutMs: requireDuration('timeout', timeout) }),
  };
  return viewAsked(await executor.turns.ask(caller.task, wish, signal));
}

function viewAsked({ turn, answers }: Asked): OperationOutput<'ask'> {
  return { turn, answers: answers.map((answer) => ({ ...answer })) };
}

async function reply(
  ports: GatewayPorts,
  input: {
    readonly task: string;
    readonly question?: string | undefined;
    readonly idempotency_key?: string | undefined;
  },
  content: Reply['content'],
  caller: Caller,
): Promise<OperationOutput<'reply'>> {
  const { task, idempotency_key: key } = input;
  const found = findTask(ports, task, caller);
  if (found.asked === undefined) throw notYours(caller, task);
  const question = input.question ?? onlyQuestion(ports.origin.turn(task), found.asked.state, content.kind);
  const wish = { question, content, by: actor(caller), ...(key === undefined ? {} : { key }) };
  return viewTaken(await ports.origin.reply(task, wish));
}

/** A question goes to whoever handed the task over, one hop up, and to nobody else. */
function notYours(caller: Caller, task: string): WritError {
  const isOwn = caller.kind === 'task' && caller.task === task;
  const message = isOwn
    ? 'a task does not answer itself'
    : 'the task runs here for another node, which alone replies to it';
  return new WritError('BAD_REQUEST', message, { nextSteps: ['reply where the task was handed over'] });
}

function onlyQuestion(turn: Turn | undefined, state: string, kind: QuestionKind): string {
  const open = turn?.questions.filter((question) => question.kind === kind) ?? [];
  const [only] = open;
  if (only !== undefined && open.length === 1) return only.id;
  if (only === undefined) {
    throw new WritError('NOT_FOUND', `the task is ${state}, and no question of kind ${kind} is open`, {
      nextSteps: ['see what it waits for with status or writ task show'],
    });
  }
  throw new WritError('BAD_REQUEST', `several questions are open: ${open.map(({ id }) => id).join(', ')}`, {
    nextSteps: ['say which one is answered'],
  });
}

function viewTaken({ question, state, open }: ReplyTaken): OperationOutput<'reply'> {
  return { question, state, open };
}

/** What a task waits for, as the end that the caller sees knows it. */
export function showTurn(ends: TaskEnds, { asked, executing }: FoundTask): { turn?: z.input<typeof turnField> } {
  const record = asked ?? executing;
  if (!record.state.endsWith('_required')) return {};
  const turn = asked === undefined ? ends.executor.turns.turn(record.id) : ends.origin.turn(record.id);
  return turn === undefined ? {} : { turn: viewTurn(turn) };
}
