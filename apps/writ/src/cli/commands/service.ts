import { createSystemRandom, visible } from '@writ/core';
import type { ServiceChange } from '../../service/service.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';

export function defineService({ program, run }: Definitions): void {
  const service = program.command('service').description('have the node started when you log in');
  service
    .command('install')
    .description('make the node a service of your user (systemd; launchd on macOS, untested)')
    .option('--print', 'only show the description that would be written')
    .addHelpText('after', examples(['writ service install']))
    .action(run(install));
  service
    .command('uninstall')
    .description('take that back; a node that runs goes on')
    .addHelpText('after', examples(['writ service uninstall']))
    .action(run(uninstall));
  service
    .command('status')
    .description('whether it is installed, and runs as a service')
    .addHelpText('after', examples(['writ service status']))
    .action(run(status));
}

async function install(
  context: CliContext,
  _: readonly string[],
  { print }: { readonly print?: boolean },
): Promise<number> {
  const { service, execute, part } = await here(context);
  const { kind } = service.manager;
  const notes = service.manager.notes(service.order.name);
  if (print === true) {
    const { file, text } = service;
    context.output.result({ kind, file, text }, (s) => `# ${s.file}\n${s.text.trimEnd()}`);
    return EXIT.ok;
  }
  const done = await part.installService(service, execute, createSystemRandom());
  const isRunning = await runs(context);
  context.output.result({ ...done, notes }, (d) =>
    [
      `${d.changed ? 'written' : 'unchanged'}: ${d.file}`,
      ...failures(d),
      ...(isRunning
        ? [
            'the node that runs now goes on; as a service it starts the next time (or: writ down, then start the service)',
          ]
        : []),
      ...d.notes,
    ].join('\n'),
  );
  return done.failed.length === 0 ? EXIT.ok : EXIT.taskFailed;
}

async function uninstall(context: CliContext): Promise<number> {
  const { service, execute, part } = await here(context);
  const done = await part.uninstallService(service, execute);
  context.output.result(done, (d) =>
    [d.changed ? `taken away: ${d.file}` : 'it was not installed', ...failures(d)].join('\n'),
  );
  return done.failed.length === 0 ? EXIT.ok : EXIT.taskFailed;
}

async function status(context: CliContext): Promise<number> {
  const { service, execute, part } = await here(context);
  const found = await part.serviceStatus(service, execute);
  const said = {
    yes: 'installed',
    no: 'not installed; writ service install',
    other: 'installed, for another program or changed; writ service install',
  };
  context.output.result(
    found,
    (s) => `${s.kind}: ${said[s.installed]}, ${s.active ? 'active' : 'not active'} (${s.file})`,
  );
  return EXIT.ok;
}

function failures({ failed }: ServiceChange): readonly string[] {
  return failed.flatMap(({ command, said }) => [`did not end well: ${command}`, `  ${visible(said)}`]);
}

/** Whether a node of this home runs, whoever started it. */
async function runs({ home }: CliContext): Promise<boolean> {
  const { runningPid } = await import('../../lifecycle/running-pid.ts');
  return runningPid(home) !== undefined;
}

async function here({ environment, home }: CliContext) {
  const part = await import('../../service/service.ts');
  const { openClientWorld } = await import('../../clients/world.ts');
  const { execute } = openClientWorld(environment);
  return { part, execute, service: part.describeService(home, environment, process.platform) };
}
