import { realpath } from 'node:fs/promises';
import { quote, visible } from '@writ/core';
import { bubblewrapArgv } from '../sandbox/bubblewrap.ts';
import type { Executed } from '../sandbox/probe.ts';
import { findProgram, showsProgram } from '../sandbox/program.ts';
import { isOfSystem, type SystemView } from '../sandbox/system-view.ts';
import type { Confinement, SandboxReport } from '../sandbox/types.ts';
import { KNOWN_AGENTS } from './known-agents.ts';
import type { AgentFinder, FoundAgent, FoundProgram, InSandbox, KnownAgent } from './types.ts';

/** What agents are looked for with. */
export interface AgentFinderParts {
  /** Where programs are looked for. */
  readonly path: string;
  /** Files and folders of programs that every sandbox shows, absolute. */
  readonly programs: readonly string[];
  /** What a sandbox of this machine can do, and the system that it shows. */
  readonly sandbox: () => Promise<{ readonly report: SandboxReport; readonly view: SystemView }>;
  /** Runs an argv to its end, with no environment and these bytes on `TOLD_FD`; never rejects. */
  readonly execute: (argv: readonly string[], told?: Uint8Array) => Promise<Executed>;
}

const VERSION = /\d+\.\d+[\w.+-]*/;
/** The home of an agent that only says its version outside a sandbox: a folder that is not there, so that it writes to none. */
const NO_HOME = '/nonexistent';
/** Inside, the folder is its own and gone afterwards. */
const INSIDE_HOME = '/tmp';

/** Looks for agents by PATH, and starts those that are there in a sandbox, where there is one. */
export function createAgentFinder(parts: AgentFinderParts): AgentFinder {
  const program: AgentFinder['program'] = async (name) => {
    const path = name.startsWith('/') ? name : name.includes('/') ? undefined : await findProgram(name, parts.path);
    if (path === undefined || (await realpath(path).catch(() => undefined)) === undefined) return undefined;
    return { path, sandbox: await whetherShown(parts, path) };
  };
  return {
    program,
    agents: () =>
      Promise.all(
        KNOWN_AGENTS.map(async (agent) => {
          const found = await program(agent.program);
          return found === undefined ? missing(agent) : lookAt(parts, agent, found);
        }),
      ),
  };
}

async function whetherShown(parts: AgentFinderParts, path: string): Promise<InSandbox> {
  const { report, view } = await parts.sandbox();
  if (!report.available) return 'no-sandbox';
  return (await showsProgram(path, parts.path, await confinementOf(parts, view), view)) ? 'unknown' : 'not-shown';
}

/** A sandbox with nothing but the system and the node's own programs. */
async function confinementOf({ programs }: AgentFinderParts, view: SystemView): Promise<Confinement> {
  const real = await Promise.all(programs.map((path) => realpath(path).catch(() => undefined)));
  const shown = real.flatMap((path) => path ?? []).filter((path) => !isOfSystem(view, path));
  return { cwd: INSIDE_HOME, mounts: shown.map((path) => ({ path, as: 'read' })) };
}

async function lookAt(
  parts: AgentFinderParts,
  agent: KnownAgent,
  { path, sandbox }: FoundProgram,
): Promise<FoundAgent> {
  if (agent.version === undefined) return judged(agent, { path, sandbox });
  const { report, view } = await parts.sandbox();
  const isInside = report.available && sandbox === 'unknown';
  const asked = await versionArgv(parts, [path, ...agent.version], isInside ? INSIDE_HOME : NO_HOME);
  const tried = isInside
    ? await parts.execute(
        bubblewrapArgv(report.features, view, await confinementOf(parts, view), asked),
        report.features.filter,
      )
    : await parts.execute(asked);
  const version = VERSION.exec(tried.stdout)?.[0];
  if (tried.exitCode !== 0) {
    const said = lastLine(tried.said) || lastLine(tried.stdout) || 'it says nothing';
    if (isInside) return judged(agent, { path, sandbox: 'fails' }, said);
  }
  const found = { path, sandbox: isInside ? ('runs' as const) : sandbox };
  return judged(agent, version === undefined ? found : { ...found, version });
}

/** With PATH alone, by `env`: what is started gets nothing of the node's environment. */
async function versionArgv(
  { path }: AgentFinderParts,
  argv: readonly string[],
  home: string,
): Promise<readonly string[]> {
  const env = (await findProgram('env', path)) ?? '/usr/bin/env';
  return [env, '-i', `PATH=${path}`, `HOME=${home}`, ...argv];
}

function missing(agent: KnownAgent): FoundAgent {
  return {
    agent,
    problem: 'not installed',
    nextSteps: [`on this machine, for everybody: ${agent.install}`, 'then: writ runner doctor'],
  };
}

function judged(agent: KnownAgent, found: NonNullable<FoundAgent['found']>, said = ''): FoundAgent {
  const { path, sandbox } = found;
  switch (sandbox) {
    case 'runs':
    case 'unknown':
      return { agent, found, nextSteps: [] };
    case 'no-sandbox':
      return {
        ...{
          agent,
          found,
          problem: 'this machine has no sandbox: it runs only under a profile with isolation = "none"',
        },
        nextSteps: ['install bubblewrap', 'writ status says what the sandbox lacks'],
      };
    case 'not-shown':
      return {
        ...{ agent, found, problem: `no sandbox shows ${quote(path)}: it lies outside the system’s folders` },
        nextSteps: [
          `install it for everybody, below /usr or /opt: ${agent.install}`,
          'or give its profile `read_files`, and name its folder in `read_paths`',
        ],
      };
    case 'fails':
      return {
        ...{ agent, found, problem: `it does not start in a sandbox: ${quote(visible(said))}` },
        nextSteps: ['install what it needs for everybody, below /usr or /opt', `or install it anew: ${agent.install}`],
      };
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
