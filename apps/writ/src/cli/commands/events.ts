import { isWritError, quote, WritError } from '@writ/core';
import { entryLine } from '../audit/audit-text.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';

export function defineEvents({ program, run }: Definitions): void {
  program
    .command('events')
    .description('what happens on this node, in order, as it happens')
    .option('--after <number>', 'go on behind this one; 0 for all that there is')
    .option('--kind <kind...>', 'only these, such as `task` or `lease`')
    .option('--no-follow', 'end with what has happened')
    .addHelpText('after', examples(['writ events --after 0 --kind task --no-follow']))
    .action(run(events));
}

interface EventsOptions {
  readonly after?: string;
  readonly kind?: readonly string[];
  readonly follow: boolean;
}

async function events(context: CliContext, _: readonly string[], options: EventsOptions): Promise<number> {
  const { after, kind, follow } = options;
  const input = {
    ...(after === undefined ? {} : { after: numberOf(after) }),
    ...(kind === undefined ? {} : { kinds: [...kind] }),
    follow,
  };
  const { signal } = context;
  try {
    for await (const event of context.node().stream('events', input, { signal })) context.output.item(event, entryLine);
  } catch (error) {
    // Whoever follows without end ends it so, and has all that there was.
    if (!(follow && signal.aborted && isWritError(error, 'CANCELLED'))) throw error;
  }
  return EXIT.ok;
}

function numberOf(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new WritError('BAD_REQUEST', `--after takes the number of an event, not ${quote(text)}`, {
    nextSteps: ['writ events --after 0', 'writ events'],
  });
}
