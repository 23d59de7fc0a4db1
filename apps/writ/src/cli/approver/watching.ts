import { isWritError, toWritError, WritError } from '@writ/core';
import type { ApprovalView, ControlClient } from '@writ/gateway/client';
import type { Terminal } from '../../terminal/terminal.ts';
import type { CliContext } from '../context.ts';
import { type AnswerOptions, answer, type Said, showQuestion } from './answering.ts';
import { createOpenQuestions, type OpenQuestions } from './open-questions.ts';
import { openProver, type Prover } from './prover.ts';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

/** What one watch works with. */
interface Watch {
  readonly context: CliContext;
  readonly node: ControlClient;
  readonly terminal: Terminal;
  readonly prover: Prover;
  readonly questions: OpenQuestions;
  readonly line: WaitingLine;
}

/**
 * Asks about each question as it comes until Ctrl-C, with a key that is open in this process alone, and tells what others
 * answered. Throws NOT_APPROVER without a terminal, and for a wrong passphrase.
 */
export async function watchQuestions(context: CliContext, { keyFile }: AnswerOptions): Promise<void> {
  const node = context.node();
  const terminal = context.terminal();
  try {
    const prover = await openProver({ node, home: context.home, terminal, keyFile });
    const questions = createOpenQuestions();
    const line = createWaitingLine(terminal, context, () => leftText(questions.left()));
    try {
      await watchWith({ context, node, terminal, prover, questions, line });
    } finally {
      line.hide();
      prover.close();
    }
  } catch (error) {
    // Ctrl-C is how a watch ends.
    if (!isWritError(error, 'CANCELLED')) throw error;
  } finally {
    terminal.close();
  }
}

async function watchWith(watch: Watch): Promise<void> {
  const { context, terminal, questions, line } = watch;
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, terminal.interrupted, over.signal]);
  let failure: unknown;
  // Beside the questions that are asked: what another person answers is seen while one is on the screen.
  const followed = follow(watch, signal)
    .catch((error: unknown) => {
      failure = error;
    })
    .finally(() => questions.close());
  line.show();
  try {
    for (let next = await questions.next(); next !== undefined; next = await questions.next()) {
      line.hide();
      await askOne(watch, next.id);
      line.show();
    }
  } finally {
    over.abort();
    await followed;
  }
  if (failure !== undefined) throw failure;
}

async function follow({ node, terminal, questions, line }: Watch, signal: AbortSignal): Promise<void> {
  for await (const { approval } of node.stream('approval_watch', {}, { signal })) {
    const came = questions.saw(approval);
    if (came === 'ended-on-screen') terminal.write(`\n(it ${endText(approval)}; Enter to go on) `);
    if (came === 'ended-left') line.above(`${approval.kind} ${approval.id} ${endText(approval)}\n`);
  }
}

/**
 * Asks about one; what came of it, or who was faster, is told and the watch goes on. Throws NOT_APPROVER where the key answers nothing
 * here any more: whoever holds it would go on answering in vain.
 */
async function askOne({ context, node, terminal, prover, questions }: Watch, id: string): Promise<void> {
  const { approval } = await node.call('approval_show', { approval: id });
  if (approval.state !== 'pending') return;
  showQuestion(terminal, approval, context.clock.nowMs());
  questions.show(id);
  const said = await askSaid(terminal, approval, questions.hasEnded);
  if (said === undefined) {
    if (questions.hasEnded()) return;
    questions.leave();
    return terminal.write('left for later: writ approval list\n');
  }
  // What came of it is told here, and not by the stream.
  questions.done();
  try {
    const decided = await answer(node, approval, said, prover);
    terminal.write(`${decided.state}\n`);
    context.output.item(decided, () => undefined);
  } catch (error) {
    if (isWritError(error, 'NOT_APPROVER')) throw noApprover(error);
    const { code, message } = toWritError(error);
    terminal.write(`${code}: ${message}\n`);
  }
}

function noApprover(cause: WritError): WritError {
  const message = 'the key that this watch holds answers nothing at this node any more, and the question stays open';
  const nextSteps = ['see who answers: writ approver list', 'have one of them enrol you again'];
  return new WritError('NOT_APPROVER', `${message}: ${cause.message}`, { nextSteps, cause });
}

/**
 * Yes in the narrowest scope that is offered, or in the one that is named; no; or later. What is typed for a question that
 * ends meanwhile answers nothing, and not the next one either: the line that is asked stays until Enter.
 */
async function askSaid(
  terminal: Terminal,
  { scopes }: ApprovalView,
  hasEnded: () => boolean,
): Promise<Said | undefined> {
  const [narrowest, ...wider] = scopes;
  const also = wider.map((scope) => `, ${scope}`).join('');
  for (;;) {
    const typed = (await terminal.askLine(`y (${narrowest ?? 'no'})${also}, n, later: `)).trim().toLowerCase();
    if (hasEnded()) return undefined;
    if (/^no?$/.test(typed)) return { answer: 'deny' };
    if (/^(l|later)$/.test(typed)) return undefined;
    const scope = /^y(es)?$/.test(typed) ? narrowest : scopes.find((offered) => offered === typed);
    if (scope !== undefined) return { answer: 'approve', scope };
  }
}

function endText({ state, decided_by_label: who }: ApprovalView): string {
  return `is ${state}${who === undefined ? '' : ` by ${who}`}`;
}

function leftText(left: number): string {
  return left === 0 ? '' : `, ${left} left for later`;
}
