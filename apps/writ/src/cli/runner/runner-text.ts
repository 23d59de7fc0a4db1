import { visible } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import { type Output, table } from '../output.ts';

/** What a node says of its runners; without one `runners` is empty. */
export type ListedRunners = OperationOutput<'runner_list'>;

const SANDBOX: Readonly<Record<NonNullable<ListedRunners['agents'][number]['sandbox']>, string>> = {
  runs: 'runs',
  unknown: 'there',
  'not-shown': 'not shown',
  fails: 'fails',
  'no-sandbox': 'none here',
};

/** Two tables: what is configured, and which agents there are. */
export function listText({ runners, agents }: ListedRunners): string {
  const configured = table(
    ['runner', 'kind', 'program', 'in a sandbox', 'profiles'],
    runners.map(({ name, kind, program, path, sandbox, profiles }) => [
      ...[name, kind, program === undefined ? 'each request’s own' : (path ?? `${program} (not found)`)],
      ...[sandbox === undefined ? '-' : SANDBOX[sandbox], profiles.join(', ') || '-'],
    ]),
  );
  const known = table(
    ['agent', 'version', 'in a sandbox', 'asks a person', 'tells', 'runners'],
    agents.map(({ name, installed, version, sandbox, asks_leave: asks, usage, runners: used }) => [
      ...[name, installed ? (version ?? '?') : 'not installed', sandbox === undefined ? '-' : SANDBOX[sandbox]],
      ...[asks ? 'yes' : 'no', usage.join(', ') || '-', used.join(', ') || '-'],
    ]),
  );
  return runners.length === 0 ? known : `${configured}\n\n${known}`;
}

/** What stands in the way, with what to do; and of the agents that are there how to use them. */
export function doctorText(listed: ListedRunners, step: Output['step']): string {
  const { runners, agents, sandbox } = listed;
  const lines = (head: string, steps: readonly string[]): string[] => [visible(head), ...steps.map(step)];
  return [
    `sandbox: ${visible(sandbox)}`,
    ...runners.flatMap(({ name, kind, path, problems }) =>
      problems.length === 0
        ? [`runner ${name} (${kind}): ok${path === undefined ? '' : `, ${visible(path)}`}`]
        : problems.flatMap(({ profile, message, next_steps: steps }) =>
            lines(`runner ${name} (${kind})${profile === undefined ? '' : `, profile ${profile}`}: ${message}`, steps),
          ),
    ),
    ...agents.flatMap((agent) => lines(...agentSays(agent))),
  ].join('\n');
}

/** How it is, and what to do. */
function agentSays({
  name,
  kind,
  argv,
  path,
  version,
  problem,
  next_steps: steps,
  runners,
}: ListedRunners['agents'][number]): [string, readonly string[]] {
  const head = `agent ${name}${version === undefined ? '' : ` ${visible(version)}`}`;
  if (problem !== undefined) return [`${head}: ${problem}`, steps];
  const used = runners.length > 0 ? [] : [`to use it, in writ.toml: ${exampleOf(kind, argv)}`];
  return [`${head}: ok, ${visible(path ?? '')}${runners.length > 0 ? '' : '; no runner starts it'}`, used];
}

function exampleOf(kind: string, argv: readonly string[]): string {
  const head = `[runners.${argv[0]}] with kind = "${kind}"`;
  return kind === 'acp' ? `${head} and argv = ${JSON.stringify(argv)}` : head;
}
