import { type Clock, digestJson, type Json, type Random } from '@writ/core';
import type { TaskContext, WritIssuer } from '@writ/delegation';
import { extendWrit, issueWrit, type NodeIdentity, readWritClaims, type WritClaims, writDigest } from '@writ/identity';
import { CAPABILITIES, type PolicyEngine } from '@writ/policy';

/** What the first writ of a test's chain passes on. */
export interface TestGrant {
  readonly grant?: WritClaims['grant'];
  /** Absent: one hour. */
  readonly lifeS?: number;
  /** Absent: 5. */
  readonly depth?: number;
}

/** Signs real writs; a first one grants the whole vocabulary and every workspace of the peer, unless a test says less. */
export function createTestIssuer(options: {
  readonly identity: NodeIdentity;
  readonly engine: PolicyEngine;
  readonly clock: Clock;
  readonly random: Random;
  readonly first?: TestGrant;
}): WritIssuer {
  const { identity, engine, clock, random, first = {} } = options;
  const self = identity.public.id;
  return {
    extend(writ, mostMs) {
      const iat = Math.floor(clock.nowMs() / 1000);
      const exp = Math.min(iat + (first.lifeS ?? 3600), Math.floor(mostMs / 1000));
      return exp > (readWritClaims(writ)?.exp ?? 0) ? extendWrit(identity, writ, { iat, exp }) : undefined;
    },
    issue({ to, task, spec, session, agent, generation, nonce, parent }) {
      const peer = [...engine.snapshot().config.peers.values()].find(({ id }) => id === to);
      const iat = Math.floor(clock.nowMs() / 1000);
      const whole = {
        closure: [...CAPABILITIES, 'shell'].sort(),
        workspaces: [...(peer?.outbound.workspaces ?? [])].sort(),
        network: 'allow',
        maxOutputBytes: Number.MAX_SAFE_INTEGER,
      } as const;
      const reach = parent
        ? childReach(parent, self, iat + (first.lifeS ?? 3600))
        : { origin: self, grant: first.grant ?? whole, depth: first.depth ?? 5, exp: iat + (first.lifeS ?? 3600) };
      return issueWrit(identity, {
        ...{ v: 1, iss: self, aud: to, task, session, agent, generation, iat },
        ...(spec.profile === undefined ? {} : { profile: spec.profile }),
        ...(spec.workspace === undefined ? {} : { workspace: spec.workspace }),
        ...reach,
        nonce: nonce ?? Buffer.from(random.bytes(16)).toString('hex'),
        request: digestJson(spec as unknown as Json),
      });
    },
  };
}

function childReach(
  parent: TaskContext,
  self: string,
  longest: number,
): Pick<WritClaims, 'origin' | 'grant' | 'depth' | 'exp' | 'prev'> {
  const { closure, workspaces, network, maxOutputBytes, depth, expiresAtMs, origin } = parent;
  const before = parent.writs.at(-1);
  return {
    origin: origin === 'self' ? self : origin,
    grant: { closure, workspaces, network, maxOutputBytes },
    depth: depth - 1,
    exp: Math.min(longest, Math.floor(expiresAtMs / 1000)),
    ...(before === undefined ? {} : { prev: writDigest(before) }),
  };
}
