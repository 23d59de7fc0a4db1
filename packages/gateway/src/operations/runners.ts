import { basename } from 'node:path';
import { quote } from '@writ/core';
import type { Config, Profile, RunnerConfig } from '@writ/policy';
import type { OperationOutput } from '../client/types.ts';
import { runnerContract } from '../contract/runners.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { AgentFound, MachineAgents, ProgramFound } from '../ports.ts';

type Listed = OperationOutput<'runner_list'>;
type Runner = Listed['runners'][number];
type Problem = Runner['problems'][number];

/** What does the work on this machine; for a person. */
export function runnerOperations({ engine, node, agents }: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(runnerContract.runner_list, async () => {
      const { config } = engine.snapshot();
      const found = await agents.agents();
      const runners = [...config.runners.values()];
      return {
        sandbox: await node.sandbox(),
        runners: await Promise.all(runners.map((runner) => runnerOf(config, runner, found, agents))),
        agents: found.map((one) => agentOf(one, runners)),
      };
    }),
  ];
}

/** The program that a runner starts; undefined: each request names its own. */
function programOf({ kind, argv }: RunnerConfig): string | undefined {
  return argv[0] ?? (kind === 'shell' || kind === 'command' ? undefined : kind);
}

function agentOf(
  { agent, found, problem, nextSteps }: AgentFound,
  runners: readonly RunnerConfig[],
): Listed['agents'][number] {
  return {
    name: agent.program,
    kind: agent.kind,
    argv: [agent.program, ...agent.args],
    installed: found !== undefined,
    ...(found === undefined ? {} : { path: found.path, sandbox: found.sandbox }),
    ...(found?.version === undefined ? {} : { version: found.version }),
    asks_leave: agent.asksLeave,
    usage: [...agent.usage],
    runners: runners.filter((runner) => basename(programOf(runner) ?? '') === agent.program).map(({ name }) => name),
    ...(problem === undefined ? {} : { problem }),
    next_steps: [...nextSteps],
  };
}

async function runnerOf(
  config: Config,
  runner: RunnerConfig,
  found: readonly AgentFound[],
  agents: MachineAgents,
): Promise<Runner> {
  const { name, kind } = runner;
  const program = programOf(runner);
  const profiles = [...config.profiles.values()].filter((profile) => profile.runner === name);
  const base = { name, kind, profiles: profiles.map((profile) => profile.name) };
  if (program === undefined) return { ...base, problems: [] };
  const known = found.find(({ agent }) => agent.program === basename(program));
  const place =
    known?.found !== undefined && program === known.agent.program ? known.found : await agents.program(program);
  const problems =
    place === undefined
      ? notFound(program, known, profiles.length > 0)
      : profiles.flatMap((profile) => problemsOf(kind, place, profile));
  return {
    ...base,
    program,
    ...(place === undefined ? {} : { path: place.path, sandbox: place.sandbox }),
    ...(known === undefined ? {} : { agent: known.agent.program }),
    problems,
  };
}

function notFound(program: string, known: AgentFound | undefined, isUsed: boolean): Problem[] {
  // A path in the workspace is another program for each task.
  if (program.includes('/') && !program.startsWith('/')) return [];
  return [
    {
      message: `program ${quote(program)} was not found${isUsed ? ': its profiles end with RUNNER_UNAVAILABLE' : ''}`,
      next_steps:
        known === undefined ? [`install ${quote(program)}, or name it by its absolute path`] : [...known.nextSteps],
    },
  ];
}

/** What keeps the tasks of one profile from being done, as far as the configuration shows it. */
function problemsOf(kind: RunnerConfig['kind'], place: ProgramFound, profile: Profile): Problem[] {
  const isConfined = profile.isolation === 'required';
  const isAgent = kind !== 'command' && kind !== 'shell';
  const problems: Omit<Problem, 'profile'>[] = [];
  if (isConfined && place.sandbox === 'no-sandbox') {
    problems.push({
      message: 'it requires isolation, and this machine has no sandbox',
      next_steps: [
        'install bubblewrap',
        'or write isolation = "none" in the profile: its tasks run as your own user then',
      ],
    });
  }
  if (isConfined && place.sandbox === 'not-shown' && profile.readPaths.length === 0) {
    problems.push({
      message: `its sandbox does not show ${quote(place.path)}`,
      next_steps: [
        'install it for everybody, below /usr or /opt',
        'or give the profile `read_files`, and name its folder in `read_paths`',
      ],
    });
  }
  if (isConfined && isAgent && !profile.closure.includes('use_network')) {
    problems.push({
      message: 'its agent reaches no network, and so no model',
      next_steps: ['grant `use_network`, and name the host and port of its service in `network`'],
    });
  }
  return problems.map((problem) => ({ profile: profile.name, ...problem }));
}
