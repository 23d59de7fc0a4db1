import { quote, visible, WritError } from '@writ/core';
import type { CompiledPolicy, PolicyChange } from '@writ/policy';
import type { Command } from 'commander';
import { compileOrThrow, readText } from '../config-text.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';

export function definePolicyDiff(policy: Command, run: Definitions['run']): void {
  policy
    .command('diff')
    .description('who would gain and who would lose what, before a reload; needs no running node')
    .argument('[file]', "the text to come; absent: this node's writ.toml")
    .argument('[before]', 'the text to compare with; absent: what a person has accepted last here')
    .addHelpText('after', examples(['writ policy diff next.toml']))
    .action(run(diff));
}

async function diff(context: CliContext, [file, before]: readonly string[]): Promise<number> {
  const path = file ?? context.home.configFile;
  const after = await compileOrThrow(readText(path), path);
  const changes = before === undefined ? await sinceAccepted(context, after) : await between(before, after);
  const gains = changes.filter(({ effect }) => effect === 'gains').length;
  context.output.result({ changes, gains, loses: changes.length - gains }, (answer) =>
    answer.changes.length === 0 ? 'nobody gains, nobody loses' : changeLines(answer.changes, gains),
  );
  return EXIT.ok;
}

/** Against what a person has accepted last, and what was taken away since, as the node has stored it. */
async function sinceAccepted({ home }: CliContext, after: CompiledPolicy): Promise<readonly PolicyChange[]> {
  const [{ changesFrom }, { peekFact }, { readAcceptedTexts }] = await Promise.all([
    import('@writ/policy'),
    import('@writ/database'),
    import('../../node/accepted-policy.ts'),
  ]);
  const texts = readAcceptedTexts((key) => peekFact(home.databaseFile, key));
  if (texts !== undefined) return changesFrom(texts, after);
  throw new WritError('NOT_FOUND', `the node of ${quote(home.root)} has accepted no configuration yet`, {
    nextSteps: ['name two files: writ policy diff AFTER BEFORE', 'or start the node once: writ up'],
  });
}

async function between(path: string, after: CompiledPolicy): Promise<readonly PolicyChange[]> {
  const { diffPolicies } = await import('@writ/policy');
  return diffPolicies((await compileOrThrow(readText(path), path)).config, after.config);
}

function changeLines(changes: readonly PolicyChange[], gains: number): string {
  const lines = changes.map(
    ({ subject, effect, what }) => `${effect === 'gains' ? '+' : '-'} ${visible(subject)} ${effect}: ${visible(what)}`,
  );
  const waits = gains > 0 ? ['', 'what gives more waits after a reload: writ policy reload --accept'] : [];
  return [...lines, ...waits].join('\n');
}
