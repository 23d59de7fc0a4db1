import { hostname } from 'node:os';
import { createSystemRandom, shellWord, toWritError, visible } from '@writ/core';
import { Option } from 'commander';
import { CLIENT_NAMES, type ClientName } from '../../clients/types.ts';
import type { FirstDelegation } from '../../first-use/first-delegation.ts';
import { DEFAULT_LISTEN } from '../../first-use/free-listen.ts';
import { nameFromHost } from '../../first-use/node-name.ts';
import type { Choices, Found, Said } from '../../first-use/questions.ts';
import { hasNode } from '../../home.ts';
import { workspaceOption } from '../../workspace-option.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';

/** What it means that a new node has no sandbox, for a person. */
const UNCONFINED =
  'every profile says isolation = "none": tasks run as your own user, and can read and change whatever you can; with bubblewrap installed, take these lines out';

/** What it means that a new node does not listen, for a person. */
const ONLY_ASKS =
  'it does not listen: it asks other nodes and gets their results, wherever it is; no other node can hand it work';

export function defineInit({ program, run }: Definitions): void {
  program
    .command('init')
    .description("make this machine's node and start it; asks four questions at a terminal")
    .option('-y, --yes', 'ask nothing: take what was found')
    .option('--name <name>', 'what peers see; absent: the host name')
    .option(
      '--listen <host:port>',
      `where peers reach it; absent: \`${DEFAULT_LISTEN}\`, or the next port that is free`,
    )
    .option('--no-listen', 'it only dials out: it can ask, and cannot be asked')
    .option('--workspace <name=path...>', 'a repository to offer')
    .addOption(new Option('--client <name...>', 'an agent to register it with').choices(CLIENT_NAMES))
    .option('--keep', 'keep the writ.toml, or the keys, that are there without the other, and make the rest')
    .option('--no-start', 'only make it')
    .addHelpText('after', examples(['writ init', 'writ init --yes --workspace app=~/src/app']))
    .action(run(init));
}

interface InitOptions {
  readonly yes?: boolean;
  readonly name?: string;
  /** `true` where neither option was given. */
  readonly listen?: string | boolean;
  readonly workspace?: readonly string[];
  readonly client?: readonly ClientName[];
  readonly keep?: boolean;
  readonly start: boolean;
}

async function init(context: CliContext, _: readonly string[], options: InitOptions): Promise<number> {
  const { refuseThere } = await import('../../lifecycle/init-node.ts');
  const { assertPrivateHome } = await import('../../lifecycle/private-home.ts');
  const { lookForSandbox } = await import('../../lifecycle/machine-sandbox.ts');
  const { describeSandbox } = await import('@writ/runner');
  assertPrivateHome(context.home);
  refuseThere(context.home, options.keep);
  const sandbox = await lookForSandbox(context.environment);
  const { made, choices } = await make(context, options, sandbox.available);
  const running = options.start ? await firstUse(context) : undefined;
  const clients = await tellClients(context, choices.clients);
  const said = {
    ...{ ...made, sandbox: sandbox.available, running: running !== undefined, workspaces: choices.workspaces, clients },
    ...running?.started,
    ...(running === undefined ? {} : { first_delegation: running.first }),
  };
  context.output.result(said, () =>
    [
      `node ${made.name} (${made.id})${running === undefined ? '' : ` runs, pid ${running.started.pid}`}`,
      `configuration: ${context.home.configFile}`,
      ...reach(choices, running?.started.listen),
      `workspaces: ${choices.workspaces.map(({ name, path }) => `${name} (${path})`).join(', ') || 'none'}`,
      `isolation: ${describeSandbox(sandbox)}`,
      ...(sandbox.available ? [] : [UNCONFINED]),
      ...clients.map(({ client, problem }) =>
        problem === undefined ? `${client} knows it` : `${client}: ${visible(problem)}`,
      ),
      ...(running === undefined ? ['start it with: writ up'] : ['', ...firstText(running.first)]),
      ...['', ...nextText(choices)],
    ].join('\n'),
  );
  return running === undefined || running.first.state === 'completed' ? EXIT.ok : EXIT.taskFailed;
}

/** Makes what is missing: keys for a configuration that is there, or both. */
async function make(context: CliContext, options: InitOptions, isSandboxed: boolean) {
  const { initKeys, initNode } = await import('../../lifecycle/init-node.ts');
  const { home } = context;
  if (hasNode(home)) {
    const { id, config } = await initKeys(home);
    const { name, listen } = config.node;
    const workspaces = [...config.workspaces].map(([called, { path }]) => ({ name: called, path }));
    const choices: Choices = { name, listen, workspaces, clients: options.client ?? [] };
    return { made: { id, name }, choices };
  }
  const choices = await choose(context, options);
  const { listen, ...chosen } = choices;
  const made = await initNode(home, {
    ...chosen,
    ...(listen === undefined ? {} : { listen }),
    isolation: isSandboxed ? 'required' : 'none',
    keepsKeys: options.keep === true,
  });
  return { made, choices };
}

/** Asks where somebody sits at a terminal and did not say `--yes`; a script is asked nothing. */
async function choose(context: CliContext, options: InitOptions): Promise<Choices> {
  const { streams, output } = context;
  const isAsked = options.yes !== true && !output.json && streams.in.isTTY === true && streams.err.isTTY === true;
  const { askChoices, choicesWithout } = await import('../../first-use/questions.ts');
  const said = saidBy(options);
  const found = await lookAround(context, said, isAsked || options.yes === true);
  if (!isAsked) return choicesWithout(found, said);
  const terminal = context.terminal();
  try {
    return await askChoices(terminal, found, said);
  } finally {
    terminal.close();
  }
}

function saidBy({ name, listen, workspace, client }: InitOptions): Said {
  return {
    ...(name === undefined ? {} : { name }),
    ...(listen === undefined || listen === true ? {} : { listen }),
    ...(workspace === undefined ? {} : { workspaces: workspace.map(workspaceOption) }),
    ...(client === undefined ? {} : { clients: client }),
  };
}

/** What is on this machine; a script that did not say `--yes` gets nothing that it did not name. */
async function lookAround({ environment, home }: CliContext, said: Said, isWanted: boolean): Promise<Found> {
  const { freeListenAddress } = await import('../../first-use/free-listen.ts');
  const { findRepositories } = await import('../../first-use/repositories.ts');
  const name = nameFromHost(hostname());
  const listen = typeof said.listen === 'string' ? said.listen : await freeListenAddress();
  if (!isWanted) return { name, listen, repositories: [], clients: [] };
  const { homeDir } = environment;
  const found = said.workspaces === undefined ? await findRepositories({ cwd: process.cwd(), homeDir }) : [];
  const { workspacePlaces } = await import('../../node/workspace-place.ts');
  const whyNot = workspacePlaces(home);
  const repositories = found.filter(({ path }) => whyNot(path) === undefined);
  return { name, listen, repositories, clients: await clientsHere(environment) };
}

async function clientsHere(environment: CliContext['environment']): Promise<readonly ClientName[]> {
  if (environment.homeDir === undefined) return [];
  const { isHere } = await import('../../clients/registration.ts');
  const { openClientWorld } = await import('../../clients/world.ts');
  const world = openClientWorld(environment);
  const found = await Promise.all(CLIENT_NAMES.map(async (name) => ((await isHere(world, name)) ? [name] : [])));
  return found.flat();
}

async function firstUse(context: CliContext) {
  const { startNode } = await import('../../lifecycle/start-node.ts');
  const { delegateToSelf } = await import('../../first-use/first-delegation.ts');
  const started = await startNode(context.home, context.environment, context.clock);
  return { started, first: await delegateToSelf(context.node()) };
}

/** An agent that could not be told leaves the node as it is; its own words say why. */
async function tellClients(context: CliContext, names: readonly ClientName[]) {
  if (names.length === 0) return [];
  const { register } = await import('../../clients/registration.ts');
  const { mcpServerCommand, openClientWorld } = await import('../../clients/world.ts');
  const world = openClientWorld(context.environment, context.output.note);
  const server = mcpServerCommand(context.home);
  const told: { readonly client: ClientName; readonly problem?: string }[] = [];
  for (const client of names) {
    const problem = await register(world, client, server, createSystemRandom()).then(
      () => undefined,
      (error: unknown) => toWritError(error).message,
    );
    told.push({ client, ...(problem === undefined ? {} : { problem }) });
  }
  return told;
}

function reach({ listen }: Choices, bound: string | undefined): readonly string[] {
  if (listen === undefined) return [ONLY_ASKS];
  const isOther = !listen.endsWith(DEFAULT_LISTEN.slice(DEFAULT_LISTEN.lastIndexOf(':')));
  const why =
    isOther && listen.startsWith('0.0.0.0:') ? ` (something else listens on ${DEFAULT_LISTEN.split(':')[1]})` : '';
  return [`other nodes reach it at ${bound ?? listen}${why}`];
}

function firstText({ argv, state, message, output, verified }: FirstDelegation): readonly string[] {
  return [
    'the first task, handed to itself:',
    `  $ writ delegate --peer self -- ${argv.map(shellWord).join(' ')}`,
    ...output
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `  ${visible(line)}`),
    `  ${state}: ${visible(message)}${verified ? '; its signed result was verified' : ''}`,
  ];
}

function nextText({ listen, workspaces, clients }: Choices): readonly string[] {
  const named = workspaces.map(({ name }) => name).join(',');
  const invite = `writ peer invite --profiles query${named === '' ? '' : `,readonly-agent --workspaces ${named}`}`;
  return [
    'next:',
    ...(listen === undefined
      ? ['  to ask another machine   there: writ peer invite; here, what it prints: writ peer join CODE']
      : [`  another machine asks     here: ${invite}; there, what it prints: writ peer join CODE`]),
    ...(clients.length > 0
      ? []
      : ['  your agent uses it       writ mcp install --client claude (or another one: writ mcp clients)']),
    '  it starts at login       writ service install',
  ];
}
