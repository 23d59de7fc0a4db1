import { foldName } from '@writ/core';
import type { PeerRights } from '@writ/lease-store';
import type { PeerEntry } from '@writ/policy';
import type { PeerEdits } from './types.ts';

/** A table of `writ.toml` with what was given, and what of it was not there before. */
export interface WrittenEntry {
  readonly text: string;
  readonly label: string;
  readonly added: 'table' | PeerRights;
}

/**
 * The text with a peer that has at least what is given: its lists grow from those that stand in this text, whatever
 * they were when the peer was shown to the person. `label` is for one that is not there.
 */
export function writeEntry(
  edits: PeerEdits,
  text: string,
  peer: PeerEntry & { readonly outbound: PeerRights['outbound'] },
): WrittenEntry {
  const now = edits.readPeer(text, peer.id);
  if (now === undefined) return { text: edits.addPeer(text, peer), label: peer.label, added: 'table' };
  const added = mapLists(peer, now, without);
  const address = peer.address === undefined ? {} : { address: peer.address };
  return {
    text: edits.updatePeer(text, now.label, { ...mapLists(now, added, (has, more) => [...has, ...more]), ...address }),
    label: foldName(now.label) ?? now.label,
    added,
  };
}

/** The text without what was added to it; whatever else somebody wrote into it since stays. An address stays, being no right. */
export function takeBackEntry(edits: PeerEdits, text: string, id: string, added: 'table' | PeerRights): string {
  const now = edits.readPeer(text, id);
  if (now === undefined) return text;
  if (added === 'table') return edits.removePeer(text, now.label);
  return edits.updatePeer(text, now.label, mapLists(now, added, without));
}

type Names = readonly string[];

function mapLists(a: PeerRights, b: PeerRights, map: (a: Names, b: Names) => Names): PeerRights {
  return {
    profiles: map(a.profiles, b.profiles),
    workspaces: map(a.workspaces, b.workspaces),
    outbound: {
      profiles: map(a.outbound.profiles, b.outbound.profiles),
      workspaces: map(a.outbound.workspaces, b.outbound.workspaces),
    },
  };
}

/** Names are the same in any letter case. */
function without(names: Names, gone: Names): Names {
  const folded = new Set(gone.map((name) => foldName(name) ?? name));
  return names.filter((name) => !folded.has(foldName(name) ?? name));
}
