import { join } from 'node:path';
import { type OwnersWords, wordsOf } from './owners-words.ts';
import type { GitAnswer, GitPort } from './types.ts';

/** How git is told of a repository whose settings are asked for. */
export interface AskedRepository {
  /** Absolute: the git directory, as its owner comes to it. Of it git sees the path, HEAD and nothing else. */
  readonly gitDir: string;
  /** Absolute: a folder in the place of what its working trees share; its `config` is all that git takes for the repository's. */
  readonly commonDir: string;
}

/** What the shell of whoever asks says that git goes by. */
export interface OwnersShell {
  /** In the place of the node's own: git's words, and where it finds more (`GIT_CONFIG_…`, `HOME` …); none names a program. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Permissions that files are made without, 0 to 0o777; absent: the node's own. */
  readonly umask?: number;
}

/**
 * Port: what an owner's git goes by in a repository, as it is now; `variables` are those of a shell, absent: the node's own. May
 * not throw: what cannot be read is absent, and said.
 */
export type ReadOwnersWords = (asked: AskedRepository, variables?: OwnersShell['variables']) => Promise<OwnersWords>;

/** Where an owner's git finds what it was told. */
export interface OwnersEnvironment {
  /** Variables that git itself goes by: `PATH`, `HOME`, `XDG_CONFIG_HOME`, `GIT_CONFIG_…`, `GIT_ATTR_NOSYSTEM`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Absolute folder of the owner's settings (`~/.config`); undefined where there is none. */
  readonly configHome: string | undefined;
  /** Where a git that cannot say it has the attributes of this machine; absolute. */
  readonly systemAttributes: string;
}

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES = 4 * 1024 * 1024;
/** How git ends where it is asked for what nobody has set. */
const NOT_SET = 1;
const NO_REPOSITORY = '/dev/null';

/**
 * Asks git for the settings that hold in a repository: those of the machine and of its owner, what they include for this
 * one (`includeIf`), and its own. Of those that name programs nothing comes along but that they are there; `git config` runs none.
 */
export async function readOwnersWords(
  git: GitPort,
  environment: OwnersEnvironment,
  asked: AskedRepository,
): Promise<OwnersWords> {
  const ask = (...args: readonly string[]): Promise<GitAnswer> =>
    callGit(git, environment, ['config', '--includes', ...args], {
      GIT_DIR: asked.gitDir,
      GIT_COMMON_DIR: asked.commonDir,
    });
  const listing = await ask('--null', '--list');
  if (listing.exitCode !== 0) return { unread: listing.reason };
  const settings = wordsOf(Buffer.from(listing.stdout));
  const excludes = await ask('--type=path', '--get', 'core.excludesFile');
  const attributes = await ask('--type=path', '--get', 'core.attributesFile');
  const excludesFile = fileIn(excludes, environment, 'ignore');
  const attributesFile = fileIn(attributes, environment, 'attributes');
  const systemAttributes = await findSystemAttributes(git, environment);
  const failed = [excludes, attributes].find(({ exitCode }) => exitCode !== 0 && exitCode !== NOT_SET);
  return {
    settings,
    ...(excludesFile === undefined ? {} : { excludesFile }),
    ...(attributesFile === undefined ? {} : { attributesFile }),
    ...(systemAttributes === undefined ? {} : { systemAttributes }),
    ...(failed === undefined ? {} : { unread: failed.reason }),
  };
}

/** The file that a setting names as git reads it, or where git looks without it; undefined where the owner has no home. */
function fileIn(answer: GitAnswer, { configHome }: OwnersEnvironment, name: string): string | undefined {
  if (answer.exitCode === 0) return textOf(answer);
  return configHome === undefined ? undefined : join(configHome, 'git', name);
}

/** Undefined where the owner has said that they do not count (`GIT_ATTR_NOSYSTEM`). */
async function findSystemAttributes(git: GitPort, environment: OwnersEnvironment): Promise<string | undefined> {
  const answer = await callGit(git, environment, ['var', 'GIT_ATTR_SYSTEM'], { GIT_DIR: NO_REPOSITORY });
  if (answer.exitCode === 0) return textOf(answer);
  // Before 2.42 git does not know the question, which it says in another way.
  if (answer.exitCode === NOT_SET) return undefined;
  const isLeftOut = /^(true|yes|on|[1-9][0-9]*)$/i.test(environment.variables.GIT_ATTR_NOSYSTEM ?? '');
  return isLeftOut ? undefined : environment.systemAttributes;
}

function textOf({ stdout }: GitAnswer): string {
  return Buffer.from(stdout).toString('utf8').replace(/\n$/, '');
}

function callGit(
  git: GitPort,
  { variables }: OwnersEnvironment,
  args: readonly string[],
  where: Readonly<Record<string, string>>,
): Promise<GitAnswer> {
  return git({
    ...{ step: 'inspect', args, cwd: '/', timeoutMs: TIMEOUT_MS, maxOutputBytes: ANSWER_BYTES },
    env: { ...variables, LC_ALL: 'C', ...where },
  });
}
