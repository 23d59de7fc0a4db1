import type { ShownAsker } from './approvals/showing.ts';
import type { Asker } from './record-types.ts';

/** How the person at a node is named where agents have names. */
export const PERSON = 'person';

/** Whether an agent may not be called so: it would be shown as the person. */
export function isReservedAgent(name: string): boolean {
  return name.trim().toLowerCase() === PERSON;
}

/**
 * How it is shown what this machine asks in the name of the person: the host token is all that it took, which its agents
 * have too. `words` are those of this node.
 */
export function personShown(words: string): ShownAsker {
  return { label: 'this machine’s control socket, without the person’s key', words };
}

/**
 * Who asks where the person at this node (by its id) wants something that an approver has to answer. The session is
 * always there and never an agent's: theirs have ids that nobody chooses.
 */
export function personAt(node: string): Asker {
  return { origin: node, session: PERSON, agent: PERSON, requestedBy: PERSON };
}
