import { type Clock, digestJson, type Json, type Random, WritError } from '@writ/core';
import type { TaskContext, WritIssuer } from '@writ/delegation';
import { extendWrit, issueWrit, type NodeIdentity, readWritClaims, type WritClaims, writDigest } from '@writ/identity';
import { CAPABILITIES, type PeerConfig, type PolicyEngine } from '@writ/policy';

const NONCE_BYTES = 16;

/** The part of the claims that says how far the authority goes. */
type Reach = Pick<WritClaims, 'origin' | 'grant' | 'depth' | 'exp' | 'prev'>;

/** What signs this node's own hops. */
export interface WritIssuerOptions {
  readonly identity: NodeIdentity;
  readonly engine: PolicyEngine;
  readonly clock: Clock;
  readonly random: Random;
  /** How long a writ or an extension is good for, seconds: the real bound on revocation across a partition. */
  readonly lifeS: number;
}

/** Signs this node's own hops, and lets them live longer. */
export function createWritIssuer({ identity, engine, clock, random, lifeS }: WritIssuerOptions): WritIssuer {
  return {
    extend(writ, mostMs) {
      const iat = Math.floor(clock.nowMs() / 1000);
      const exp = Math.min(iat + lifeS, Math.floor(mostMs / 1000));
      return exp > (readWritClaims(writ)?.exp ?? exp) ? extendWrit(identity, writ, { iat, exp }) : undefined;
    },
    issue({ to, task, spec, session, agent, generation, nonce, parent }) {
      const { config } = engine.snapshot();
      const peer = [...config.peers.values()].find((candidate) => candidate.id === to);
      const iat = Math.floor(clock.nowMs() / 1000);
      const reach = parent
        ? reachOfChild(parent, peer, { iat, lifeS }, identity.public.id)
        : reachOfFirst(identity.public.id, peer, config.node.maxChain, iat + lifeS);
      return issueWrit(identity, {
        v: 1,
        iss: identity.public.id,
        aud: to,
        task,
        session,
        agent,
        ...(spec.profile === undefined ? {} : { profile: spec.profile }),
        ...(spec.workspace === undefined ? {} : { workspace: spec.workspace }),
        ...reach,
        iat,
        nonce: nonce ?? Buffer.from(random.bytes(NONCE_BYTES)).toString('hex'),
        request: digestJson(spec as unknown as Json),
        generation,
      });
    },
  };
}

/** The origin's grant is the whole vocabulary, written out; its own outbound rules have bound the names already. */
function reachOfFirst(self: string, peer: PeerConfig | undefined, maxChain: number, exp: number): Reach {
  return {
    origin: self,
    grant: {
      closure: [...CAPABILITIES, 'shell'].sort(),
      workspaces: [...(peer?.outbound.workspaces ?? [])].sort(),
      network: 'allow',
      maxOutputBytes: Number.MAX_SAFE_INTEGER,
    },
    depth: maxChain - 1,
    exp,
  };
}

/**
 * INVARIANT: 1 a child is given at most what its parent has: the same or fewer capabilities, workspaces, hosts and
 * bytes, one hop less, and no longer than the parent may run. Throws WRIT_EXPIRED where it has no second left.
 */
function reachOfChild(
  parent: TaskContext,
  peer: PeerConfig | undefined,
  { iat, lifeS }: { readonly iat: number; readonly lifeS: number },
  self: string,
): Reach {
  const exp = Math.min(iat + lifeS, Math.floor(parent.expiresAtMs / 1000));
  if (exp <= iat) throw new WritError('WRIT_EXPIRED', 'the task that asks ends before anything could start');
  const before = parent.writs.at(-1);
  return {
    origin: parent.origin === 'self' ? self : parent.origin,
    grant: {
      closure: parent.closure,
      workspaces: parent.workspaces.filter((name) => peer?.outbound.workspaces.includes(name)),
      network: parent.network,
      maxOutputBytes: parent.maxOutputBytes,
    },
    depth: parent.depth - 1,
    exp,
    ...(before === undefined ? {} : { prev: writDigest(before) }),
  };
}
