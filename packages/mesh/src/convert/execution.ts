import type { CommandView, QuestionView, WatchedCommand, WishAnswer } from '@writ/commands';
import { WRIT_CODES } from '@writ/core';
import { cutMessage, isTold } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { decisionToWire, refusalFromWire } from './decision.ts';
import { approvalState, commandClass, executionState, outputStream } from './enums.ts';
import { given, readBytes, readCode, readCount, readId, readName, readText, readTime, refuseField } from './fields.ts';

const LONGEST_LIST = 1024;
const LONGEST_ARGUMENT = 512 * 1024;
const LONGEST_PIECE_BYTES = 1024 * 1024;

/** What became of a wish, for the peer whose it is. */
export function answerToWire(answer: WishAnswer): wire.Init<wire.ExecuteResponse> {
  if (!answer.accepted) {
    return { decision: decisionToWire({ ...answer.refusal, effect: 'deny', generation: answer.generation }) };
  }
  if ('command' in answer) return { execution: executionToWire(answer.command) };
  const { approval, state, why, expiresAtMs, steps } = answer.question;
  const planned = steps.map(({ argv, class: of, needs, target }) => ({
    ...{ arguments: argv, class: commandClass.toWire(of), needs },
    ...given('target', target),
  }));
  return { question: { approval, state: approvalState.toWire(state), why, expiresAtMs, steps: planned } };
}

/** What became of a wish, as a peer says it. Throws BAD_REQUEST. */
export function answerFromWire({ execution, question, decision }: wire.ExecuteResponse): WishAnswer {
  if (execution !== undefined) return { accepted: true, command: executionFromWire(execution) };
  if (question !== undefined) return { accepted: true, question: questionFromWire(question) };
  const { code, generation, message, nextSteps } = refusalFromWire(decision);
  const known = WRIT_CODES.find((one) => one === code) ?? 'POLICY_ERROR';
  return { accepted: false, refusal: { code: known, message, nextSteps }, generation };
}

/** A gated command as its peer may see it: what is said of a fault of this node stays here. */
export function executionToWire(command: CommandView): wire.Init<wire.Execution> {
  const { id, state, why, class: of, needs, target, profile, argv, cwd, approval, window, lease, next } = command;
  const { createdAtMs, expiresAtMs, startedAtMs, endedAtMs, outcome } = command;
  const isTellable = outcome === undefined || outcome.code === 'OK' || isTold(outcome.code);
  const words = (text: string): string => (isTellable ? text : cutMessage(outcome.code, `writ execution show ${id}`));
  return {
    ...{ id, state: executionState.toWire(state), why: words(why), class: commandClass.toWire(of), needs, profile },
    ...{ arguments: argv, cwd, createdAtMs, expiresAtMs },
    ...given('target', target),
    ...given('approval', approval),
    ...given('window', window),
    ...given('lease', lease),
    ...given('next', next),
    ...given('startedAtMs', startedAtMs),
    ...given('endedAtMs', endedAtMs),
    ...(outcome === undefined ? {} : { outcome: outcomeToWire({ ...outcome, message: words(outcome.message) }) }),
  };
}

function outcomeToWire(outcome: NonNullable<CommandView['outcome']>): wire.Init<wire.ExecutionOutcome> {
  const { code, message, exitCode } = outcome;
  return { code, message, ...(exitCode === undefined ? {} : { exitCode: { value: exitCode } }) };
}

/** A gated command as a peer tells it. Throws BAD_REQUEST. */
export function executionFromWire(message: wire.Execution | null | undefined): CommandView {
  if (message === null || message === undefined) return refuseField('execution', 'is missing');
  const { outcome } = message;
  return {
    id: readId('execution.id', message.id),
    state: executionState.fromWire('execution.state', message.state),
    why: readText(message.why) ?? '',
    class: commandClass.fromWire('execution.class', message.class),
    needs: namesFromWire(message.needs),
    profile: readName('execution.profile', message.profile) ?? refuseField('execution.profile', 'is missing'),
    argv: argvFromWire(message.arguments),
    cwd: readText(message.cwd) ?? '',
    requestedBy: 'self',
    createdAtMs: readTime('execution.created_at_ms', message.createdAtMs),
    expiresAtMs: readTime('execution.expires_at_ms', message.expiresAtMs),
    ...given('target', readText(message.target)),
    ...given('approval', idFromWire('execution.approval', message.approval)),
    ...given('window', idFromWire('execution.window', message.window)),
    ...given('lease', idFromWire('execution.lease', message.lease)),
    ...given('next', idFromWire('execution.next', message.next)),
    ...given('startedAtMs', readTime('execution.started_at_ms', message.startedAtMs) || undefined),
    ...given('endedAtMs', readTime('execution.ended_at_ms', message.endedAtMs) || undefined),
    ...(outcome === null ? {} : { outcome: outcomeFromWire(outcome) }),
  };
}

function outcomeFromWire({ code, message, exitCode }: wire.ExecutionOutcome): NonNullable<CommandView['outcome']> {
  return {
    code: readCode('outcome.code', code) ?? refuseField('outcome.code', 'is missing'),
    message: readText(message) ?? '',
    ...(exitCode === null ? {} : { exitCode: readCount('outcome.exit_code', exitCode.value) }),
  };
}

function questionFromWire({ approval, state, why, expiresAtMs, steps }: wire.Question): QuestionView {
  return {
    approval: readId('question.approval', approval),
    // An earlier program says nothing of it, and answers with what waits alone.
    state: state === 'APPROVAL_STATE_UNSPECIFIED' ? 'pending' : approvalState.fromWire('question.state', state),
    why: readText(why) ?? '',
    expiresAtMs: readTime('question.expires_at_ms', expiresAtMs),
    steps: steps.slice(0, LONGEST_LIST).map((step) => ({
      argv: argvFromWire(step.arguments),
      class: commandClass.fromWire('question.class', step.class),
      needs: namesFromWire(step.needs),
      ...given('target', readText(step.target)),
    })),
  };
}

/** Something about a watched command, for its peer. */
export function watchedToWire(item: WatchedCommand): wire.Init<wire.WatchExecutionResponse> {
  if (item.kind === 'state') return { execution: executionToWire(item.command) };
  const { stream, atMs, next, data, droppedBytes } = item;
  return {
    output: {
      stream: outputStream.toWire(stream),
      atMs,
      next,
      ...given('data', data),
      ...given('droppedBytes', droppedBytes),
    },
  };
}

/** Something about a watched command, as a peer tells it. Throws BAD_REQUEST. */
export function watchedFromWire({ execution, output }: wire.WatchExecutionResponse): WatchedCommand {
  if (output === undefined) return { kind: 'state', command: executionFromWire(execution) };
  const droppedBytes = readCount('output.dropped_bytes', output.droppedBytes);
  return {
    kind: 'output',
    stream: outputStream.fromWire('output.stream', output.stream),
    atMs: readTime('output.at_ms', output.atMs),
    next: readCount('output.next', output.next),
    ...(droppedBytes > 0 ? { droppedBytes } : { data: readBytes('output.data', output.data, LONGEST_PIECE_BYTES) }),
  };
}

function idFromWire(field: string, value: string): string | undefined {
  return value === '' ? undefined : readId(field, value);
}

function namesFromWire(names: readonly string[]): readonly string[] {
  return names.slice(0, LONGEST_LIST).flatMap((name) => readName('needs', name) ?? []);
}

/** Shown to people, who make it visible: kept as it is, within bounds. */
function argvFromWire(argv: readonly string[]): readonly string[] {
  return argv.slice(0, LONGEST_LIST).map((argument) => argument.slice(0, LONGEST_ARGUMENT));
}
