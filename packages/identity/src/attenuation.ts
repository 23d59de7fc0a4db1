import type { WritClaims, WritGrant } from './types.ts';

/**
 * The first field in which `child` is wider than the writ that it follows, or undefined where it lies within it.
 * INVARIANT: 1 at every hop the authority can only shrink.
 */
export function widenedField(parent: WritClaims, child: WritClaims): string | undefined {
  if (child.depth >= parent.depth) return 'depth';
  if (child.exp > parent.exp) return 'exp';
  return widenedGrantField(parent.grant, child.grant);
}

function widenedGrantField(parent: WritGrant, child: WritGrant): string | undefined {
  if (!isSubset(child.closure, parent.closure)) return 'grant.closure';
  if (!isSubset(child.workspaces, parent.workspaces)) return 'grant.workspaces';
  if (!isNetworkWithin(child.network, parent.network)) return 'grant.network';
  if (child.maxOutputBytes > parent.maxOutputBytes) return 'grant.maxOutputBytes';
  return undefined;
}

function isSubset(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((one) => whole.includes(one));
}

function isNetworkWithin(inner: WritGrant['network'], outer: WritGrant['network']): boolean {
  if (inner === 'deny' || outer === 'allow') return true;
  if (inner === 'allow' || outer === 'deny') return false;
  return isSubset(inner, outer);
}
