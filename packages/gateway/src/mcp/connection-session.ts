import type { Sessions } from '../ports.ts';
import type { Caller } from '../types.ts';
import { agentName } from './agent-name.ts';

/** The caller of a call, from what the client calls itself. */
export type WithSession = (clientName: string | undefined) => Caller;

/**
 * One session for all calls of a connection, started with the first of them; a caller that brings one keeps it.
 * INVARIANT: 7 the session of a connection is made here, once, and never named by the client.
 */
export function sessionOf(sessions: Pick<Sessions, 'start'>, caller: Caller): WithSession {
  let withSession: Caller | undefined = caller.session === undefined ? undefined : caller;
  return (clientName) => {
    withSession ??= { kind: 'host', session: sessions.start(agentName(clientName)) };
    return withSession;
  };
}

/**
 * No session but the one that the caller brings: what needs one is given one of its own, in the client's name. For
 * requests that nothing ties to each other.
 */
export function namedOnly(caller: Caller): WithSession {
  return (clientName) =>
    caller.kind === 'task' || caller.session !== undefined ? caller : { ...caller, agent: agentName(clientName) };
}
