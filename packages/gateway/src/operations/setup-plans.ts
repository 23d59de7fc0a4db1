import { quote, shellWord, WritError } from '@writ/core';
import { setupContract } from '../contract/setup.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import { requireDuration } from './duration.ts';
import { requireName } from './peer-lookup.ts';

/** What a person types for what no agent does: pairing, settings of other programs, services. */
export function setupPlanOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { advice } = ports;
  return [
    implement(setupContract.setup_invite, (wish) => planInvite(ports, wish)),
    implement(setupContract.setup_clients, async () => ({
      clients: (await advice.clients()).map((found) => ({ ...found, install: installCommand(found.client) })),
    })),
    implement(setupContract.setup_client, ({ client }) => {
      const { command, ...steps } = advice.clientSteps(client);
      return { install: installCommand(client), ...(command === undefined ? {} : { command: [...command] }), ...steps };
    }),
    implement(setupContract.setup_service, () => ({ ...advice.service(), install: 'writ service install' })),
  ];
}

const installCommand = (client: string): string => `writ mcp install --client ${shellWord(client)}`;

interface InviteWish {
  readonly profiles: readonly string[];
  readonly workspaces: readonly string[];
  readonly lease?: string | undefined;
}

/** Throws BAD_REQUEST for what is no name or span, NOT_FOUND for what this node does not have. */
function planInvite({ engine, node }: GatewayPorts, { profiles, workspaces, lease }: InviteWish) {
  const { config } = engine.snapshot();
  const named = (what: string, names: readonly string[], known: ReadonlyMap<string, unknown>): string =>
    names
      .map((name) => requireName(what, name))
      .map((name) => {
        if (known.has(name)) return name;
        throw new WritError('NOT_FOUND', `this node has no ${quote(name)} among its ${what}`, {
          nextSteps: [`it has: ${[...known.keys()].join(', ') || 'none'}`],
        });
      })
      .join(',');
  if (lease !== undefined) requireDuration('lease', lease);
  const here = [
    'writ peer invite --profiles',
    named('profiles', profiles, config.profiles),
    ...(workspaces.length === 0 ? [] : ['--workspaces', named('workspaces', workspaces, config.workspaces)]),
    ...(lease === undefined ? [] : ['--lease', lease]),
  ].join(' ');
  const listens = node.info().meshAddress !== undefined;
  return {
    here,
    there: 'writ peer join CODE (the code that the invite prints)',
    notes: [
      'both screens show the same words; a person answers yes at the one that invites',
      ...(listens ? [] : ['this node does not listen, so nobody can join it: invite from the other machine instead']),
    ],
  };
}
