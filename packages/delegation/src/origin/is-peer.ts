import type { PolicyEngine } from '@writ/policy';

/** Whether a node is a peer that is not switched off, or this node itself. */
export function isPeer(engine: Pick<PolicyEngine, 'snapshot'>, peer: string): boolean {
  if (peer === 'self') return true;
  const peers = engine.snapshot().config.peers.values();
  return [...peers].some(({ id, enabled }) => enabled && id.toLowerCase() === peer.toLowerCase());
}
