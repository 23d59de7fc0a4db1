import { isWritError, toWritError } from '@writ/core';
import type { ApprovalView, ControlClient } from '@writ/gateway/client';
import type { Terminal } from '../../terminal/terminal.ts';
import type { CliContext } from '../context.ts';
import { type AnswerOptions, answer, type Said, showQuestion } from './answering.ts';
import { openProver, type Prover } from './prover.ts';

/** What one watch works with. */
interface Watch {
  readonly context: CliContext;
  readonly node: ControlClient;
  readonly terminal: Terminal;
  readonly prover: Prover;
}

/**
 * Asks about each question as it comes until Ctrl-C, with a key that is open in this process alone. Throws NOT_APPROVER
 * without a terminal, and for a wrong passphrase.
 */
export async function watchQuestions(context: CliContext, { keyFile }: AnswerOptions): Promise<void> {
  const node = context.node();
  const terminal = context.terminal();
  try {
    const prover = await openProver({ node, home: context.home, terminal, keyFile });
    try {
      const signal = AbortSignal.any([context.signal, terminal.interrupted]);
      terminal.write('waiting for questions; Ctrl-C to end\n');
      for await (const { approval } of node.stream('approval_watch', {}, { signal })) {
        if (approval.state === 'pending') await askOne({ context, node, terminal, prover }, approval.id);
      }
    } finally {
      prover.close();
    }
  } catch (error) {
    // Ctrl-C is how a watch ends.
    if (!isWritError(error, 'CANCELLED')) throw error;
  } finally {
    terminal.close();
  }
}

/** Asks about one; what came of it, or who was faster, is told and the watch goes on. */
async function askOne(watch: Watch, id: string): Promise<void> {
  const { context, node, terminal, prover } = watch;
  // It waited in the stream while another was asked about.
  const { approval } = await node.call('approval_show', { approval: id });
  if (approval.state !== 'pending') return;
  showQuestion(terminal, approval, context.clock.nowMs());
  const said = await askSaid(terminal, approval);
  if (said === undefined) return terminal.write('left for later\n');
  try {
    const decided = await answer(node, approval, said, prover);
    terminal.write(`${decided.state}\n`);
    context.output.item(decided, () => undefined);
  } catch (error) {
    const { code, message } = toWritError(error);
    terminal.write(`${code}: ${message}\n`);
  }
}

/** Yes in the narrowest scope that is offered, or in the one that is named; no; or later. */
async function askSaid(terminal: Terminal, { scopes }: ApprovalView): Promise<Said | undefined> {
  const [narrowest, ...wider] = scopes;
  const also = wider.map((scope) => `, ${scope}`).join('');
  for (;;) {
    const typed = (await terminal.askLine(`y (${narrowest ?? 'no'})${also}, n, later: `)).trim().toLowerCase();
    if (/^no?$/.test(typed)) return { answer: 'deny' };
    if (/^(l|later)$/.test(typed)) return undefined;
    const scope = /^y(es)?$/.test(typed) ? narrowest : scopes.find((offered) => offered === typed);
    if (scope !== undefined) return { answer: 'approve', scope };
  }
}
