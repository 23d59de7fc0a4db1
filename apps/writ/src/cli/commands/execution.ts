import { visible } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { followExecution } from '../follow-execution.ts';
import { table } from '../output.ts';
import type { Definitions } from '../program.ts';
import { mostOf, readCount } from '../read-count.ts';

interface At {
  readonly peer: string;
}

export function defineExecution({ program, run }: Definitions): void {
  const execution = program.command('execution').description('commands that were asked for with `writ run`');
  execution
    .command('list')
    .description('those of this node, and those that it asked peers for, as last known; newest first')
    .option('--limit <count>', 'how many', '20')
    .addHelpText('after', examples(['writ execution list --limit 5']))
    .action(run(list));
  execution
    .command('show')
    .description('one command, with every argument of it')
    .argument('<execution>')
    .option('-p, --peer <label>', 'the peer where it runs', 'self')
    .addHelpText('after', examples(['writ execution show EXECUTION']))
    .action(run(show));
  execution
    .command('watch')
    .description('follow a command to its end')
    .argument('<execution>')
    .option('-p, --peer <label>', 'the peer where it runs', 'self')
    .option('--exit-status', "exit with the command's own status")
    .addHelpText('after', examples(['writ execution watch EXECUTION --peer beta']))
    .action(run(watch));
  execution
    .command('cancel')
    .description('end a command, whether it waits or runs; answers when no process is left')
    .argument('<execution>')
    .option('-p, --peer <label>', 'the peer where it runs', 'self')
    .addHelpText('after', examples(['writ execution cancel EXECUTION']))
    .action(run(cancel));
}

async function list(context: CliContext, _: readonly string[], { limit }: { readonly limit: string }): Promise<number> {
  const answer = await context
    .node()
    .call('list_executions', { limit: readCount(limit, mostOf('writ execution list --limit 5')) });
  const { rows } = context.output;
  context.output.result(answer, ({ executions, sent }) =>
    executions.length + sent.length === 0
      ? 'no commands'
      : [
          ...(executions.length === 0 ? [] : [rows(table(HERE, executions.map(rowHere)))]),
          ...(sent.length === 0 ? [] : [`asked of peers, as last known:\n${rows(table(SENT, sent.map(rowSent)))}`]),
        ].join('\n\n'),
  );
  return EXIT.ok;
}

type Listed = OperationOutput<'list_executions'>;

const HERE = ['EXECUTION', 'BY', 'PROFILE', 'CLASS', 'STATE', 'CODE', 'WORK'];
const SENT = ['EXECUTION', 'AT', 'PROFILE', 'CLASS', 'STATE', 'CODE', 'SINCE', 'WORK'];

function rowHere(one: Listed['executions'][number]): string[] {
  return [one.execution, one.asked_by, one.profile, one.class, one.state, one.code ?? '', one.work];
}

function rowSent(one: Listed['sent'][number]): string[] {
  const since = new Date(one.seen_at_ms ?? one.sent_at_ms).toISOString();
  const { execution = '', at, profile = '', state, code = '', work } = one;
  return [execution, at, profile, one.class ?? '', state, code, since, work];
}

async function show(context: CliContext, [execution = '']: readonly string[], { peer }: At): Promise<number> {
  const answer = await context.node().call('execution_show', { execution, at: peer });
  context.output.result(answer, (shown) =>
    context.output.rows(JSON.stringify(shown, null, 2).split('\n').map(visible).join('\n')),
  );
  return EXIT.ok;
}

async function watch(
  context: CliContext,
  [execution = '']: readonly string[],
  { peer, exitStatus }: At & { readonly exitStatus?: boolean },
): Promise<number> {
  return followExecution(context, context.node(), execution, { at: peer, ownStatus: exitStatus === true });
}

async function cancel(context: CliContext, [execution = '']: readonly string[], { peer }: At): Promise<number> {
  const answer = await context.node().call('execution_cancel', { execution, at: peer });
  context.output.result(answer, ({ state }) => `execution ${execution} is ${state}`);
  return EXIT.ok;
}
