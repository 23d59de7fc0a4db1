import { toWritError, visible } from '@writ/core';
import { hasNode } from '../../home.ts';
import { machineAlone } from '../runner/machine-alone.ts';
import type { ListedRunners } from '../runner/runner-text.ts';
import { type Finding, fine, type Look } from './types.ts';

const CHECK = 'runners';

/** Looks at what does the work: as the node finds it, or where none runs, from here. */
export const lookAtRunners: Look = async ({ context, status }) => {
  if (!hasNode(context.home)) return [];
  try {
    const listed = status === undefined ? machineAlone(context) : context.node().call('runner_list', {});
    return runnerFindings(await listed);
  } catch (error) {
    const { message, nextSteps } = toWritError(error);
    return [{ check: CHECK, state: 'warning', says: `they cannot be looked at: ${message}`, mend: nextSteps }];
  }
};

/** What is to be said of the runners that profiles use, and of agents that none of them starts. */
export function runnerFindings({ runners, agents }: ListedRunners): readonly Finding[] {
  const check = CHECK;
  const found = runners
    .filter(({ profiles }) => profiles.length > 0)
    .flatMap(({ name, problems }): readonly Finding[] =>
      problems.map(({ profile, message, next_steps: mend }) => {
        const where = profile === undefined ? name : `${name}, profile ${profile}`;
        return {
          check,
          state: 'warning',
          says: `${where}: ${visible(message)}`,
          mend: [...mend, 'writ runner doctor'],
        };
      }),
    );
  const here = agents.filter(({ installed }) => installed);
  const idle = here.filter((agent) => agent.runners.length === 0).map(({ name }) => name);
  if (here.length === 0) {
    const says = 'no agent that could do work was found; commands run without one';
    return [...found, { check, state: 'note', says, mend: ['writ runner list'] }];
  }
  if (idle.length > 0) {
    const says = `no runner starts ${idle.join(', ')}`;
    return [...found, { check, state: 'note', says, mend: ['writ runner doctor'] }];
  }
  return found.length > 0 ? found : [fine(check, `agents that do work: ${here.map(({ name }) => name).join(', ')}`)];
}
