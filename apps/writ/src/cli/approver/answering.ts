import { type DecisionStatement, formatDuration, quote, sha256Hex, visible, WRIT_CODES, WritError } from '@writ/core';
import type { ApprovalView, ControlClient, OperationInput, OperationOutput } from '@writ/gateway/client';
import type { Terminal } from '../../terminal/terminal.ts';
import type { CliContext } from '../context.ts';
import { toRows } from '../rows.ts';
import { openProver, type Prover } from './prover.ts';

/** How far a yes reaches. */
export type Scope = ApprovalView['scopes'][number];

/** What a person says to a question. */
export type Said = { readonly answer: 'approve'; readonly scope: Scope } | { readonly answer: 'deny' };

/** Options of every command that may ask for an answer. */
export interface AnswerOptions {
  readonly keyFile?: string;
}

/** Rows of a terminal that are not the question's: what stands above it, and where the answer is typed. */
const AROUND = 4;

/** Shows all of what would be done. Throws BAD_REQUEST for what could play tricks with a terminal. */
export function showQuestion(terminal: Terminal, approval: ApprovalView, nowMs: number): void {
  const lines = approval.preview.split('\n');
  if (lines.some((line) => visible(line) !== line)) {
    throw new WritError('BAD_REQUEST', 'what would be approved cannot be shown as it is', { nextSteps: ['deny it'] });
  }
  const left = formatDuration(Math.max(0, Math.ceil((approval.expires_at_ms - nowMs) / 1000) * 1000));
  terminal.write(`\n${approval.kind} ${approval.id}, to be answered within ${left}\n`);
  const size = terminal.size();
  const rows = toRows(lines, size);
  for (const row of rows) terminal.write(`${row}\n`);
  // Who answers has to have seen where it began.
  if (rows.length + AROUND > size.rows)
    terminal.write(`  ^ ${rows.length} rows in all: scroll up to where it begins\n`);
}

/**
 * Signs the answer over exactly what was shown, and sends it. Throws the check that failed, with who was faster, and
 * CONFLICT for a yes to a configuration that was loaded no more before it was in force.
 */
export async function answer(
  node: ControlClient,
  approval: ApprovalView,
  said: Said,
  prover: Prover,
): Promise<ApprovalView> {
  const { statement } = await node.call('approval_statement', { approval: approval.id, ...said });
  const { scope, ...rest } = statement;
  const signed: DecisionStatement = scope === undefined ? rest : { ...rest, scope };
  checkStatement(approval, said, signed, prover.node);
  const outcome = await node.call('approval_decide', { statement, proof: prover.prove(signed) });
  if (outcome.in_force === false) throw cameToNothing();
  if (outcome.approval !== undefined) return outcome.approval;
  throw refusalOf(outcome);
}

/**
 * INVARIANT: 5 what is signed is what was shown, whatever the node says: for this node alone, where the same key may answer at others
 * too, and for as long as was said.
 */
function checkStatement(approval: ApprovalView, said: Said, statement: DecisionStatement, node: string): void {
  const isSame =
    statement.node === node &&
    statement.expiresAtMs === approval.expires_at_ms &&
    statement.approval === approval.id &&
    statement.kind === approval.kind &&
    statement.digest === approval.digest &&
    statement.preview === sha256Hex(approval.preview) &&
    statement.answer === said.answer &&
    statement.scope === (said.answer === 'approve' ? said.scope : undefined);
  if (isSame) return;
  throw new WritError('CHANGED_SINCE_APPROVAL', 'the question is not what was shown any more', {
    nextSteps: [`look at it again: writ approval show ${approval.id}`],
  });
}

function cameToNothing(): WritError {
  return new WritError(
    'CONFLICT',
    'the yes came to nothing: writ.toml was changed, or met a fault, before it was in force',
    {
      nextSteps: ['see what is loaded, and what waits: writ policy status', 'ask anew: writ policy reload --accept'],
    },
  );
}

function refusalOf(outcome: OperationOutput<'approval_decide'>): WritError {
  const { code: told, message = 'the answer was not taken', decided_by: by, decided_by_label: label } = outcome;
  const code = WRIT_CODES.find((known) => known === told) ?? 'INTERNAL';
  const who = label === undefined || label === by ? '' : ` (${quote(label)})`;
  return new WritError(code, `${message}${who}`, {
    nextSteps: outcome.next_steps ?? [],
    details: { check: outcome.check ?? '', decidedBy: by ?? '' },
  });
}

/** The answer of the person at the terminal to one question that was just shown, proved. */
export async function approveShown(
  context: CliContext,
  request: { readonly node: ControlClient; readonly terminal: Terminal; readonly options: AnswerOptions },
  approval: ApprovalView,
  said: Said,
): Promise<ApprovalView> {
  const { node, terminal, options } = request;
  const { mode } = await node.call('approver_list', {});
  if (mode === 'terminal') {
    const typed = await terminal.askLine(`${said.answer}? [yes/no] `);
    if (!/^y(es)?$/i.test(typed.trim())) throw new WritError('CANCELLED', 'nothing was answered');
  }
  const prover = await openProver({ node, home: context.home, terminal, keyFile: options.keyFile });
  try {
    return await answer(node, approval, said, prover);
  } finally {
    prover.close();
  }
}

/** Whether what gives somebody more needs an answer on this node. */
export async function isAnswerNeeded(node: ControlClient): Promise<boolean> {
  return (await node.call('approver_list', {})).needed;
}

/**
 * Asks in the name of the person, shows the question and has it answered at the terminal, all in one call. Where that
 * does not come to a yes, the question is taken back. Throws what kept it from being approved.
 */
export async function askAndAnswer(
  context: CliContext,
  node: ControlClient,
  about: OperationInput<'approval_ask'>['about'],
  options: AnswerOptions,
): Promise<ApprovalView> {
  const terminal = context.terminal();
  try {
    const { approval, ticket } = await node.call('approval_ask', { about });
    return await answerAt(context, { node, terminal, options }, approval).catch(async (error: unknown) => {
      await node.call('approval_withdraw', { approval: approval.id, ticket }).catch(() => undefined);
      throw error;
    });
  } finally {
    terminal.close();
  }
}

/** Shows a question and says yes to it, once. */
export async function answerAt(
  context: CliContext,
  request: Parameters<typeof approveShown>[1],
  approval: ApprovalView,
): Promise<ApprovalView> {
  showQuestion(request.terminal, approval, context.clock.nowMs());
  return approveShown(context, request, approval, { answer: 'approve', scope: 'once' });
}
