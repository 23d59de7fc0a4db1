import { foldName, nearest, quote, WritError } from '@writ/core';
import type { Config, PeerConfig } from '@writ/policy';
import type { GatewayPorts } from '../gateway-ports.ts';
import type { LabelOf } from '../views/task-view.ts';

/** The name of this node itself where a peer may be named. */
export const SELF = 'self';

/** A name or id in the letters that are compared; unlike `requireName` it takes what is no name as it is. */
export function foldLetters(labelOrId: string): string {
  return labelOrId.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The peer of that label or id, or undefined. */
export function findPeer(config: Config, labelOrId: string): PeerConfig | undefined {
  const folded = foldLetters(labelOrId);
  const byLabel = config.peers.get(folded);
  if (byLabel !== undefined) return byLabel;
  for (const peer of config.peers.values()) if (peer.id === folded) return peer;
  return undefined;
}

/** The peer of that label or id. Throws NOT_FOUND with the nearest label. */
export function requirePeer(config: Config, labelOrId: string): PeerConfig {
  const peer = findPeer(config, labelOrId);
  if (peer !== undefined) return peer;
  const meant = nearest(foldLetters(labelOrId), [...config.peers.keys()]);
  throw new WritError('NOT_FOUND', `there is no peer ${quote(labelOrId)}`, {
    nextSteps: [
      ...(meant === undefined ? [] : [`did you mean ${quote(meant)}?`]),
      'see the peers of this node with list_peers or writ peer list',
    ],
  });
}

/** Node id of a peer, or `self`. Throws NOT_FOUND. */
export function requirePeerId(config: Config, labelOrId: string): string {
  return foldLetters(labelOrId) === SELF ? SELF : requirePeer(config, labelOrId).id;
}

/** Turns node ids into the labels of this moment. */
export function labelsOf(config: Config): LabelOf {
  const labels = new Map([...config.peers.values()].map((peer) => [peer.id, peer.label]));
  return (id) => labels.get(id) ?? id;
}

/** Labels of the peers of this moment, and this node's own name. */
export function nodeLabels({ engine, node }: Pick<GatewayPorts, 'engine' | 'node'>): LabelOf {
  const { id, name } = node.info();
  const labels = labelsOf(engine.snapshot().config);
  return (one) => (one === id ? name : labels(one));
}

/** A folded name. Throws BAD_REQUEST; `what` names the field. */
export function requireName(what: string, input: string): string {
  const folded = foldName(input);
  if (folded !== undefined) return folded;
  throw new WritError('BAD_REQUEST', `${what}: ${quote(input)} is no name`, {
    nextSteps: ['a name is up to 64 of a-z, 0-9, dot, underscore and hyphen, and starts with a letter or digit'],
  });
}
