import { readFileSync } from 'node:fs';
import { foldName } from '@writ/core';

/** A name that is to be taken for another one, or for more than a name. */
export interface HostileName {
  readonly name: string;
  /** For the title of a test: nothing in it that could be taken for something else. */
  readonly shown: string;
  /** True where it is a name all the same, only not the one that it looks like. */
  readonly isName: boolean;
}

/** The one list of hostile names, for every way on which a name comes in. */
export function hostileNames(): readonly HostileName[] {
  const file = new URL('../../policy/cases/names.json', import.meta.url);
  const written = JSON.parse(readFileSync(file, 'utf8')) as readonly (string | readonly [string, number])[];
  return written.map((one) => {
    const name = typeof one === 'string' ? one : one[0].repeat(one[1]);
    return { name, shown: JSON.stringify(name).slice(0, 40), isName: foldName(name) !== undefined };
  });
}
