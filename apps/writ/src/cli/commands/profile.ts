import { Option } from 'commander';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';
import { violationLines } from '../violations.ts';

export function defineProfile({ program, run }: Definitions): void {
  const profile = program.command('profile').description('profiles: named sets of capabilities');
  profile
    .command('validate')
    .description('would this profile load; what is missing')
    .argument('<name>')
    .option('--capabilities <names>', 'comma-separated', '')
    .option('--claims <names>', 'the older spelling of --capabilities')
    .addOption(new Option('--shell <allow|deny>', 'whether any command may run').choices(['allow', 'deny']))
    .addOption(new Option('--network <allow|deny>', 'whether it reaches the network').choices(['allow', 'deny']))
    .addOption(new Option('--rank <0-4>', 'a higher place on the risk ladder').choices(['0', '1', '2', '3', '4']))
    .option('--require-explicit', 'it must be named by the asker')
    .option('--require-lease', 'it must be lent')
    .addHelpText(
      'after',
      examples(['writ profile validate dev --capabilities read_repo,edit_repo --require-explicit --require-lease']),
    )
    .action(run(validate));
}

interface ValidateOptions {
  readonly capabilities: string;
  readonly claims?: string;
  readonly shell?: string;
  readonly network?: string;
  readonly rank?: string;
  readonly requireExplicit?: boolean;
  readonly requireLease?: boolean;
}

async function validate(
  context: CliContext,
  [name = '']: readonly string[],
  options: ValidateOptions,
): Promise<number> {
  const answer = await context.node().call('profile_validate', {
    name,
    capabilities: split(options.capabilities),
    ...(options.claims === undefined ? {} : { claims: split(options.claims) }),
    ...(options.shell === undefined ? {} : { shell: options.shell as 'allow' | 'deny' }),
    ...(options.network === undefined ? {} : { network: options.network as 'allow' | 'deny' }),
    ...(options.rank === undefined ? {} : { rank: Number(options.rank) }),
    require_explicit: options.requireExplicit === true,
    require_lease: options.requireLease === true,
  });
  context.output.result(answer, (a) =>
    a.valid ? `profile ${name} would load, rank ${a.rank}` : violationLines(a.violations, name),
  );
  return answer.valid ? EXIT.ok : EXIT.usage;
}

function split(list: string): string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
