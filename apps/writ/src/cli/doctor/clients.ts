import { quote, visible } from '@writ/core';
import type { Registration } from '../../clients/registration.ts';
import { CLIENT_NAMES } from '../../clients/types.ts';
import { hasNode } from '../../home.ts';
import { type Finding, fine, type Look } from './types.ts';

const CHECK = 'mcp';

/** Looks whether the agents of this machine know the node. */
export const lookAtClients: Look = async ({ context: { environment, home } }) => {
  if (!hasNode(home) || environment.homeDir === undefined) return [];
  const [{ registrationOf }, { mcpServerCommand, openClientWorld }] = await Promise.all([
    import('../../clients/registration.ts'),
    import('../../clients/world.ts'),
  ]);
  const world = openClientWorld(environment);
  const server = mcpServerCommand(home);
  return registrationFindings(await Promise.all(CLIENT_NAMES.map((name) => registrationOf(world, name, server))));
};

/** What is to be said of the agents that are here. */
export function registrationFindings(all: readonly Registration[]): readonly Finding[] {
  const found = all.filter(({ isHere }) => isHere).map(registrationFinding);
  if (found.length > 0) return found;
  const mend = ['writ mcp clients'];
  return [{ check: CHECK, state: 'note', says: 'no agent that could ask the node was found', mend }];
}

function registrationFinding({ client, title, file, state, problem = '' }: Registration): Finding {
  const check = CHECK;
  const install = `writ mcp install --client ${client}`;
  switch (state) {
    case 'registered':
      return fine(check, `${title} knows this node`);
    case 'absent':
      return { check, state: 'note', says: `${title} is here and does not know this node`, mend: [install] };
    case 'other':
      return {
        check,
        state: 'warning',
        says: `${title} starts writ from another place, or with another home`,
        mend: [install],
      };
    case 'foreign': {
      const says = `${title} has something else by the name of this node in ${quote(file)}`;
      return { check, state: 'warning', says, mend: [`look at it, and take it out if it may go, then: ${install}`] };
    }
    case 'unreadable': {
      const says = `the settings of ${title} cannot be read: ${visible(problem)}`;
      return { check, state: 'warning', says, mend: [`mend ${file}, then: ${install}`] };
    }
  }
}
