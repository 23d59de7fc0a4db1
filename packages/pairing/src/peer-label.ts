import { foldName } from '@writ/core';
import type { Config } from '@writ/policy';

/** For a peer whose own name is none. */
const FALLBACK = 'peer';
const LONGEST_NAME = 64;
/** Names that mean something else where a peer is named. */
const RESERVED = new Set(['self', 'node']);

/**
 * A label for a new peer: its own node name, folded, with `-2`, `-3`, … where it is taken. A label is only for people;
 * whoever trusts one trusts whatever the peer called itself.
 */
export function chooseLabel(peerName: string, config: Pick<Config, 'peers' | 'origins'>): string {
  const wanted = foldName(peerName) ?? FALLBACK;
  const isFree = (label: string): boolean =>
    !RESERVED.has(label) && !config.peers.has(label) && !config.origins.has(label) && !label.startsWith('wn-');
  const stem = wanted.startsWith('wn-') ? FALLBACK : wanted;
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `-${n}`;
    const label = `${stem.slice(0, LONGEST_NAME - suffix.length)}${suffix}`;
    if (isFree(label)) return label;
  }
}
