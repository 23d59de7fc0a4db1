import { hostname } from 'node:os';
import { shellWord, WritError } from '@writ/core';
import { hasNode } from '../../home.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';
import { defineMcpInstall } from './mcp-install.ts';

export function defineMcp({ program, run }: Definitions): void {
  const mcp = program.command('mcp').description('the gateway for agents');
  mcp
    .command('serve', { isDefault: true })
    .description('speak MCP on standard input and output for one agent, through the running node')
    .option(
      '--toolsets <names>',
      'beside the default set: `commands`, `evidence`, `authority`, `policy`, `peers`, `upstreams`, or `all`',
    )
    .option('--setup', 'all of these, and tools that set the node up; makes one where there is none')
    .addHelpText('after', examples(['writ mcp serve --toolsets all', 'writ mcp serve --setup']))
    .action(run(serve));
  defineMcpInstall(mcp, run);
}

interface ServeOptions {
  readonly toolsets?: string;
  readonly setup?: boolean;
}

async function serve(context: CliContext, _: readonly string[], { toolsets, setup }: ServeOptions): Promise<number> {
  if (setup === true) await ready(context);
  const wanted = { ...(toolsets === undefined ? {} : { toolsets }), ...(setup === undefined ? {} : { setup }) };
  const endedBy = await context.node().mcpPipe(context.streams.in, context.streams.out, wanted);
  if (endedBy === 'client') return EXIT.ok;
  // Not on standard output, which is the client's.
  throw new WritError('UNREACHABLE', 'the node ended this connection: it stopped, or a message was too long for it', {
    details: { log: context.home.logFile },
    nextSteps: ['writ status', `tail -n 20 ${shellWord(context.home.logFile)}`],
  });
}

/** A node to set up: made where there is none, in a way that gives nobody anything, and started where it does not run. */
async function ready({ home, environment, clock, output }: CliContext): Promise<void> {
  const { runningPid } = await import('../../lifecycle/running-pid.ts');
  const { startNode } = await import('../../lifecycle/start-node.ts');
  if (environment.taskAccess !== undefined || runningPid(home) !== undefined) return;
  if (!hasNode(home)) {
    const { initNode } = await import('../../lifecycle/init-node.ts');
    const { lookForSandbox } = await import('../../lifecycle/machine-sandbox.ts');
    const { nameFromHost } = await import('../../first-use/node-name.ts');
    const { available } = await lookForSandbox(environment);
    const isolation = available ? 'required' : 'none';
    const { name } = await initNode(home, { name: nameFromHost(hostname()), workspaces: [], isolation });
    output.note(`made the node ${name} in ${home.root}; it only dials out`);
  }
  const { pid } = await startNode(home, environment, clock);
  output.note(`started the node, pid ${pid}`);
}
