import { isReservedAgent } from '@writ/authority';
import { quote, WritError } from '@writ/core';
import { sessionContract } from '../contract/sessions.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import { actor } from './actor.ts';
import { requireName } from './peer-lookup.ts';

/** Most sessions of a list. */
const MOST = 1000;

/** Sessions of this machine's own agents. */
export function sessionOperations({ sessions }: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(sessionContract.session_start, ({ agent }) => {
      const name = requireName('agent', agent);
      if (isReservedAgent(name)) {
        throw new WritError('BAD_REQUEST', `${quote(name)} is the name of the person here, and of no agent`, {
          nextSteps: ['give the agent another name'],
        });
      }
      const { session, credential } = sessions.issue(name);
      return { session: session.id, origin: session.origin, agent: session.agent, credential };
    }),
    implement(sessionContract.session_list, () => ({
      sessions: sessions.listOpen(MOST).map(({ id, origin, agent, startedAtMs }) => ({
        session: id,
        origin,
        agent,
        started_at_ms: startedAtMs,
      })),
    })),
    implement(sessionContract.session_end, ({ session: named }, { caller }) => {
      const session = named ?? caller.session?.id;
      if (session === undefined) {
        throw new WritError('BAD_REQUEST', 'say which session ends', { nextSteps: ['writ session list'] });
      }
      return { session, ...sessions.end(session, actor(caller)) };
    }),
  ];
}
