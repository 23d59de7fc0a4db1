import { quote, visible, WritError } from '@writ/core';
import type { PolicyChange } from '@writ/policy';
import type { Command } from 'commander';
import { compileOrThrow, readText } from '../config-text.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';

export function definePolicyDiff(policy: Command, run: Definitions['run']): void {
  policy
    .command('diff')
    .description('who would gain and who would lose what, before a reload; needs no running node')
    .argument('[file]', "the text to come; absent: this node's writ.toml")
    .argument('[before]', 'the text to compare with; absent: what a person has accepted last here')
    .addHelpText('after', '\nexample:\n  $ writ policy diff next.toml\n')
    .action(run(diff));
}

async function diff(context: CliContext, [file, before]: readonly string[]): Promise<number> {
  const path = file ?? context.home.configFile;
  const after = await compileOrThrow(readText(path), path);
  const earlier = before === undefined ? await acceptedText(context) : readText(before);
  const { diffPolicies } = await import('@writ/policy');
  const { config } = await compileOrThrow(earlier, before ?? 'the accepted text');
  const changes = diffPolicies(config, after.config);
  const gains = changes.filter(({ effect }) => effect === 'gains').length;
  context.output.result({ changes, gains, loses: changes.length - gains }, (answer) =>
    answer.changes.length === 0 ? 'nobody gains, nobody loses' : changeLines(answer.changes, gains),
  );
  return EXIT.ok;
}

/** What counts as before: the text that a person has accepted, as the node has stored it. */
async function acceptedText({ home }: CliContext): Promise<string> {
  const [{ peekFact }, { ACCEPTED_KEY }] = await Promise.all([
    import('@writ/database'),
    import('../../node/accepted-policy.ts'),
  ]);
  const text = peekFact(home.databaseFile, ACCEPTED_KEY);
  if (text !== undefined) return text;
  throw new WritError('NOT_FOUND', `the node of ${quote(home.root)} has accepted no configuration yet`, {
    nextSteps: ['name two files: writ policy diff AFTER BEFORE', 'or start the node once: writ up'],
  });
}

function changeLines(changes: readonly PolicyChange[], gains: number): string {
  const lines = changes.map(
    ({ subject, effect, what }) => `${effect === 'gains' ? '+' : '-'} ${visible(subject)} ${effect}: ${visible(what)}`,
  );
  const waits = gains > 0 ? ['', 'what gives more waits after a reload: writ policy reload --accept'] : [];
  return [...lines, ...waits].join('\n');
}
