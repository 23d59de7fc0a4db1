import type { CliContext } from '../context.ts';
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
      'beside the default set: `commands`, `evidence`, `authority`, `policy`, `peers`, or `all`',
    )
    .action(run(serve));
  defineMcpInstall(mcp, run);
}

async function serve(
  context: CliContext,
  _: readonly string[],
  options: { readonly toolsets?: string },
): Promise<number> {
  await context.node().mcpPipe(context.streams.in, context.streams.out, options);
  return EXIT.ok;
}
