import { join, resolve } from 'node:path';
import { quote } from '@writ/core';
import { workspaceOption } from '../../workspace-option.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { table } from '../output.ts';
import type { Definitions } from '../program.ts';

export function defineMesh({ program, run }: Definitions): void {
  const mesh = program.command('mesh').description('several nodes on this machine, to try things out');
  mesh
    .command('up')
    .description('start a paired mesh of separate processes; each node may ask every one after it')
    .option('--nodes <count>', 'how many', '3')
    .option('--dir <dir>', 'where their homes lie')
    .option('--workspace <name=path...>', 'a repository that each of them offers')
    .addHelpText('after', examples(['writ mesh up --nodes 3']))
    .action(run(up));
  mesh
    .command('down')
    .description('stop them')
    .option('--dir <dir>', 'where their homes lie')
    .option('--purge', 'remove their homes too')
    .option(...YES_OPTION)
    .addHelpText('after', examples(['writ mesh down --purge', 'writ mesh down --purge --yes']))
    .action(run(down));
  mesh
    .command('demo')
    .description('three nodes delegate to each other under policy, step by step, each step checked')
    .option('--repo <path>', 'with your repository instead of a made one')
    .option('--test <command>', 'a command line that tests it')
    .option('--keep', 'leave the nodes running to look at')
    .addHelpText('after', examples(['writ mesh demo --keep']))
    .action(run(demo));
}

const meshDir = (context: CliContext, dir?: string): string => resolve(dir ?? join(context.home.dataDir, 'mesh'));

interface UpOptions {
  readonly nodes: string;
  readonly dir?: string;
  readonly workspace?: readonly string[];
}

async function up(context: CliContext, _: readonly string[], options: UpOptions): Promise<number> {
  const { meshUp } = await import('../../local-mesh/local-mesh.ts');
  const workspaces = (options.workspace ?? []).map(workspaceOption);
  const nodes = await meshUp({
    dir: meshDir(context, options.dir),
    nodes: Number(options.nodes),
    workspaces,
    environment: context.environment,
    clock: context.clock,
    signal: context.signal,
  });
  context.output.result(
    { nodes: nodes.map((node) => ({ name: node.name, home: node.home.root, pid: node.pid() })) },
    (m) =>
      [
        table(
          ['NODE', 'PID', 'HOME'],
          m.nodes.map((node) => [node.name, String(node.pid), node.home]),
        ),
        `try: writ --home ${m.nodes[0]?.home} delegate --peer beta --profile query -- true`,
      ].join('\n'),
  );
  return EXIT.ok;
}

async function down(
  context: CliContext,
  _: readonly string[],
  options: ConfirmOptions & { readonly dir?: string; readonly purge?: boolean },
): Promise<number> {
  if (options.purge === true) {
    const dir = options.dir === undefined ? '' : ` --dir ${options.dir}`;
    await confirm(context, options, {
      what: `the homes of these nodes go, with keys and results: ${quote(meshDir(context, options.dir))}`,
      retype: `writ mesh down --purge${dir}`,
    });
  }
  const { meshDown } = await import('../../local-mesh/local-mesh.ts');
  const stopped = await meshDown(meshDir(context, options.dir), {
    purge: options.purge === true,
    environment: context.environment,
    clock: context.clock,
  });
  context.output.result({ stopped }, (m) =>
    m.stopped.length === 0 ? 'nothing ran' : `stopped ${m.stopped.join(', ')}`,
  );
  return EXIT.ok;
}

async function demo(
  context: CliContext,
  _: readonly string[],
  options: { readonly repo?: string; readonly test?: string; readonly keep?: boolean },
): Promise<number> {
  const { runDemo } = await import('../../demo/demo.ts');
  const report = await runDemo({
    ...(options.repo === undefined ? {} : { repo: resolve(options.repo) }),
    ...(options.test === undefined ? {} : { testCommand: options.test }),
    keep: options.keep === true,
    environment: context.environment,
    clock: context.clock,
    signal: context.stopSignal(),
    tell: (line) => context.output.note(line),
    colors: context.output.colors,
  });
  if (context.output.json) context.output.result({ steps: report.steps }, () => '');
  return report.steps.every((step) => step.ok) ? EXIT.ok : EXIT.taskFailed;
}
