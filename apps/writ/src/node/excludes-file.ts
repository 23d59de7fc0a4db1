import { join } from 'node:path';
import type { GitPort } from '@writ/evidence';
import { searchPath } from '@writ/runner';
import type { Environment } from '../env.ts';

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES = 64 * 1024;

/**
 * The owner's file of patterns that git ignores everywhere, absolute: as the owner's own settings name it, or where git
 * looks without them. Undefined where the owner has no home. What it names stays at home when a working tree is sent
 * along.
 */
export async function findExcludesFile(git: GitPort, environment: Environment): Promise<string | undefined> {
  const { all, homeDir, xdgConfigHome } = environment;
  const names = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL'];
  const own = names.flatMap((name) => (all[name] ? [[name, all[name]] as const] : []));
  const answer = await git({
    step: 'inspect',
    args: ['config', '--global', '--includes', '--type=path', '--get', 'core.excludesFile'],
    // Not inside any repository, whose settings could be read along.
    cwd: '/',
    env: { PATH: searchPath(all.PATH), LC_ALL: 'C', ...Object.fromEntries(own) },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: ANSWER_BYTES,
  });
  const set = Buffer.from(answer.stdout).toString('utf8').replace(/\n$/, '');
  if (answer.exitCode === 0 && set.startsWith('/')) return set;
  if (xdgConfigHome !== undefined) return join(xdgConfigHome, 'git', 'ignore');
  return homeDir === undefined ? undefined : join(homeDir, '.config', 'git', 'ignore');
}
