import { WritError } from '@writ/core';
import type { LeaseView, OperationInput } from '@writ/gateway/client';
import type { LocalNode } from './local-node.ts';

/** Lends as the person of the node does: asks, and signs the yes. Throws NOT_APPROVER where nobody was enrolled. */
export async function lend(node: LocalNode, terms: OperationInput<'lease_grant'>): Promise<LeaseView> {
  if (node.person === undefined) throw new WritError('NOT_APPROVER', `nobody was enrolled at ${node.name}`);
  return node.person.lend(node.client(), terms);
}
