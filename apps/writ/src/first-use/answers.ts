import { foldName } from '@writ/core';
import { CLIENT_NAMES, type ClientName } from '../clients/types.ts';
import { workspaceOption } from '../workspace-option.ts';
import type { FoundRepository } from './repositories.ts';

/** What an answer means, or why it means nothing. */
export type Answer<T> = { readonly value: T } | { readonly problem: string };

/** The name of a node; Enter takes the default. */
export function readName(line: string, absent: string): Answer<string> {
  const name = foldName(line.trim() === '' ? absent : line.trim());
  return name === undefined ? { problem: 'a name is made of a-z, 0-9, `.`, `_` and `-`' } : { value: name };
}

/** Yes or no; Enter takes the default. */
export function readYes(line: string, absent: boolean): Answer<boolean> {
  const said = line.trim().toLowerCase();
  if (said === '') return { value: absent };
  if (/^(y|yes)$/.test(said)) return { value: true };
  return /^(n|no)$/.test(said) ? { value: false } : { problem: 'yes or no' };
}

/** A workspace by name. */
export interface Workspace {
  readonly name: string;
  readonly path: string;
}

/** Numbers of what was found, paths, `all` or `none`, with commas or blanks between. */
export function readWorkspaces(
  line: string,
  found: readonly FoundRepository[],
  absent: readonly Workspace[],
): Answer<readonly Workspace[]> {
  const words = line.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 0) return { value: absent };
  if (words.length === 1 && words[0] === 'none') return { value: [] };
  if (words.length === 1 && words[0] === 'all') return { value: found.map(plain) };
  const picked: Workspace[] = [];
  for (const word of words) {
    const listed = found[Number(word) - 1];
    if (/^\d+$/.test(word) && listed === undefined) return { problem: `there is no ${word} in the list` };
    picked.push(listed === undefined ? ofPath(word) : plain(listed));
  }
  return { value: picked };
}

/** Names of agents, `all` or `none`. */
export function readClients(line: string, here: readonly ClientName[]): Answer<readonly ClientName[]> {
  const words = line
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  if (words.length === 0 || (words.length === 1 && words[0] === 'all')) return { value: here };
  if (words.length === 1 && words[0] === 'none') return { value: [] };
  const known = CLIENT_NAMES.filter((name) => words.includes(name));
  return known.length === new Set(words).size ? { value: known } : { problem: `some of: ${CLIENT_NAMES.join(', ')}` };
}

const plain = ({ name, path }: FoundRepository): Workspace => ({ name, path });

/** `app=~/src/app`, or a path alone, named by its folder. */
function ofPath(word: string): Workspace {
  if (word.includes('=')) return workspaceOption(word);
  const folder = word.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const name = foldName(folder.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[^A-Za-z0-9]+/, '')) ?? 'app';
  return workspaceOption(`${name}=${word}`);
}
