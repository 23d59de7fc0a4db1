import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { quote, WritError } from '@writ/core';
import { gitEnvironment } from './git-dir.ts';
import { readRegular } from './read-regular.ts';
import type { RepositoryPlace } from './repository-place.ts';
import type { GitWork } from './types.ts';

/** Longest file of settings that is read, bytes. */
const SETTINGS_BYTES = 1024 * 1024;
/** Extensions of the format that do not change what is in the places where this product looks. */
const KNOWN_EXTENSIONS = /^extensions\.(noop|noop-v1|objectformat|partialclone|preciousobjects|worktreeconfig)$/;

/** The settings of a repository as words: section and name in lower case, the last value of each. */
export type RepositorySettings = ReadonlyMap<string, string>;

/**
 * Reads what a repository's own files set, as git reads them but for the files that those include. Nothing of it is in force.
 * Throws GIT_FAILED where they cannot be read, or the repository is of a kind that this product does not know.
 */
export async function readSettings(
  work: GitWork,
  place: RepositoryPlace,
  timeoutMs: number,
): Promise<RepositorySettings> {
  const settings = await readFileOf(work, join(place.commonDir, 'config'), timeoutMs);
  const version = settings.get('core.repositoryformatversion') ?? '0';
  const extensions = version === '0' ? [] : [...settings.keys()].filter((key) => key.startsWith('extensions.'));
  const unknown = extensions.find((key) => !KNOWN_EXTENSIONS.test(key));
  if (unknown !== undefined || !/^[01]$/.test(version)) {
    throw new WritError(
      'GIT_FAILED',
      `the repository has a format of its own: ${quote(unknown ?? `version ${version}`)}`,
      {
        nextSteps: ['use a clone that is made with: git clone --ref-format=files'],
      },
    );
  }
  const isLinked = place.gitDir !== place.commonDir;
  // Git passes over these in a linked working tree: they are about the repository that it belongs to.
  const shared = [...settings].filter(([key]) => !isLinked || !['core.bare', 'core.worktree'].includes(key));
  if (!isSet(settings, 'extensions.worktreeconfig')) return new Map(shared);
  const own = await readFileOf(work, join(place.gitDir, 'config.worktree'), timeoutMs);
  return new Map([...shared, ...own]);
}

/** Whether a sparse checkout is in force, and whether what lies in its empty places is left alone. */
export const SPARSE = ['core.sparsecheckout', 'sparse.expectfilesoutsideofpatterns'] as const;

/** How the patterns of a sparse checkout are read and its index is written. */
export const SPARSE_FORM = ['core.sparsecheckoutcone', 'index.sparse'] as const;

/** Whether a setting is there and true, as git reads truth; false for what is no truth at all. */
export function isSet(settings: RepositorySettings, key: string): boolean {
  return /^(true|yes|on|[1-9][0-9]*)$/i.test(settings.get(key) ?? 'false');
}

/** What git takes for `core.sharedRepository`; of anything else it makes an error. */
const SHARED = /^(umask|group|all|world|everybody|true|yes|on|false|no|off|[012]|0[0-7]{3})$/i;

/** Options of git by which others may read and write what it makes in a repository, as that says (`core.sharedRepository`). */
export function sharedForm(settings: RepositorySettings): readonly string[] {
  const value = settings.get('core.sharedrepository') ?? '';
  return SHARED.test(value) ? ['-c', `core.sharedRepository=${value}`] : [];
}

async function readFileOf(work: GitWork, file: string, timeoutMs: number): Promise<RepositorySettings> {
  const input = await readRegular(file, SETTINGS_BYTES);
  if (input === undefined) return new Map();
  await mkdir(work.gitDirRoot, { recursive: true, mode: 0o700 });
  const answer = await work.git({
    step: 'inspect',
    args: ['config', '--file', '-', '--no-includes', '--null', '--list'],
    cwd: work.gitDirRoot,
    // No repository: not even the one that this folder may be in.
    env: { ...gitEnvironment(work.path, work.gitDirRoot), GIT_DIR: '/dev/null' },
    input,
    timeoutMs,
    maxOutputBytes: 64 * SETTINGS_BYTES,
  });
  if (answer.exitCode !== 0) {
    throw new WritError('GIT_FAILED', `${quote(file)} cannot be read: ${answer.reason || 'git said nothing'}`, {
      details: { step: 'inspect' },
    });
  }
  return parseSettings(Buffer.from(answer.stdout));
}

/** What `git config --null --list` answers. */
export function parseSettings(listing: Buffer): RepositorySettings {
  const entries = listing
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '');
  // A name without a value is true; with an empty one it is not.
  return new Map(entries.map((entry) => pairOf(entry)));
}

function pairOf(entry: string): [string, string] {
  const at = entry.indexOf('\n');
  return at < 0 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)];
}
