import { join } from 'node:path';
import {
  type AskedRepository,
  type GitPort,
  type OwnersShell,
  type OwnersWords,
  readOwnersWords,
} from '@writ/evidence';
import { searchPath } from '@writ/runner';
import type { Environment } from '../env.ts';

/** Where an owner's git finds what it was told outside of a repository. */
const NAMES = [
  ...['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'],
  'GIT_ATTR_NOSYSTEM',
];
/** Where git is built to look, but for one that is installed in a place of its own. */
const SYSTEM_ATTRIBUTES = '/etc/gitattributes';

/**
 * What the git of this node's owner goes by in a repository, as it is at this moment: what is ignored there, and what form
 * files have on the disk. `shell` is what the owner's shell says of it, all of it, and the node's own environment where
 * nobody knows. Nothing of another user's is read. Does not reject: what cannot be read is absent, and said.
 */
export function findOwnersWords(
  git: GitPort,
  { all, homeDir, xdgConfigHome }: Environment,
  asked: AskedRepository,
  shell?: OwnersShell['variables'],
): Promise<OwnersWords> {
  const systemAttributes = SYSTEM_ATTRIBUTES;
  const PATH = searchPath(all.PATH);
  if (shell !== undefined) {
    const environment = { variables: { ...shell, PATH }, configHome: configHomeOf(shell), systemAttributes };
    return readOwnersWords(git, environment, asked);
  }
  const own = NAMES.flatMap((name) => (all[name] ? [[name, all[name]] as const] : []));
  const configHome = xdgConfigHome ?? (homeDir === undefined ? undefined : join(homeDir, '.config'));
  const variables = { PATH, ...Object.fromEntries(own) };
  return readOwnersWords(git, { variables, configHome, systemAttributes }, asked);
}

/** As git takes it: an empty `XDG_CONFIG_HOME` is none. */
function configHomeOf({ HOME, XDG_CONFIG_HOME }: Readonly<Record<string, string>>): string | undefined {
  if (XDG_CONFIG_HOME) return XDG_CONFIG_HOME;
  return HOME === undefined ? undefined : join('/', HOME, '.config');
}
