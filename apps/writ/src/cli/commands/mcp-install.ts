import { createSystemRandom, shellWord } from '@writ/core';
import { type Command, Option } from 'commander';
import { CLIENT_NAMES, type ClientName } from '../../clients/types.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { table } from '../output.ts';
import type { Definitions } from '../program.ts';

/** Registering this node with the programs that speak MCP. */
export function defineMcpInstall(mcp: Command, run: Definitions['run']): void {
  mcp
    .command('install')
    .description('register this node with an agent, by its own command or in its settings')
    .addOption(clientOption())
    .option('--print', 'only show what would be run or written')
    .addHelpText('after', examples(['writ mcp install --client claude']))
    .action(run(install));
  mcp
    .command('uninstall')
    .description('take back what `writ mcp install` put, and nothing else')
    .addOption(clientOption())
    .addHelpText('after', examples(['writ mcp uninstall --client claude']))
    .action(run(uninstall));
  mcp
    .command('clients')
    .description('the agents that are here, and whether they know this node')
    .addHelpText('after', examples(['writ mcp clients']))
    .action(run(clients));
}

interface InstallOptions {
  readonly client: ClientName;
  readonly print?: boolean;
}

function clientOption(): Option {
  return new Option('--client <name>', 'the agent').choices(CLIENT_NAMES).makeOptionMandatory();
}

async function install(context: CliContext, _: readonly string[], { client, print }: InstallOptions): Promise<number> {
  const { register, registrationSteps } = await import('../../clients/registration.ts');
  const { world, server } = await here(context);
  if (print === true) {
    context.output.result(registrationSteps(world, client, server), ({ command, file, settings, documented }) =>
      [
        ...(command === undefined ? [] : [`# with its own command:`, command.map(shellWord).join(' '), '']),
        `# ${command === undefined ? 'in' : 'or in'} ${file} (${documented}):`,
        settings.trimEnd(),
      ].join('\n'),
    );
    return EXIT.ok;
  }
  const done = await register(world, client, server, createSystemRandom());
  context.output.result(done, (d) =>
    [
      d.changed ? `${client} knows this node, as writ (${d.file})` : `${client} knows this node already (${d.file})`,
      ...(d.backup === undefined ? [] : [`its settings from before: ${d.backup}`]),
      ...(d.confirmed ? [] : [`its own command said that this is done, and ${d.file} does not show it (yet)`]),
      ...(d.changed ? ['it starts the server the next time that it is started itself'] : []),
    ].join('\n'),
  );
  return EXIT.ok;
}

async function uninstall(context: CliContext, _: readonly string[], { client }: InstallOptions): Promise<number> {
  const { unregister } = await import('../../clients/registration.ts');
  const { world, server } = await here(context);
  const done = await unregister(world, client, server, createSystemRandom());
  context.output.result(done, (d) =>
    [
      d.changed ? `${client} does not know this node any more (${d.file})` : `${client} did not know this node`,
      ...(d.confirmed ? [] : [`its own command said that this is done, and ${d.file} does not show it`]),
    ].join('\n'),
  );
  return EXIT.ok;
}

async function clients(context: CliContext): Promise<number> {
  const { registrationOf } = await import('../../clients/registration.ts');
  const { world, server } = await here(context);
  const found = await Promise.all(CLIENT_NAMES.map((name) => registrationOf(world, name, server)));
  context.output.result({ clients: found }, (answer) =>
    table(
      ['CLIENT', 'HERE', 'REGISTERED', 'SETTINGS'],
      answer.clients.map((c) => [c.client, c.isHere ? 'yes' : '-', c.problem ?? c.state, c.file]),
    ),
  );
  return EXIT.ok;
}

async function here({ environment, home, output }: CliContext) {
  const { mcpServerCommand, openClientWorld } = await import('../../clients/world.ts');
  return { world: openClientWorld(environment, output.note), server: mcpServerCommand(home) };
}
