import { visible } from '@writ/core';
import type { OperationInput } from '@writ/gateway/client';
import { Option } from 'commander';
import { drawChain } from '../chain-drawing.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
import { table } from '../output.ts';
import type { Definitions } from '../program.ts';
import { mostOf, readCount } from '../read-count.ts';
import { defineResult } from './result.ts';
import { defineTaskQuestions } from './task-questions.ts';

type TaskState = NonNullable<OperationInput<'list_tasks'>['state']>;

/** Every state of a task; the last five are final. */
const STATES: readonly TaskState[] = [
  'submitted',
  'waiting',
  'queued',
  'running',
  'input_required',
  'approval_required',
  'credential_required',
  'completed',
  'failed',
  'cancelled',
  'rejected',
  'lost',
];

export function defineTask({ program, run }: Definitions): void {
  const task = program.command('task').description('tasks that this node asked for or executes');
  task
    .command('list')
    .description('newest first')
    .option('--peer <label>', 'with this peer only')
    .addOption(new Option('--state <state>', 'in this state only').choices(STATES))
    .addOption(new Option('--side <side>', '`asked` of others, or `executing` here').choices(['asked', 'executing']))
    .option('--limit <count>', 'how many', '20')
    .addHelpText('after', examples(['writ task list --state running']))
    .action(run(list));
  task
    .command('show')
    .description('everything about one task')
    .argument('<task>')
    .option('--chain', 'draw each hop that led to it: who asked whom, with which grant, and what each hop took away')
    .addHelpText('after', examples(['writ task show TASK --chain']))
    .action(run(show));
  task
    .command('watch')
    .description('follow a task to its end')
    .argument('<task>')
    .option('--exit-status', "exit with the task's own status")
    .addHelpText('after', examples(['writ task watch TASK']))
    .action(run(watch));
  task
    .command('log')
    .description('the output of a task so far')
    .argument('<task>')
    .addHelpText('after', examples(['writ task log TASK > output.txt']))
    .action(run(log));
  task
    .command('cancel')
    .description('end a task; answers when its processes are gone')
    .argument('<task>')
    .addHelpText('after', examples(['writ task cancel TASK']))
    .action(run(cancel));
  defineTaskQuestions(task, run);
  defineResult(task, run);
}

interface ListOptions {
  readonly peer?: string;
  readonly state?: string;
  readonly side?: string;
  readonly limit: string;
}

async function list(context: CliContext, _: readonly string[], options: ListOptions): Promise<number> {
  const answer = await context.node().call('list_tasks', {
    ...(options.peer === undefined ? {} : { peer: options.peer }),
    ...(options.state === undefined ? {} : { state: options.state as TaskState }),
    ...(options.side === undefined ? {} : { side: options.side as 'asked' | 'executing' }),
    limit: readCount(options.limit, mostOf('writ task list --limit 5')),
  });
  context.output.result(answer, ({ tasks }) =>
    tasks.length === 0
      ? 'no tasks'
      : context.output.rows(
          table(
            ['TASK', 'SIDE', 'PEER', 'PROFILE', 'STATE', 'CODE', 'WORK'],
            tasks.map((t) => [
              t.task,
              t.side,
              t.peer,
              t.granted?.effective_profile ?? t.profile ?? '-',
              t.unreachable ? `${t.state} (unreachable)` : t.state,
              t.outcome?.code ?? '',
              t.work,
            ]),
          ),
        ),
  );
  return EXIT.ok;
}

async function show(
  context: CliContext,
  [task = '']: readonly string[],
  options: { readonly chain?: boolean },
): Promise<number> {
  const answer = await context.node().call('task_show', { task });
  context.output.result(answer, (shown) =>
    context.output.rows(
      options.chain === true ? drawChain(shown).split('\n').map(visible).join('\n') : JSON.stringify(shown, null, 2),
    ),
  );
  return EXIT.ok;
}

async function watch(
  context: CliContext,
  [task = '']: readonly string[],
  options: { readonly exitStatus?: boolean },
): Promise<number> {
  return followTask(context, context.node(), task, {
    ownStatus: options.exitStatus === true,
    cancelOnInterrupt: false,
  });
}

async function log(context: CliContext, [task = '']: readonly string[]): Promise<number> {
  for await (const chunk of context.node().stream('task_log', { task }, { signal: context.signal })) {
    if (context.output.json) context.output.item(chunk, () => undefined);
    else await context.output.raw('stdout', Buffer.from(chunk.data, 'base64'));
  }
  return EXIT.ok;
}

async function cancel(context: CliContext, [task = '']: readonly string[]): Promise<number> {
  const answer = await context.node().call('cancel', { task });
  context.output.result(answer, (a) => `task ${task} is ${a.state}`);
  return EXIT.ok;
}
