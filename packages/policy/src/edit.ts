import { patch } from '@decimalturn/toml-patch';
import { foldId, foldName, quote, WritError } from '@writ/core';
import { firstThatMeans, parseOrThrow, type Table, tableAt } from './edit-checked.ts';
import { appendToGroup, cutTables } from './edit-tables.ts';
import { joinPath } from './key-path.ts';
import { isTable, tableText } from './toml-text.ts';

/** A peer as it is written into a configuration. */
export interface PeerEntry {
  readonly label: string;
  readonly id: string;
  /** `host:port`; absent: the peer can ask, and cannot be asked. */
  readonly address?: string;
  readonly profiles: readonly string[];
  readonly workspaces: readonly string[];
  readonly maxDepth?: number;
  readonly mayRequestLease?: boolean;
  readonly outbound?: {
    readonly profiles: readonly string[];
    readonly workspaces: readonly string[];
    readonly ship?: boolean;
  };
}

/** A peer as it stands in a text. */
export type WrittenPeer = Pick<PeerEntry, 'label' | 'profiles' | 'workspaces'> & Required<Pick<PeerEntry, 'outbound'>>;

/** What of a peer may be written anew; what is absent stays. */
export type PeerChange = Partial<Omit<PeerEntry, 'label' | 'id'>> & { readonly enabled?: boolean };

/**
 * The text with one more peer, comments and order kept. Throws CONFLICT where the label is taken, CONFIG_INVALID where
 * the text is no TOML.
 */
export function addPeer(text: string, peer: PeerEntry): string {
  const value = parseOrThrow(text);
  const taken = findPeer(value, peer.label);
  if (taken !== undefined) {
    throw new WritError('CONFLICT', `there is a peer ${quote(taken)} already`, { nextSteps: ['choose another label'] });
  }
  const wanted = { ...value, peers: { ...tableAt(value, 'peers'), [peer.label]: peerTable(peer) } };
  return firstThatMeans(wanted, [() => appendToGroup(text, 'peers', peerText(peer)), () => patch(text, wanted)]);
}

/** The peer of a node id, or undefined where the text has none. Throws CONFIG_INVALID where it is no TOML. */
export function readPeer(text: string, id: string): WrittenPeer | undefined {
  const peers = Object.entries(tableAt(parseOrThrow(text), 'peers'));
  const found = peers.find(
    ([, peer]) => isTable(peer) && typeof peer.id === 'string' && foldId(peer.id) === foldId(id),
  );
  if (found === undefined) return undefined;
  const [label, peer] = found as [string, Table];
  return { label, ...namesIn(peer), outbound: namesIn(tableAt(peer, 'outbound')) };
}

function namesIn({ profiles, workspaces }: Table) {
  const names = (list: unknown): readonly string[] =>
    Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
  return { profiles: names(profiles), workspaces: names(workspaces) };
}

/** The text with parts of one peer written anew. Throws NOT_FOUND where there is none. */
export function updatePeer(text: string, label: string, change: PeerChange): string {
  const value = parseOrThrow(text);
  const written = findPeerOrThrow(value, label);
  const peers = tableAt(value, 'peers');
  const before = tableAt(peers, written);
  const { outbound, ...changed } = peerTable(change);
  const after = {
    ...before,
    ...changed,
    ...(outbound ? { outbound: { ...tableAt(before, 'outbound'), ...outbound } } : {}),
  };
  const wanted = { ...value, peers: { ...peers, [written]: after } };
  return firstThatMeans(wanted, [() => patch(text, wanted)]);
}

/**
 * The text without one peer, and without what only speaks of it: its place in `accept_origins` and the `[[tests]]` that
 * name it. Throws NOT_FOUND where there is none.
 */
export function removePeer(text: string, label: string): string {
  const value = parseOrThrow(text);
  const written = findPeerOrThrow(value, label);
  const wanted = withoutPeer(value, written);
  const isGone = (keys: readonly (string | number)[]): boolean =>
    (keys[0] === 'peers' && keys[1] === written) || (keys[0] === 'tests' && mentions(testAt(value, keys[1]), written));
  const cut = cutTables(text, isGone);
  // Cutting takes whole tables with their comments; what is left to change are values inside others.
  return firstThatMeans(wanted, [() => cut, () => patch(cut, wanted), () => patch(text, wanted)]);
}

function testAt(value: Table, index: string | number | undefined): unknown {
  return Array.isArray(value.tests) && typeof index === 'number' ? value.tests[index] : undefined;
}

function mentions(test: unknown, label: string): boolean {
  if (!isTable(test)) return false;
  const names = [test.from, ...(Array.isArray(test.chain) ? test.chain : [])];
  return names.some((name) => typeof name === 'string' && foldName(name) === foldName(label));
}

function withoutPeer(value: Table, written: string): Table {
  const { [written]: _gone, ...rest } = tableAt(value, 'peers');
  const peers = Object.fromEntries(Object.entries(rest).map(([label, peer]) => [label, withoutOrigin(peer, written)]));
  const { peers: _peers, tests, self, ...others } = value;
  const kept = Array.isArray(tests) ? tests.filter((test) => !mentions(test, written)) : [];
  return {
    ...others,
    ...(self === undefined ? {} : { self: withoutOrigin(self, written) }),
    ...(Object.keys(peers).length > 0 ? { peers } : {}),
    ...(kept.length > 0 ? { tests: kept } : {}),
  };
}

function withoutOrigin(rules: unknown, label: string): unknown {
  if (!isTable(rules) || !Array.isArray(rules.accept_origins)) return rules;
  const kept = rules.accept_origins.filter((name) => typeof name !== 'string' || foldName(name) !== foldName(label));
  return { ...rules, accept_origins: kept };
}

/** The label as it is written in the file, which may be in another letter case. */
function findPeer(value: Table, label: string): string | undefined {
  return Object.keys(tableAt(value, 'peers')).find((written) => foldName(written) === foldName(label));
}

function findPeerOrThrow(value: Table, label: string): string {
  const written = findPeer(value, label);
  if (written !== undefined) return written;
  throw new WritError('NOT_FOUND', `no peer ${quote(label)}`, { nextSteps: ['writ peer list'] });
}

/** The keys of a peer in the order in which they are written. */
function peerTable(peer: PeerChange & { readonly id?: string }): Table & { outbound?: Table } {
  const { id, address, profiles, workspaces, maxDepth, mayRequestLease, enabled, outbound } = peer;
  return {
    ...(id === undefined ? {} : { id }),
    ...(address === undefined ? {} : { address }),
    ...(profiles === undefined ? {} : { profiles: [...profiles] }),
    ...(workspaces === undefined ? {} : { workspaces: [...workspaces] }),
    ...(maxDepth === undefined ? {} : { max_depth: maxDepth }),
    ...(mayRequestLease === undefined ? {} : { may_request_lease: mayRequestLease }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(outbound === undefined
      ? {}
      : {
          outbound: {
            profiles: [...outbound.profiles],
            workspaces: [...outbound.workspaces],
            ...(outbound.ship === undefined ? {} : { ship: outbound.ship }),
          },
        }),
  };
}

function peerText(peer: PeerEntry): string {
  return tableText(joinPath('peers', peer.label), peerTable(peer));
}
