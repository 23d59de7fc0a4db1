import { join } from 'node:path';
import { type GitAnswer, type GitPort, type OwnersWords, wordsOf } from '@writ/evidence';
import { searchPath } from '@writ/runner';
import type { Environment } from '../env.ts';

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES = 4 * 1024 * 1024;
/** Where an owner's git finds the settings that hold everywhere. */
const NAMES = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'];

/**
 * What the owner of this node has told git for every repository, as it is at this moment: what is ignored everywhere, and
 * what form files have on the disk. Of settings that name programs nothing comes along but that they are there. Nothing
 * of a repository is read, and nothing of another user's. Does not reject: what cannot be read is absent.
 */
export async function findOwnersWords(git: GitPort, environment: Environment): Promise<OwnersWords> {
  const listing = await ask(git, environment, '--null', '--list');
  const settings = listing.exitCode === 0 ? wordsOf(Buffer.from(listing.stdout)) : undefined;
  const excludesFile = await findFile(git, environment, 'core.excludesFile', 'ignore');
  const attributesFile = await findFile(git, environment, 'core.attributesFile', 'attributes');
  return {
    ...(settings === undefined ? {} : { settings }),
    ...(excludesFile === undefined ? {} : { excludesFile }),
    ...(attributesFile === undefined ? {} : { attributesFile }),
  };
}

/** The file that a setting names, or where git looks without it; undefined where the owner has no home. */
async function findFile(
  git: GitPort,
  environment: Environment,
  key: string,
  name: string,
): Promise<string | undefined> {
  const { homeDir, xdgConfigHome } = environment;
  const answer = await ask(git, environment, '--type=path', '--get', key);
  const set = Buffer.from(answer.stdout).toString('utf8').replace(/\n$/, '');
  if (answer.exitCode === 0 && set.startsWith('/')) return set;
  if (xdgConfigHome !== undefined) return join(xdgConfigHome, 'git', name);
  return homeDir === undefined ? undefined : join(homeDir, '.config', 'git', name);
}

function ask(git: GitPort, { all }: Environment, ...args: readonly string[]): Promise<GitAnswer> {
  const own = NAMES.flatMap((name) => (all[name] ? [[name, all[name]] as const] : []));
  return git({
    step: 'inspect',
    args: ['config', '--includes', ...args],
    cwd: '/',
    // No repository, whose settings would be read along: not even one that the root folder is.
    env: { PATH: searchPath(all.PATH), LC_ALL: 'C', GIT_DIR: '/dev/null', ...Object.fromEntries(own) },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: ANSWER_BYTES,
  });
}
