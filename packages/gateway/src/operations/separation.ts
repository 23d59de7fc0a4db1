import { WritError } from '@writ/core';
import type { GatewayPorts } from '../gateway-ports.ts';

/**
 * Refuses what gives somebody more where an approver has to answer for it: the host token alone is an agent's too.
 * Throws NOT_APPROVER; `type` is the command that asks.
 */
export function refuseAlone({ person }: Pick<GatewayPorts, 'person'>, what: string, type: string): void {
  if (!person.hasApprover()) return;
  throw new WritError('NOT_APPROVER', `${what} needs the yes of an approver of this node`, {
    nextSteps: [`type at a terminal: ${type}`],
  });
}
