import { readFileSync, writeFileSync } from 'node:fs';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { createPinStore, loadIdentity } from '@writ/identity';
import { addPeer } from '@writ/policy';
import type { LocalNode } from '../local-mesh/local-node.ts';

/** Tells `stranger` all that is public of `target` and starts it: it can dial, and nothing vouches for it over there. */
export async function introduce(stranger: LocalNode, target: LocalNode): Promise<void> {
  const { id, mesh_address: address } = await target.client().call('node_status', {});
  const text = addPeer(readFileSync(stranger.home.configFile, 'utf8'), {
    label: target.name,
    id,
    ...(address === undefined ? {} : { address }),
    profiles: [],
    workspaces: [],
    outbound: { profiles: ['query'], workspaces: [], ship: false },
  });
  writeFileSync(stranger.home.configFile, text, { mode: 0o600 });
  const random = createSystemRandom();
  const identity = await loadIdentity({ dir: target.home.keysDir, clock: createSystemClock(), random });
  await createPinStore(stranger.home.pinsDir, random, silentLogger).put(identity.public);
  await stranger.start();
}
