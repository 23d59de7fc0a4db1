import { quote } from '@writ/core';
import { argumentList } from './argument-list.ts';
import { traceStep } from './decide.ts';
import { joinPath } from './key-path.ts';
import type { PolicyIndex } from './policy-index.ts';
import { deny, type Note, pass, type Refusal } from './step.ts';
import type { Decision, UpstreamConfig, UpstreamRequest } from './types.ts';

/** Every tool of a server, whatever it is called. */
const EVERY = '*';

/** Whether a tool of an upstream MCP server may be called. What no list names is denied. */
export function decideUpstreamWith(index: PolicyIndex, request: UpstreamRequest, generation: number): Decision {
  const upstream = index.config.upstreams.get(request.upstream);
  const finding = upstream === undefined ? unknown(request) : check(upstream, request);
  const denied = 'effect' in finding ? finding : undefined;
  return {
    effect: denied ? 'deny' : 'allow',
    code: denied?.code ?? 'OK',
    message: denied?.message ?? `the tool ${quote(request.tool)} of ${quote(request.upstream)} may be called`,
    nextSteps: denied?.nextSteps ?? [],
    generation,
    get trace() {
      return [traceStep('upstream tool', finding, index)];
    },
  };
}

function unknown({ upstream }: UpstreamRequest): Refusal {
  return deny('PROFILE_NOT_ALLOWED', `there is no upstream ${quote(upstream)}`, ['list the tools again']);
}

function check(upstream: UpstreamConfig, { tool, profile }: UpstreamRequest): Refusal | Note {
  const key = profile === undefined ? 'agents' : 'tasks';
  const path = joinPath(joinPath('upstreams', upstream.name), key);
  const who = profile === undefined ? 'agents of this node' : `tasks under profile ${quote(profile)}`;
  const isNamed = covers(upstream[key], tool) && (profile === undefined || upstream.profiles.includes(profile));
  if (isNamed) return pass(`${who} may call ${quote(tool)}`, path);
  const next =
    profile === undefined
      ? `a person adds ${quote(tool)} to ${path} and runs: writ policy reload --accept`
      : `a person adds ${quote(tool)} to ${path}, the profile to its profiles, and runs: writ policy reload --accept`;
  return deny('PROFILE_NOT_ALLOWED', `${who} may not call ${quote(tool)} of ${quote(upstream.name)}`, [next], path);
}

function covers(tools: readonly string[], tool: string): boolean {
  return tools.includes(EVERY) || tools.includes(tool);
}

/** What both lists name. */
function meetTools(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.includes(EVERY)) return b;
  return b.includes(EVERY) ? a : a.filter((tool) => b.includes(tool));
}

/** What both give: the server as `accepted` has it, and the tools that both let be called. */
export function meetUpstreams(accepted: UpstreamConfig, current: UpstreamConfig): UpstreamConfig {
  return {
    ...accepted,
    agents: meetTools(accepted.agents, current.agents),
    tasks: meetTools(accepted.tasks, current.tasks),
    profiles: accepted.profiles.filter((name) => current.profiles.includes(name)),
  };
}

/** Whether `after` is another server than `before`, or lets more of it be called. */
export function widerUpstream(before: UpstreamConfig | undefined, after: UpstreamConfig): boolean {
  if (before === undefined) return true;
  return JSON.stringify(meetUpstreams(before, after)) !== JSON.stringify(after);
}

/** Where a server is, what it is given and who may call what of it, for people. */
export function describeUpstream(upstream: UpstreamConfig): string {
  const { command, url, env, sessionArgument, agents, tasks, profiles } = upstream;
  const tools = (names: readonly string[]): string => (names.includes(EVERY) ? 'every tool' : names.join(', '));
  return [
    command === undefined ? `at ${url ?? ''}` : `started as ${argumentList(command)}`,
    ...(env.length === 0 ? [] : [`it sees ${env.join(', ')}`]),
    ...(sessionArgument === undefined ? [] : [`it is told the session as ${sessionArgument}`]),
    ...(agents.length === 0 ? [] : [`agents may call ${tools(agents)}`]),
    ...(tasks.length === 0 ? [] : [`tasks under ${profiles.join(', ')} may call ${tools(tasks)}`]),
  ].join('; ');
}
