import { isWritError } from '@writ/core';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';
import { machineAlone } from '../runner/machine-alone.ts';
import { doctorText, type ListedRunners, listText } from '../runner/runner-text.ts';

export function defineRunner({ program, run }: Definitions): void {
  const runner = program.command('runner').description('what does the work: commands, and agents of this machine');
  runner
    .command('list')
    .description('runners that are configured, agents that are installed, and what each can do')
    .addHelpText('after', examples(['writ runner list']))
    .action(run(list));
  runner
    .command('doctor')
    .description('what stands in the way of each, and what to do; 1 where a runner that is used cannot work')
    .addHelpText('after', examples(['writ runner doctor']))
    .action(run(doctor));
}

async function list(context: CliContext): Promise<number> {
  context.output.result(await listed(context), listText);
  return EXIT.ok;
}

async function doctor(context: CliContext): Promise<number> {
  const answer = await listed(context);
  context.output.result(answer, (told) => doctorText(told, context.output.step));
  const isBroken = answer.runners.some(({ problems, profiles }) => problems.length > 0 && profiles.length > 0);
  return isBroken ? EXIT.taskFailed : EXIT.ok;
}

/** As the node finds it; where none runs what this process finds, and no runners. */
async function listed(context: CliContext): Promise<ListedRunners> {
  try {
    return await context.node().call('runner_list', {});
  } catch (error) {
    const isAway = isWritError(error, 'NOT_RUNNING') || isWritError(error, 'NOT_INITIALIZED');
    if (!isAway) throw error;
    context.output.note(`${error.message}: agents are looked for from here, and runners are not known`);
    return machineAlone(context);
  }
}
