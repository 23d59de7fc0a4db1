import { type Clock, foldName, type Logger, parseNodeId, type Tracing } from '@writ/core';
import type { PeerDirectory } from '@writ/delegation';
import type { NodeIdentity, PinStore } from '@writ/identity';
import type { PolicyEngine } from '@writ/policy';
import { loadServices } from '@writ/wire';
import { createLinks, type LinkStatus } from './links.ts';
import { createPeerClient, type MeshPeerClient } from './peer-client.ts';

/** The peers of this node as it can reach them. */
export interface PeerClients extends PeerDirectory {
  client(id: string): MeshPeerClient;
  /** Every configured peer and the state of its link, as the last calls left it. */
  links(): readonly LinkStatus[];
  /** Ends every call and every channel. */
  close(): void;
}

/** Clients over one warm channel a peer. The engine and the pins are the ones that the server has too. */
export function createPeerClients(deps: {
  readonly identity: NodeIdentity;
  readonly pins: PinStore;
  readonly engine: Pick<PolicyEngine, 'snapshot' | 'onChange'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent: no call is traced. */
  readonly tracing?: Tracing | undefined;
}): PeerClients {
  const { engine, pins, clock } = deps;
  const { mesh } = loadServices();
  const links = createLinks(deps);
  return {
    find(labelOrId) {
      const id = parseNodeId(labelOrId);
      const peer =
        id === undefined ? engine.snapshot().config.peers.get(foldName(labelOrId) ?? '') : engine.snapshot().peer(id);
      if (peer === undefined || pins.get(peer.id) === undefined) return undefined;
      return { id: peer.id, label: peer.label };
    },
    client(id) {
      // Throws now for a peer that no call could reach; one that was dropped just now can still be told to end things.
      if (links.farewell(id) === undefined) links.use(id);
      return createPeerClient({ links, mesh, clock }, id);
    },
    links: () => links.status(),
    close: () => links.close(),
  };
}
