import { WritError } from '@writ/core';
import type { SetupAdvice } from '@writ/gateway';
import { registrationOf, registrationSteps } from '../clients/registration.ts';
import { CLIENT_NAMES } from '../clients/types.ts';
import { mcpServerCommand, openClientWorld } from '../clients/world.ts';
import type { Environment } from '../env.ts';
import type { Home } from '../home.ts';
import { describeService, isInstalled } from '../service/service.ts';

/** What a person types to tell agents of this node, and to have it started; looks, and changes nothing. */
export function createSetupAdvice(home: Home, environment: Environment): SetupAdvice {
  const server = mcpServerCommand(home);
  return {
    async clients() {
      const world = openClientWorld(environment);
      const found = await Promise.all(CLIENT_NAMES.map((name) => registrationOf(world, name, server)));
      return found.map(({ client, isHere, state, file }) => ({ client, here: isHere, state, file }));
    },
    clientSteps(client) {
      const name = CLIENT_NAMES.find((known) => known === client);
      if (name === undefined) {
        throw new WritError('NOT_FOUND', 'there is no such agent', {
          nextSteps: [`one of: ${CLIENT_NAMES.join(', ')}`],
        });
      }
      const { command, file, settings } = registrationSteps(openClientWorld(environment), name, server);
      return { ...(command === undefined ? {} : { command }), file, settings };
    },
    service() {
      const { manager, file, text } = describeService(home, environment, process.platform);
      return { kind: manager.kind, file, text, installed: isInstalled(file) };
    },
  };
}
