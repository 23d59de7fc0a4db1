import { join } from 'node:path';
import { type GitAnswer, type GitPort, type OwnersWords, wordsOf } from '@writ/evidence';
import { searchPath } from '@writ/runner';
import type { Environment } from '../env.ts';

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES = 4 * 1024 * 1024;
/** How git ends where it is asked for what nobody has set. */
const NOT_SET = 1;
/** Where an owner's git finds the settings that hold everywhere. */
const NAMES = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'];

/**
 * What the owner of this node has told git for every repository, as it is at this moment: what is ignored everywhere, and
 * what form files have on the disk. Of settings that name programs nothing comes along but that they are there. Nothing
 * of a repository is read, and nothing of another user's. Does not reject: what cannot be read is absent, and said.
 */
export async function findOwnersWords(git: GitPort, environment: Environment): Promise<OwnersWords> {
  const listing = await ask(git, environment, '--null', '--list');
  const settings = listing.exitCode === 0 ? wordsOf(Buffer.from(listing.stdout)) : undefined;
  const excludes = await ask(git, environment, '--type=path', '--get', 'core.excludesFile');
  const attributes = await ask(git, environment, '--type=path', '--get', 'core.attributesFile');
  const excludesFile = fileIn(excludes, environment, 'ignore');
  const attributesFile = fileIn(attributes, environment, 'attributes');
  const failed = [listing, excludes, attributes].find(({ exitCode }) => exitCode !== 0 && exitCode !== NOT_SET);
  return {
    ...(settings === undefined ? {} : { settings }),
    ...(excludesFile === undefined ? {} : { excludesFile }),
    ...(attributesFile === undefined ? {} : { attributesFile }),
    ...(failed === undefined ? {} : { unread: failed.reason }),
  };
}

/** The file that a setting names as git reads it, or where git looks without it; undefined where the owner has no home. */
function fileIn(answer: GitAnswer, { homeDir, xdgConfigHome }: Environment, name: string): string | undefined {
  if (answer.exitCode === 0) return Buffer.from(answer.stdout).toString('utf8').replace(/\n$/, '');
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
