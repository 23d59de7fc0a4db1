import { existsSync } from 'node:fs';
import { quote, visible, WritError } from '@writ/core';
import type { Classification, CommandClassifier, CommandRule } from '@writ/policy';
import type { Command } from 'commander';
import { compileOrThrow, readText } from '../config-text.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';
import { showReport } from './policy-cases.ts';

export function defineClassify(policy: Command, run: Definitions['run']): void {
  policy
    .command('classify')
    .description('what a command would be: read, config-mutation or destructive, and why')
    .argument('[argv...]', 'the command, behind `--`')
    .option('--cases <file>', 'run a file of cases as JSON, built-in rules only')
    .option('--cwd <dir>', 'where it would run', '/w')
    .option('--workspace <dir>', 'root of a workspace out of which no link leads; a node takes no folder for one')
    .addHelpText('after', examples(['writ policy classify -- sudo systemctl restart nginx']))
    .action(run(classify));
}

interface ClassifyOptions {
  readonly cases?: string;
  readonly cwd: string;
  readonly workspace?: string;
}

/** Needs no node; the `[[commands]]` of this node's configuration count where there is one. */
async function classify(context: CliContext, argv: readonly string[], options: ClassifyOptions): Promise<number> {
  if (options.cases !== undefined) return runCommandCases(context, options.cases);
  if (argv.length === 0) {
    throw new WritError('BAD_REQUEST', 'there is no command to classify', {
      nextSteps: ['writ policy classify -- systemctl restart nginx'],
    });
  }
  const { configFile } = context.home;
  const policy = existsSync(configFile) ? await compileOrThrow(readText(configFile), configFile) : undefined;
  const classifier = await openClassifier(policy?.config.commands ?? []);
  const { cwd, workspace } = options;
  // As a node does: where it runs commands, every file is outside of a workspace.
  const place = { host: 'self', cwd, ...(workspace === undefined ? {} : { workspace }) };
  context.output.result(classifier.classify(argv, place), classificationText);
  return EXIT.ok;
}

async function openClassifier(commands: readonly CommandRule[]): Promise<CommandClassifier> {
  const [{ createCommandClassifier }, { loadShellGrammar }] = await Promise.all([
    import('@writ/policy'),
    import('../../shell-grammar.ts'),
  ]);
  return createCommandClassifier({ grammar: await loadShellGrammar(), commands });
}

async function runCommandCases(context: CliContext, file: string): Promise<number> {
  const { checkCommandCase, readCommandCases, reportOf } = await import('@writ/policy');
  const cases = readCommandCases(readText(file));
  const classifier = await openClassifier([]);
  return showReport(context, reportOf(cases.map((one) => checkCommandCase(classifier, one))));
}

function classificationText({ class: is, reason, rule, target, needs, known, commands }: Classification): string {
  const lines = [`${is}: ${reason} (${rule})`];
  lines.push(`  target  ${target === undefined ? 'no single one: no window covers it' : visible(target)}`);
  if (needs.length > 0) lines.push(`  needs   ${needs.join(', ')}`);
  if (!known)
    lines.push(
      '  no rule knows it: it needs `shell`, and a person is asked each time, unless an approved plan lists it',
    );
  for (const one of commands) {
    const where = one.host === 'self' ? '' : ` on ${one.host}`;
    lines.push(
      `  runs    ${one.argv.map((argument) => quote(argument)).join(' ')}${where}: ${one.class} (${one.rule})`,
    );
  }
  return lines.join('\n');
}
