import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { quote, WritError } from '@writ/core';
import type { Environment } from '../env.ts';
import { isSamePlace } from './from-here.ts';

/** Where git finds settings; each has to be a whole path, since the node asks from another folder. */
const PLACES = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'];
const SAID = ['GIT_CONFIG_NOSYSTEM', 'GIT_ATTR_NOSYSTEM', 'GIT_CONFIG_PARAMETERS'];
/** What of the settings in the environment the node has a use for; the others may hold tokens, and stay here. */
const OF_USE = /^(core|filter|sparse|index|include|includeif|remote)\./i;
/** Most settings in the environment, and most characters of one word: what the node takes. */
const MOST_SETTINGS = 256;
const LONGEST = 8192;
/** By what git is led elsewhere than to the repository of a folder, with what that one has there. */
const LED: readonly (readonly [string, (own: Repository) => string])[] = [
  ['GIT_DIR', ({ gitDir }) => gitDir],
  ['GIT_COMMON_DIR', ({ commonDir }) => commonDir],
  ['GIT_OBJECT_DIRECTORY', ({ commonDir }) => join(commonDir, 'objects')],
  ['GIT_INDEX_FILE', ({ gitDir }) => join(gitDir, 'index')],
  ['GIT_WORK_TREE', ({ top }) => top],
];
const LED_ELSEWHERE = ['GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_ATTR_SOURCE'];

/**
 * What this shell says to git, as `NAME=value`, for a node that has another environment: by what settings are found, and those
 * that the environment holds. Undefined for a task, whose say that is not. `folder` is absolute: the repository that is meant, or a
 * folder in it. Throws BAD_REQUEST for what cannot be handed on, or leads git elsewhere.
 */
export function gitWordsHere(
  { all, taskAccess }: Pick<Environment, 'all' | 'taskAccess'>,
  folder: string,
): readonly string[] | undefined {
  if (taskAccess !== undefined) return undefined;
  refuseElsewhere(all, folder);
  const named = [...PLACES, ...SAID].flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]] as const]));
  for (const [name, value] of named) {
    if (!PLACES.includes(name) || value === '' || isAbsolute(value)) continue;
    throw notHandedOn(name, 'is no whole path', `write it from / on: export ${name}=/PATH`);
  }
  return [...named, ...settingsIn(all)].map(([name, value]) => wordOf(name, value));
}

/** Node.js reads bytes that are no text as this. */
const NO_TEXT = '\ufffd';

function wordOf(name: string, value: string): string {
  const word = `${name}=${value}`;
  if (value.includes(NO_TEXT)) throw notHandedOn(name, 'is no UTF-8', `leave it out: ${without(name)}`);
  if (word.length <= LONGEST) return word;
  throw notHandedOn(name, `is longer than ${LONGEST} characters`, 'put it into a file that GIT_CONFIG_GLOBAL names');
}

/** The settings that `GIT_CONFIG_COUNT` counts, those of use counted anew. Throws where git would refuse them. */
function settingsIn(all: Environment['all']): readonly (readonly [string, string])[] {
  const { GIT_CONFIG_COUNT: count = '' } = all;
  if (count === '') return [];
  if (!/^[0-9]{1,3}$/.test(count) || Number(count) > MOST_SETTINGS) {
    throw notHandedOn(
      'GIT_CONFIG_COUNT',
      `is no number up to ${MOST_SETTINGS}`,
      `leave it out: ${without('GIT_CONFIG_COUNT')}`,
    );
  }
  const read = (name: string): string => {
    const value = all[name];
    if (value !== undefined) return value;
    throw notHandedOn(
      name,
      'is not set, and GIT_CONFIG_COUNT counts it',
      `set it, or leave all out: ${without('GIT_CONFIG_COUNT')}`,
    );
  };
  const settings = Array.from({ length: Number(count) }, (_, at) => [
    read(`GIT_CONFIG_KEY_${at}`),
    read(`GIT_CONFIG_VALUE_${at}`),
  ]);
  const used = settings.filter(([key = '']) => OF_USE.test(key));
  const numbered = used.flatMap(([key = '', value = ''], at) => [
    [`GIT_CONFIG_KEY_${at}`, key] as const,
    [`GIT_CONFIG_VALUE_${at}`, value] as const,
  ]);
  return [['GIT_CONFIG_COUNT', String(used.length)], ...numbered];
}

/** In a hook git names the very repository that it works in, which is as if it were not named. */
function refuseElsewhere(all: Environment['all'], folder: string): void {
  const own = repositoryOf(folder);
  const isElsewhere = ([name, usual]: (typeof LED)[number]): boolean => {
    const named = all[name];
    return named !== undefined && !(own !== undefined && isSamePlace(resolve(named), usual(own)));
  };
  const name = LED.find(isElsewhere)?.[0] ?? LED_ELSEWHERE.find((one) => all[one]);
  if (name === undefined) return;
  const why = `leads git elsewhere than to what the repository at ${quote(folder)} has, which the node does not follow`;
  throw notHandedOn(name, why, `run it without: ${without(name)}`);
}

/** Where a repository has its parts, absolute. */
interface Repository {
  readonly top: string;
  readonly gitDir: string;
  /** What a linked worktree shares with the others; elsewhere the same. */
  readonly commonDir: string;
}

function repositoryOf(folder: string): Repository | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const dotGit = join(top, '.git');
    if (existsSync(dotGit)) {
      // In a linked worktree and in a submodule it is a file that says where.
      const gitDir = namedIn(dotGit, top, /^gitdir: (.+)$/m) ?? dotGit;
      return { top, gitDir, commonDir: namedIn(join(gitDir, 'commondir'), gitDir, /^(.+)$/m) ?? gitDir };
    }
    if (dirname(top) === top) return undefined;
  }
}

/** The path that a file names, from a folder; undefined where there is no such file, or it says none. */
function namedIn(file: string, from: string, line: RegExp): string | undefined {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const said = line.exec(readFileSync(file, 'utf8'))?.[1];
  return said === undefined ? undefined : resolve(from, said);
}

function without(name: string): string {
  return `env -u ${name} writ …`;
}

function notHandedOn(name: string, why: string, nextStep: string): WritError {
  return new WritError('BAD_REQUEST', `${quote(name)} ${why}`, { nextSteps: [nextStep] });
}
