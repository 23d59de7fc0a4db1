import { WritError } from '@writ/core';
import type { ApprovalView } from '@writ/gateway/client';
import { Option } from 'commander';
import { type AnswerOptions, approveShown, type Said, type Scope, showQuestion } from '../approver/answering.ts';
import { keyOption } from '../approver/key-option.ts';
import { watchQuestions } from '../approver/watching.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { table, timeLeft } from '../output.ts';
import type { Definitions } from '../program.ts';

export function defineApproval({ program, run }: Definitions): void {
  const approval = program.command('approval').description('questions that wait for a person');
  approval
    .command('list')
    .description('what waits, for what, since when')
    .option('--all', 'also what was answered')
    .addHelpText('after', examples(['writ approval list']))
    .action(run(list));
  approval
    .command('show')
    .description('one question, whole')
    .argument('<id>')
    .addHelpText('after', examples(['writ approval show APPROVAL']))
    .action(run(show));
  keyOption(
    approval
      .command('approve')
      .description('show a question and say yes to it; asks for the passphrase at the terminal')
      .argument('<id>')
      .addOption(
        new Option(
          '--scope <scope>',
          'once, session (opens the assent window) or target (opens the destructive window)',
        ).choices(['once', 'session', 'target']),
      )
      .addHelpText('after', examples(['writ approval approve 0190… --scope session'])),
  ).action(run(approve));
  keyOption(approval.command('deny').description('say no to a question').argument('<id>'))
    .addHelpText('after', examples(['writ approval deny APPROVAL']))
    .action(run(deny));
  keyOption(
    approval
      .command('watch')
      .description('stay and answer each question as it comes; the key is open in the memory of this command'),
  )
    .addHelpText('after', examples(['writ approval watch']))
    .action(run(watch));
}

async function list(context: CliContext, _: readonly string[], options: { readonly all?: boolean }): Promise<number> {
  const answer = await context.node().call('approval_list', { all: options.all === true });
  const now = context.clock.nowMs();
  context.output.result(answer, ({ approvals }) =>
    approvals.length === 0
      ? 'nothing waits'
      : context.output.rows(
          table(
            ['APPROVAL', 'KIND', 'STATE', 'ASKED BY', 'AGENT', 'LEFT', 'ABOUT'],
            approvals.map((a) => [
              a.id,
              a.kind,
              a.decided_by_label === undefined ? a.state : `${a.state} by ${a.decided_by_label}`,
              a.requested_by,
              a.agent,
              a.state === 'pending' ? timeLeft(a.expires_at_ms, now) : '-',
              a.about,
            ]),
          ),
        ),
  );
  return EXIT.ok;
}

async function show(context: CliContext, [id = '']: readonly string[]): Promise<number> {
  const { approval } = await context.node().call('approval_show', { approval: id });
  const now = context.clock.nowMs();
  context.output.result(approval, (a) =>
    [
      `${a.kind} ${a.id}: ${a.state}${a.decided_by_label === undefined ? '' : ` by ${a.decided_by_label}`}`,
      context.output.rows(a.preview),
      ...(a.state === 'pending'
        ? [`to be answered within ${timeLeft(a.expires_at_ms, now)}, for: ${a.scopes.join(', ')}`]
        : []),
    ].join('\n'),
  );
  return EXIT.ok;
}

async function approve(
  context: CliContext,
  operands: readonly string[],
  options: AnswerOptions & { readonly scope?: string },
): Promise<number> {
  return decide(context, operands, options, (approval) => ({
    answer: 'approve',
    scope: scopeOf(approval, options.scope),
  }));
}

async function deny(context: CliContext, operands: readonly string[], options: AnswerOptions): Promise<number> {
  return decide(context, operands, options, () => ({ answer: 'deny' }));
}

async function decide(
  context: CliContext,
  [id = '']: readonly string[],
  options: AnswerOptions,
  said: (approval: ApprovalView) => Said,
): Promise<number> {
  const node = context.node();
  const { approval } = await node.call('approval_show', { approval: id });
  if (approval.state !== 'pending') throw decidedAlready(approval);
  const answer = said(approval);
  const terminal = context.terminal();
  try {
    showQuestion(terminal, approval, context.clock.nowMs());
    const decided = await approveShown(context, { node, terminal, options }, approval, answer);
    context.output.result(decided, (a) => `${a.id} is ${a.state}${a.scope === undefined ? '' : ` (${a.scope})`}`);
    return EXIT.ok;
  } finally {
    terminal.close();
  }
}

function decidedAlready({ state, decided_by_label: who }: ApprovalView): WritError {
  return new WritError('NOT_PENDING', `it is ${state} already${who === undefined ? '' : ` by ${who}`}`, {
    nextSteps: ['nothing is left to do'],
  });
}

/** The scope that was named, or the narrowest that is offered. */
function scopeOf({ scopes }: ApprovalView, named: string | undefined): Scope {
  const scope = named === undefined ? scopes[0] : scopes.find((offered) => offered === named);
  if (scope !== undefined) return scope;
  throw new WritError('BAD_REQUEST', 'this question offers no such scope', {
    nextSteps: [`it can be approved for: ${scopes.join(', ')}`],
  });
}

async function watch(context: CliContext, _: readonly string[], options: AnswerOptions): Promise<number> {
  await watchQuestions(context, options);
  return EXIT.ok;
}
