import type { LinkState, PeerLinks, RemoteDescribe } from '@writ/gateway';
import type { LinkStatus, PeerClients } from '@writ/mesh';

const STATE: Readonly<Record<LinkStatus['state'], LinkState>> = {
  up: 'up',
  connecting: 'connecting',
  idle: 'idle',
  down: 'down',
  'no-address': 'none',
};

/** The state of the links, as the gateway shows it. */
export function createPeerLinks(peers: PeerClients): PeerLinks {
  return {
    state(peerId) {
      const link = peers.links().find((candidate) => candidate.id === peerId);
      return link === undefined ? 'none' : STATE[link.state];
    },
  };
}

/** Asks a peer what it offers, and what it would say. */
export function createRemoteDescribe(peers: PeerClients): RemoteDescribe {
  return {
    describe: async (peerId, signal) => peers.client(peerId).describe(signal),
    check: async (peerId, question, signal) => peers.client(peerId).checkPolicy(question, signal),
  };
}
