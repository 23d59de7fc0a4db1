import { DISK_FORM } from './disk-form.ts';
import { isSet, parseSettings, type RepositorySettings, SPARSE, SPARSE_FORM } from './repository-settings.ts';

/** What holds for an owner's git in one repository, by whoever it was told. Nothing of it is run: no program is named in it. */
export interface OwnersWords {
  /**
   * Patterns of what is ignored besides (`core.excludesFile`); there need be no such file. Absolute, or from the top of
   * the working tree on; empty: somebody has said that there is none.
   */
  readonly excludesFile?: string;
  /** Attributes of files besides (`core.attributesFile`), in the same way. */
  readonly attributesFile?: string;
  /** Attributes that this machine has for everybody, below all others; absolute, and there need be no such file. */
  readonly systemAttributes?: string;
  /** Why they could not be read, so that nobody knows what is ignored; absent: they could. */
  readonly unread?: string;
  /** Settings about the form of files, and which filters are there, see `wordsOf`; absent: they could not be read. */
  readonly settings?: RepositorySettings;
}

/** What makes a filter run, on the way into a repository or out of it. */
const DRIVER = /^filter\..*\.(clean|smudge|process)$/s;
const REQUIRED = /^filter\..*\.required$/s;
const KEPT: readonly string[] = [...DISK_FORM, ...SPARSE, ...SPARSE_FORM];

/** Which way a file goes through a filter: into a repository, or out of it onto the disk. */
export type FilterWay = 'clean' | 'smudge';

/**
 * Of everything that is set (`git config --null --list`) what is about the form of files on the disk: the words themselves,
 * and in the place of each program that there is one.
 */
export function wordsOf(listing: Buffer): RepositorySettings {
  const kept = new Map<string, string>();
  for (const [key, value] of parseSettings(listing)) {
    if (KEPT.includes(key) || REQUIRED.test(key)) kept.set(key, value);
    else if (DRIVER.test(key)) kept.set(key, value === '' ? '' : 'true');
  }
  return kept;
}

/** What is set for one repository: what holds there as git reads it, else what its own files say. */
export function settingsWith(words: OwnersWords | undefined, own: RepositorySettings): RepositorySettings {
  return new Map([...own, ...(words?.settings ?? [])]);
}

/**
 * Whether an owner's git runs something for a filter when it takes a file in or writes one: without a driver the file is as
 * it is. Undefined where that cannot be known: what holds there could not be read.
 */
export function isDriven(
  words: OwnersWords | undefined,
  own: RepositorySettings,
  filter: string,
  way: FilterWay,
): boolean | undefined {
  const settings = settingsWith(words, own);
  const isThere = (name: string): boolean => (settings.get(`filter.${filter}.${name}`) ?? '') !== '';
  // Git fails where it is required and there is none.
  if (isThere(way) || isThere('process') || isSet(settings, `filter.${filter}.required`)) return true;
  return words?.settings === undefined ? undefined : false;
}
