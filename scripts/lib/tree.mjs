import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of this clone, without a slash at the end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * Files of the working tree that git tracks or would track, relative to the root, that match one of the git pathspecs.
 * Deleted files that are still in the index are left out.
 */
export function treeFiles(...pathspecs) {
  const out = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...pathspecs],
    {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return [...new Set(out.split('\0'))].filter((path) => path !== '' && existsSync(`${ROOT}/${path}`)).sort();
}

/** True for code that only runs under the test runner. */
export function isTestCode(path) {
  return /\.(test|contract)\.ts$|^test\/|^packages\/testkit\/|\/src\/testing\//.test(path);
}
