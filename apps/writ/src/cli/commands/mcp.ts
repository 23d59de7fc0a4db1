import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';

export function defineMcp({ program, run }: Definitions): void {
  const mcp = program.command('mcp').description('the gateway for agents');
  mcp
    .command('serve', { isDefault: true })
    .description('speak MCP on standard input and output for one agent, through the running node')
    .action(run(serve));
}

async function serve(context: CliContext): Promise<number> {
  await context.node().mcpPipe(context.streams.in, context.streams.out);
  return EXIT.ok;
}
