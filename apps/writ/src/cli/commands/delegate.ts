import { WritError } from '@writ/core';
import type { OperationInput, OperationOutput } from '@writ/gateway/client';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
import { fromHere } from '../from-here.ts';
import { gitWordsHere } from '../git-words-here.ts';
import type { Definitions } from '../program.ts';
import { spanOption } from '../span.ts';

interface DelegateOptions {
  readonly peer: string;
  readonly profile?: string;
  readonly workspace?: string;
  readonly ref?: string;
  readonly runner?: string;
  readonly timeout?: string;
  readonly prompt?: string;
  readonly detach?: boolean;
  readonly exitStatus?: boolean;
  /** False: leave where a person has to answer first. */
  readonly wait?: boolean;
  readonly key?: string;
  readonly ship?: string | true;
  readonly artifact?: readonly string[];
}

export function defineDelegate({ program, run }: Definitions): void {
  program
    .command('delegate')
    .description('hand a task to a peer and show what comes of it')
    .requiredOption('-p, --peer <label>', 'the peer that shall do it (`self`: this node)')
    .option('--profile <name>', "the peer's profile to ask for (with `self`, absent: the default)")
    .option('-w, --workspace <name>', "the peer's workspace to work in")
    .option('--ref <ref>', 'branch, tag or commit of the workspace')
    .option(
      '--ship [path]',
      'send your working tree along instead, with what is not committed; absent: the one that you are in',
    )
    .option('--artifact <pattern>', 'a file to bring back, such as `dist/*.tgz`; may be repeated', collect)
    .option('--runner <name>', 'only if the effective profile has this runner')
    .option('--timeout <duration>', 'an upper bound of your own, such as `10m`')
    .option('--prompt <text>', 'a prompt for an agent instead of a command')
    .option('--key <key>', 'idempotency key: the same key again is the same task')
    .option('-d, --detach', 'print the task and leave')
    .option('--no-wait', 'leave with 4 where a person has to answer first; the task waits on')
    .option('--exit-status', "exit with the task's own status")
    .argument('[command...]', 'program and arguments, after `--`')
    .passThroughOptions()
    .addHelpText(
      'after',
      '\nexamples:\n  $ writ delegate --peer beta --profile repo-dev --workspace app -- npm test\n  $ writ delegate --peer self -- true\n\nCtrl-C cancels the task. Where only this program ends (SIGTERM, a closed terminal or pipe) the task goes on:\nwrit task watch TASK, writ task cancel TASK.\n',
    )
    .action(run(delegate));
}

function collect(pattern: string, before: readonly string[] = []): readonly string[] {
  return [...before, pattern];
}

async function delegate(context: CliContext, argv: readonly string[], options: DelegateOptions): Promise<number> {
  if ((options.prompt === undefined) === (argv.length === 0)) {
    throw new WritError('BAD_REQUEST', 'say what to do: a command after `--`, or --prompt, and not both', {
      nextSteps: [`writ delegate --peer ${options.peer} --profile repo-dev -- npm test`],
    });
  }
  const node = context.node();
  const answer = await node.call('delegate', {
    to: options.peer,
    ...(options.prompt === undefined ? { argv: [...argv] } : { prompt: options.prompt }),
    ...(options.profile === undefined ? {} : { profile: options.profile }),
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    ...(options.ref === undefined ? {} : { ref: options.ref }),
    ...(options.runner === undefined ? {} : { runner: options.runner }),
    ...(options.timeout === undefined ? {} : { timeout: spanOption('--timeout', options.timeout, context) }),
    ...(options.key === undefined ? {} : { idempotency_key: options.key }),
    ...(options.artifact === undefined ? {} : { artifacts: [...options.artifact] }),
    ...(options.ship === undefined ? {} : shipFrom(context, options.ship)),
  });
  if (!answer.accepted) return refused(context, answer, options.peer);
  context.output.item({ kind: 'accepted', ...answer }, () => undefined);
  if (options.detach === true) {
    context.output.note(`task ${answer.task}`);
    return answer.state === 'waiting' ? EXIT.waiting : EXIT.ok;
  }
  context.output.note(context.output.colors.dim(`task ${answer.task} at ${options.peer}`));
  return followTask(context, node, answer.task, {
    ownStatus: options.exitStatus === true,
    cancelOnInterrupt: true,
    leaveWaiting: options.wait === false,
  });
}

function shipFrom(
  { environment }: CliContext,
  path: string | true,
): Pick<OperationInput<'delegate'>, 'ship' | 'shell'> {
  const ship = fromHere(environment, path === true ? '.' : path);
  const git = gitWordsHere(environment, ship);
  return { ship, ...(git && { shell: { git: [...git] } }) };
}

/** Shows who refused, why, and what would help. */
function refused(context: CliContext, answer: OperationOutput<'delegate'>, peer: string): number {
  const { output } = context;
  const { decided } = answer;
  output.item({ kind: 'refused', ...answer }, () => undefined);
  if (decided === undefined) return EXIT.denied;
  const verdict = decided.effect === 'ask' ? 'needs a person' : 'denied';
  output.note(`${output.colors.red(verdict)} ${decided.code}: ${decided.message}`);
  output.note(
    `  decided by ${decided.by === 'here' ? 'this node' : peer}, policy generation ${decided.generation ?? 'unknown'}`,
  );
  for (const step of decided.next_steps) output.note(output.step(step));
  return EXIT.denied;
}
