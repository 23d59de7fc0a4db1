import type { WritClaims } from '@writ/delegation';
import type { z } from 'zod';
import type { hopField } from '../contract/fields.ts';
import type { LabelOf } from './task-view.ts';

type Hop = z.input<typeof hopField>;
type Loss = Hop['took_away'];

/** The hops of a chain, first one first, each with what it took away from the one before. */
export function viewHops(claims: readonly WritClaims[], labelOf: LabelOf): Hop[] {
  return claims.map((hop, at) => {
    const { grant } = hop;
    return {
      from: hop.iss,
      from_label: labelOf(hop.iss),
      to: hop.aud,
      to_label: labelOf(hop.aud),
      task: hop.task,
      ...(hop.profile === undefined ? {} : { profile: hop.profile }),
      ...(hop.workspace === undefined ? {} : { workspace: hop.workspace }),
      capabilities: [...grant.closure],
      workspaces: [...grant.workspaces],
      network: networkText(grant.network),
      max_output_bytes: grant.maxOutputBytes,
      depth: hop.depth,
      expires_at_ms: hop.exp * 1000,
      took_away: lossOf(claims[at - 1], hop),
    };
  });
}

function lossOf(before: WritClaims | undefined, now: WritClaims): Loss {
  if (before === undefined) return { capabilities: [], workspaces: [], depth: 0, ms: 0 };
  const network = networkText(before.grant.network);
  const outputBytes = before.grant.maxOutputBytes - now.grant.maxOutputBytes;
  return {
    capabilities: without(before.grant.closure, now.grant.closure),
    workspaces: without(before.grant.workspaces, now.grant.workspaces),
    ...(network === networkText(now.grant.network) ? {} : { network }),
    ...(outputBytes === 0 ? {} : { output_bytes: outputBytes }),
    depth: before.depth - now.depth,
    ms: (before.exp - now.exp) * 1000,
  };
}

/** Members of `whole` that `part` lacks. */
export function without(whole: readonly string[], part: readonly string[]): string[] {
  return whole.filter((one) => !part.includes(one));
}

function networkText(network: WritClaims['grant']['network']): string {
  return typeof network === 'string' ? network : network.join(', ');
}
