import { PERSON } from './person.ts';
import type { Asker } from './record-types.ts';
import { isOfOneCall } from './session-ids.ts';
import { SELF } from './subject.ts';

/** What says in whose name something is asked for. */
export type WhoAsks = Pick<Asker, 'requestedBy' | 'session' | 'task'>;

/** Agent name of a call that belongs to no agent's connection: the command line's. No MCP client is called so. */
export const COMMAND_LINE = 'cli';

/**
 * Whether somebody at this machine's command line asks who named no session: its person, as far as anybody can tell. A
 * session that was started is an agent's, and so is every connection of an MCP client.
 */
export function isOfCommandLine({ session, agent }: { readonly session: string; readonly agent: string }): boolean {
  return isOfOneCall(session) && agent === COMMAND_LINE;
}

/** A call of this node without a session: each has one of its own, so that they are counted together. */
export function isWithoutSession({ requestedBy, session, task }: WhoAsks): boolean {
  return requestedBy === SELF && task === undefined && isOfOneCall(session);
}

/** Whether another node asks. */
export function isOfPeer({ requestedBy }: Pick<WhoAsks, 'requestedBy'>): boolean {
  return requestedBy !== SELF && requestedBy !== PERSON;
}

/**
 * In which line somebody's commands wait: a peer is one whatever sessions and tasks it has, so are all agents of this node, and so is
 * who asks without a session. What one of them has waiting keeps no other waiting.
 */
export function laneOf(asker: WhoAsks): string {
  return isWithoutSession(asker) ? 'calls without a session' : asker.requestedBy;
}

/** Whose turn it is before anybody has decided: a task's by itself, else that of the lane. */
export function whoseTurn(asker: WhoAsks): string {
  return asker.task === undefined ? laneOf(asker) : `task ${asker.task}`;
}

/** The least that is counted as one of those who ask. */
export interface OneAsker {
  readonly kind: 'task' | 'session' | 'peer' | 'calls';
  /** No other one has it. */
  readonly key: string;
  /** What it is counted with, where one more of its kind costs nobody anything. */
  readonly all?: string;
}

/** As which one somebody is counted: by nothing that the asker names itself, but for the sessions of this node's agents. */
export function oneAsker(asker: WhoAsks & Pick<Asker, 'origin'>): OneAsker {
  const { origin, session, task, requestedBy } = asker;
  if (task !== undefined) return { kind: 'task', key: `task ${task}`, all: `tasks of ${requestedBy}` };
  if (isWithoutSession(asker)) return { kind: 'calls', key: 'calls' };
  if (isOfPeer(asker)) return { kind: 'peer', key: `peer ${requestedBy}` };
  return { kind: 'session', key: `session ${origin} ${session}`, all: 'sessions' };
}
