import type { CliContext } from '../context.ts';
import type { ListedRunners } from './runner-text.ts';

/** What this process finds without a node: agents of this machine, and no runners. */
export async function machineAlone({ environment }: Pick<CliContext, 'environment'>): Promise<ListedRunners> {
  const { lookForAgents } = await import('../../lifecycle/machine-agents.ts');
  const { lookForSandbox } = await import('../../lifecycle/machine-sandbox.ts');
  const { describeSandbox } = await import('@writ/runner');
  const [finder, sandbox] = await Promise.all([lookForAgents(environment), lookForSandbox(environment)]);
  const agents = (await finder.agents()).map(({ agent, found, problem, nextSteps }) => ({
    ...{ name: agent.program, kind: agent.kind, argv: [agent.program, ...agent.args] },
    installed: found !== undefined,
    ...(found === undefined ? {} : { path: found.path, sandbox: found.sandbox }),
    ...(found?.version === undefined ? {} : { version: found.version }),
    ...{ asks_leave: agent.asksLeave, usage: [...agent.usage], runners: [] },
    ...(problem === undefined ? {} : { problem }),
    next_steps: [...nextSteps],
  }));
  return { sandbox: describeSandbox(sandbox), runners: [], agents };
}
