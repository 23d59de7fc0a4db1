import { RESULT_LISTS, type ResultList } from './result-schema.ts';

/** What is wrong in a result, and where. */
export interface ResultFault {
  readonly field: string;
  readonly why: string;
}

/**
 * The first thing that is wrong in a list of what may be a result; undefined where the lists are well. A peer writes results, of megabytes, and the schema as a
 * whole makes an error of everything that is wrong in them, which takes minutes and gigabytes where that is all of a list: this looks no further.
 */
export function faultInLists(value: unknown): ResultFault | undefined {
  for (const list of RESULT_LISTS) {
    const fault = faultIn(list, listAt(value, list.path));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultIn({ path, element, most }: ResultList, list: readonly unknown[]): ResultFault | undefined {
  if (list.length > most) return { field: path.join('.'), why: `more than ${most} of them` };
  for (const [index, one] of list.entries()) {
    const issue = element.safeParse(one).error?.issues[0];
    if (issue !== undefined)
      return { field: [...path, index, ...issue.path].map(String).join('.'), why: issue.message };
  }
  return undefined;
}

/** None where there is no list: the schema says so. */
function listAt(value: unknown, path: readonly string[]): readonly unknown[] {
  let held = value;
  for (const key of path) {
    if (typeof held !== 'object' || held === null) return [];
    held = (held as Readonly<Record<string, unknown>>)[key];
  }
  return Array.isArray(held) ? held : [];
}
