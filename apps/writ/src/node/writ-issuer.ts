import { type Clock, digestJson, type Json, type Random } from '@writ/core';
import type { WritIssuer } from '@writ/delegation';
import { issueWrit, type NodeIdentity } from '@writ/identity';
import { CAPABILITIES, type PolicyEngine } from '@writ/policy';

/** How long a first hop's writ may be used to start work, seconds: the real bound on revocation across a partition. */
const WRIT_LIFE_S = 3600;
const NONCE_BYTES = 16;

/** Signs first hops: the origin's grant is the whole vocabulary, written out; its own outbound rules have bound the names already. */
export function createWritIssuer(
  identity: NodeIdentity,
  engine: PolicyEngine,
  clock: Clock,
  random: Random,
): WritIssuer {
  return {
    issue({ to, task, spec, session, agent, generation }) {
      const { config } = engine.snapshot();
      const peer = [...config.peers.values()].find((candidate) => candidate.id === to);
      const nowS = Math.floor(clock.nowMs() / 1000);
      return issueWrit(identity, {
        v: 1,
        iss: identity.public.id,
        aud: to,
        task,
        origin: identity.public.id,
        session,
        agent,
        ...(spec.profile === undefined ? {} : { profile: spec.profile }),
        ...(spec.workspace === undefined ? {} : { workspace: spec.workspace }),
        grant: {
          closure: [...CAPABILITIES, 'shell'].sort(),
          workspaces: [...(peer?.outbound.workspaces ?? [])].sort(),
          network: 'allow',
          maxOutputBytes: Number.MAX_SAFE_INTEGER,
        },
        depth: config.node.maxChain - 1,
        iat: nowS,
        exp: nowS + WRIT_LIFE_S,
        nonce: Buffer.from(random.bytes(NONCE_BYTES)).toString('hex'),
        request: digestJson(spec as unknown as Json),
        generation,
      });
    },
  };
}
