import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { foldName } from '@writ/core';

/** A repository of this machine, as a workspace would name it. */
export interface FoundRepository {
  readonly name: string;
  /** As it is written into the configuration: below the home folder with `~`. */
  readonly path: string;
  /** The one that the command was typed in. */
  readonly isHere: boolean;
}

/** Where people keep repositories, below their home. */
const USUAL = ['src', 'code', 'projects', 'repos', 'git', 'dev', 'work', 'workspace', 'Developer', 'Documents'];
/** Most folders that are looked at: a look and no search. */
const MOST_FOLDERS = 400;
/** Most repositories that are told. */
const MOST_FOUND = 9;

/** Looks where repositories usually are, those that were used last first, before them all the one of `cwd`. */
export async function findRepositories(where: {
  readonly cwd: string;
  readonly homeDir: string | undefined;
}): Promise<readonly FoundRepository[]> {
  const here = await repositoryAround(where.cwd);
  const below = where.homeDir === undefined ? [] : await repositoriesBelow(where.homeDir);
  const paths = [...(here === undefined ? [] : [here]), ...below.filter((path) => path !== here)].slice(0, MOST_FOUND);
  const names = workspaceNames(paths);
  return paths.map((path, index) => ({
    name: names[index] ?? 'app',
    path: shortened(path, where.homeDir),
    isHere: path === here,
  }));
}

/** Names for workspaces at these paths, each its own. */
function workspaceNames(paths: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (const path of paths) {
    const short = named(basename(path));
    const long = named(`${basename(dirname(path))}-${basename(path)}`);
    const free = [short, long, ...paths.map((_, at) => `${short}-${at + 2}`)].find((name) => !names.includes(name));
    names.push(free ?? short);
  }
  return names;
}

/** The nearest thing to `text` that is a name. */
function named(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return foldName(plain.slice(0, 60)) ?? 'app';
}

function shortened(path: string, homeDir: string | undefined): string {
  if (homeDir === undefined) return path;
  const below = relative(homeDir, path);
  return below === '' || below.startsWith('..') || below.startsWith(sep) ? path : join('~', below);
}

async function repositoryAround(cwd: string): Promise<string | undefined> {
  for (let at = cwd; ; at = dirname(at)) {
    if ((await usedAtMs(at)) !== undefined) return at;
    if (at === dirname(at)) return undefined;
  }
}

async function repositoriesBelow(homeDir: string): Promise<readonly string[]> {
  const found: { readonly path: string; readonly usedAtMs: number }[] = [];
  const usual = USUAL.map((name) => join(homeDir, name));
  const open = [...(await foldersOf(homeDir)), ...(await Promise.all(usual.map(foldersOf))).flat()];
  for (let looked = 0; looked < Math.min(open.length, MOST_FOLDERS); looked += 1) {
    const path = open[looked] ?? homeDir;
    const usedAt = await usedAtMs(path);
    if (usedAt !== undefined) found.push({ path, usedAtMs: usedAt });
    // One level more where people sort them by owner; a repository is not looked into.
    else if (usual.includes(dirname(path))) open.push(...(await foldersOf(path)));
  }
  return found.sort((a, b) => b.usedAtMs - a.usedAtMs).map(({ path }) => path);
}

/** Folders directly below, without hidden ones; none where it cannot be read. */
async function foldersOf(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map((entry) => join(path, entry.name));
}

/** When a repository was last used, milliseconds; undefined where there is none. */
async function usedAtMs(path: string): Promise<number | undefined> {
  const git = await stat(join(path, '.git')).catch(() => undefined);
  if (git === undefined) return undefined;
  if (git.isFile()) return git.mtimeMs;
  const head = await stat(join(path, '.git', 'HEAD')).catch(() => undefined);
  return head && Math.max(git.mtimeMs, head.mtimeMs);
}
