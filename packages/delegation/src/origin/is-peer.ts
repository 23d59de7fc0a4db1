import { foldId } from '@writ/core';
import type { PolicyEngine } from '@writ/policy';

/** Whether a node is a peer that is not switched off, or this node itself. */
export function isPeer(engine: Pick<PolicyEngine, 'snapshot'>, peer: string): boolean {
  return peer === 'self' || engine.snapshot().peer(foldId(peer))?.enabled === true;
}
