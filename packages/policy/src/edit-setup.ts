import { foldName, quote, WritError } from '@writ/core';
import type { Table } from './edit-checked.ts';
import { readTable, removeTable, setKeys } from './edit-table.ts';
import { isTable } from './toml-text.ts';

/** The text with a profile, or with some keys of one written anew; `undefined` takes a key out. Keys as in `writ.toml`. */
export function putProfile(text: string, name: string, keys: Readonly<Table>): string {
  return setKeys(text, ['profiles', writtenKey(text, ['profiles'], name)], keys);
}

/** Without one profile. Throws NOT_FOUND. */
export function dropProfile(text: string, name: string): string {
  return dropNamed(text, ['profiles'], name);
}

/** The text with a workspace. */
export function putWorkspace(text: string, name: string, path: string): string {
  return setKeys(text, ['workspaces', writtenKey(text, ['workspaces'], name)], { path });
}

/** Without one workspace. Throws NOT_FOUND. */
export function dropWorkspace(text: string, name: string): string {
  return dropNamed(text, ['workspaces'], name);
}

/**
 * The text where a profile is cut down to `ceiling`, for everybody or for one peer; without a ceiling it is cut down no
 * more. Throws NOT_FOUND where there is no such peer, or no ceiling to take out.
 */
export function putCeiling(
  text: string,
  {
    profile,
    ceiling,
    peer,
  }: { readonly profile: string; readonly ceiling: string | undefined; readonly peer?: string },
): string {
  const keys = [...(peer === undefined ? [] : ['peers', existingKey(text, ['peers'], peer)]), 'profile_ceilings'];
  const written = ceiling === undefined ? existingKey(text, keys, profile) : writtenKey(text, keys, profile);
  return setKeys(text, keys, { [written]: ceiling });
}

/** The text with keys of one peer, and of what may be asked of it, written anew. Throws NOT_FOUND where there is none. */
export function putPeer(text: string, label: string, keys: Readonly<Table>, outbound: Readonly<Table>): string {
  const peer = ['peers', existingKey(text, ['peers'], label)];
  const changed = Object.keys(keys).length === 0 ? text : setKeys(text, peer, keys);
  return Object.keys(outbound).length === 0 ? changed : setKeys(changed, [...peer, 'outbound'], outbound);
}

/** Rules of `[self]`: what this machine's own agent may ask of it. */
export function putSelf(text: string, keys: Readonly<Table>): string {
  return setKeys(text, ['self'], keys);
}

function dropNamed(text: string, group: readonly string[], name: string): string {
  return removeTable(text, [...group, existingKey(text, group, name)]);
}

/** The name as it is written in the file, which may be in another letter case; the name itself where it is new. */
function writtenKey(text: string, group: readonly string[], name: string): string {
  const table = readTable(text, group);
  return Object.keys(isTable(table) ? table : {}).find((key) => foldName(key) === foldName(name)) ?? name;
}

function existingKey(text: string, group: readonly string[], name: string): string {
  const key = writtenKey(text, group, name);
  if (readTable(text, [...group, key]) !== undefined) return key;
  throw new WritError('NOT_FOUND', `there is no ${quote([...group, name].join('.'))} in the configuration`, {
    nextSteps: ['writ config show'],
  });
}
