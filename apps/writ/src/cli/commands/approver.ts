import { resolve } from 'node:path';
import { createSystemRandom, WritError } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { NewApproverKey } from '@writ/identity';
import type { Terminal } from '../../terminal/terminal.ts';
import { type AnswerOptions, answerAt, askAndAnswer } from '../approver/answering.ts';
import { keyFileOf, removeUnlessEnrolled, writeKeyFile } from '../approver/key-files.ts';
import { keyOption } from '../approver/key-option.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { table } from '../output.ts';
import type { Definitions } from '../program.ts';

export function defineApprover({ program, run }: Definitions): void {
  const approver = program.command('approver').description('who answers for the person at this node');
  approver
    .command('enroll')
    .description('make a key under a passphrase that is asked at the terminal, and enrol it')
    .option('--label <name>', 'how this approver is shown', 'person')
    .option('--key-file <file>', 'where the key is kept; absent: in the home of the node')
    .option('--by-key-file <file>', 'the key of the approver who says yes to a further one')
    .addHelpText(
      'after',
      examples(
        ['writ approver enroll', 'writ approver enroll --label anna --key-file /media/stick/writ-approver.json'],
        'The passphrase is asked at the terminal alone: never from a pipe, an argument or the environment.',
      ),
    )
    .action(run(enroll));
  approver
    .command('list')
    .description('who answers, and whether anybody has to')
    .addHelpText('after', examples(['writ approver list']))
    .action(run(list));
  keyOption(approver.command('remove').description('end what an approver can answer').argument('<approver>'))
    .addHelpText('after', examples(['writ approver remove APPROVER']))
    .action(run(remove));
}

interface EnrollOptions extends AnswerOptions {
  readonly label: string;
  readonly byKeyFile?: string;
}

async function enroll(context: CliContext, _: readonly string[], options: EnrollOptions): Promise<number> {
  const node = context.node();
  const { approvers } = await node.call('approver_list', {});
  const terminal = context.terminal();
  try {
    const key = await makeKey(terminal);
    const path = options.keyFile === undefined ? keyFileOf(context.home, key.id) : resolve(options.keyFile);
    await writeKeyFile(path, context.home, key.sealed, createSystemRandom());
    try {
      await enrollKey(context, { node, terminal, isFirst: approvers.length === 0 }, key, options);
    } catch (error) {
      await removeUnlessEnrolled(node, key.id, path);
      throw error;
    }
    const enrolled = { id: key.id, label: options.label, key_file: path };
    context.output.result(enrolled, (e) =>
      [
        `approver ${e.label} (${e.id}) is enrolled`,
        `its key, useless without the passphrase: ${e.key_file}`,
        'leases, peers and what gives somebody more need its yes from now on',
      ].join('\n'),
    );
    return EXIT.ok;
  } finally {
    terminal.close();
  }
}

async function makeKey(terminal: Terminal): Promise<NewApproverKey> {
  const { createApproverKey, USUAL_COST } = await import('@writ/identity');
  const passphrase = await terminal.askSecret('new passphrase: ');
  const again = await terminal.askSecret('the same again: ');
  if (passphrase !== again) {
    throw new WritError('BAD_REQUEST', 'the two passphrases differ', { nextSteps: ['writ approver enroll'] });
  }
  return createApproverKey({ passphrase, random: createSystemRandom(), cost: USUAL_COST });
}

/** The first one at once; any further one is a question to those who are there. */
async function enrollKey(
  context: CliContext,
  at: { readonly node: ControlClient; readonly terminal: Terminal; readonly isFirst: boolean },
  { id, publicKey }: NewApproverKey,
  { label, byKeyFile }: EnrollOptions,
): Promise<void> {
  const { node, terminal, isFirst } = at;
  const enrolled = { id, public_key: publicKey, label };
  if (isFirst) {
    await node.call('approver_enroll', enrolled);
    return;
  }
  const { approval, ticket } = await node.call('approval_ask', { about: { kind: 'approver_enroll', ...enrolled } });
  const options = byKeyFile === undefined ? {} : { keyFile: byKeyFile };
  try {
    await answerAt(context, { node, terminal, options }, approval);
  } catch (error) {
    await node.call('approval_withdraw', { approval: approval.id, ticket }).catch(() => undefined);
    throw error;
  }
}

async function list(context: CliContext): Promise<number> {
  const answer = await context.node().call('approver_list', {});
  context.output.result(answer, ({ approvers, mode }) => {
    const rows = approvers.map((a) => [a.label, a.id, a.kind, new Date(a.enrolled_at_ms).toISOString()]);
    const shown = rows.length === 0 ? 'no approver; writ approver enroll makes one' : table(HEAD, rows);
    return mode === 'terminal' ? `${shown}\nmode = "terminal": any terminal with the host token answers` : shown;
  });
  return EXIT.ok;
}

const HEAD = ['APPROVER', 'ID', 'KIND', 'SINCE'] as const;

async function remove(
  context: CliContext,
  [approver = '']: readonly string[],
  options: AnswerOptions,
): Promise<number> {
  const answered = await askAndAnswer(context, context.node(), { kind: 'approver_remove', approver }, options);
  context.output.result({ approver, approval: answered.id }, () => `${approver} answers nothing here any more`);
  return EXIT.ok;
}
