import { visible } from '@writ/core';
import { Argument } from 'commander';
import type { Candidate, Wanted } from '../completion/types.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';

/** How long a shell waits for the names that a node has, milliseconds. */
const PATIENCE_MS = 500;

export function defineCompletion({ program, run }: Definitions): void {
  program
    .command('completion')
    .description('print a script with which a shell completes commands, options, peers, tasks, profiles and leases')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      examples([
        'source <(writ completion bash)',
        'source <(writ completion zsh)',
        'writ completion fish > ~/.config/fish/completions/writ.fish',
      ]),
    )
    .action(run(script));
  program
    .command('complete', { hidden: true })
    .description('print what could stand at the end of a command line; for completion scripts')
    .argument('[words...]', 'what was typed behind `writ`, after `--`')
    .addHelpText('after', examples(['writ complete -- task sh']))
    .action(run((context, words) => complete(context, words, program)));
}

async function script({ output }: CliContext, [shell = '']: readonly string[]): Promise<number> {
  const { COMPLETION_SCRIPTS, SHELLS } = await import('../completion/scripts.ts');
  const name = SHELLS.find((known) => known === shell) ?? 'bash';
  output.result({ shell: name, script: COMPLETION_SCRIPTS[name] }, (answer) => answer.script.trimEnd());
  return EXIT.ok;
}

/** Prints a word and what it means a line. Says nothing where the node does not run, or takes too long. */
async function complete(
  context: CliContext,
  words: readonly string[],
  program: Definitions['program'],
): Promise<number> {
  const { wantedNext } = await import('../completion/wanted.ts');
  const wanted = wantedNext(program, words);
  const begun = words.at(-1) ?? '';
  const found = [...wanted.words, ...(await named(context, wanted))].filter(({ word }) => isOffered(word, begun));
  for (const candidate of found) context.output.item(candidate, lineOf);
  if (wanted.isPath) {
    const { PATHS_MARK } = await import('../completion/scripts.ts');
    context.output.item({ word: PATHS_MARK, says: '' }, ({ word }) => word);
  }
  return EXIT.ok;
}

/** A word that a shell could take for more than one is none. */
function isOffered(word: string, begun: string): boolean {
  return word.startsWith(begun) && visible(word) === word && !/\s/.test(word);
}

function lineOf({ word, says }: Candidate): string {
  return `${word}\t${visible(says)}`;
}

async function named(context: CliContext, { named: kind, peer }: Wanted): Promise<readonly Candidate[]> {
  if (kind === undefined) return [];
  const patience = new AbortController();
  const stop = context.clock.setTimer(PATIENCE_MS, () => patience.abort());
  try {
    const { namesOf } = await import('../completion/names.ts');
    return await namesOf(kind, { node: context.node(), signal: patience.signal, peer });
  } catch {
    // Nobody asked for a message in the middle of a line.
    return [];
  } finally {
    stop();
  }
}
