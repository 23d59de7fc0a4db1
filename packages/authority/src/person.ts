import type { Asker } from './record-types.ts';

/** How the person at a node is named where agents have names. */
export const PERSON = 'person';

/**
 * Who asks where the person at this node (by its id) wants something that an approver has to answer. The session is
 * always there and never an agent's: theirs have ids that nobody chooses.
 */
export function personAt(node: string): Asker {
  return { origin: node, session: PERSON, agent: PERSON, requestedBy: PERSON };
}
