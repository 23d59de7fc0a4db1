import { foldName, WRIT_CODES } from '@writ/core';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { timeLeft } from '../output.ts';
import type { Definitions } from '../program.ts';
import { readCount, USES } from '../read-count.ts';
import { spanFromYes } from '../span.ts';

export function defineLeaseRequest(lease: Command, run: Definitions['run']): void {
  lease
    .command('request')
    .description('ask the person of a node to lend a profile')
    .argument('<profile>', 'the profile to ask for')
    .requiredOption('--for <duration>', 'how long from the yes on, such as `8h`')
    .option('--peer <label>', 'the node that should lend; absent: this one')
    .option('--workspace <name...>', 'only in these workspaces')
    .option('--uses <count>', 'how often it would be used')
    .option('--only-this-session', 'for the session of WRIT_SESSION alone')
    .option('--reason <text>', 'what for, for the person to read')
    .option('--key <key>', 'idempotency key: the same key again is the same question, and says what became of it')
    .addHelpText('after', examples(['writ lease request repo-dev --peer beta --for 2h --reason "fix the build"']))
    .action(run(request));
}

/** Where the question waits, and how its end is seen from here: at a peer it is a question of that node, which this one has not. */
export function askedText(approval: string, left: string, { peer, key }: Pick<RequestOptions, 'peer' | 'key'>): string {
  const asked = 'asked; it waits for a person';
  if (peer === undefined || foldName(peer) === 'self')
    return `${asked}, ${left} at most: writ approval show ${approval}`;
  const next = key === undefined ? 'once it is lent, delegate again' : 'the same command again says what became of it';
  return `${asked} at ${peer}, ${left} at most, who sees it there as ${approval}; ${next}`;
}

interface RequestOptions {
  readonly for: string;
  readonly peer?: string;
  readonly workspace?: readonly string[];
  readonly uses?: string;
  readonly onlyThisSession?: boolean;
  readonly reason?: string;
  readonly key?: string;
}

async function request(
  context: CliContext,
  [profile = '']: readonly string[],
  options: RequestOptions,
): Promise<number> {
  const answer = await context.node().call('request_lease', {
    profile,
    duration: spanFromYes('--for', options.for, context),
    only_this_session: options.onlyThisSession === true,
    ...(options.peer === undefined ? {} : { peer: options.peer }),
    ...(options.workspace === undefined ? {} : { workspaces: [...options.workspace] }),
    ...(options.uses === undefined
      ? {}
      : {
          max_uses: readCount(options.uses, {
            ...USES,
            example: 'writ lease request repo-dev --peer beta --for 2h --uses 3',
          }),
        }),
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    ...(options.key === undefined ? {} : { idempotency_key: options.key }),
  });
  const { output } = context;
  output.item(answer, (a) => a.approval);
  if (answer.asked && answer.state !== undefined && answer.state !== 'pending') {
    output.note(`the question is ${answer.state}`);
    return answer.state === 'approved' ? EXIT.ok : EXIT.denied;
  }
  if (answer.asked) {
    const left = timeLeft(answer.expires_at_ms ?? 0, context.clock.nowMs());
    output.note(askedText(answer.approval ?? '', left, options));
    return EXIT.waiting;
  }
  output.note(`${output.colors.red('not asked')} ${answer.code}: ${answer.message}`);
  for (const step of answer.next_steps ?? []) output.note(output.step(step));
  const code = WRIT_CODES.find((known) => known === answer.code);
  return code === undefined ? EXIT.denied : exitCodeOf(code);
}
