import { quote, WritError } from '@writ/core';

/** What a count has to be, and how that is said. */
export interface CountRule {
  readonly option: string;
  readonly of: string;
  readonly example: string;
  readonly most?: number;
}

/** How often a lease may be used. */
export const USES: CountRule = {
  option: '--uses',
  of: 'how often it may be used, from 1 on',
  example: 'writ lease grant laptop repo-dev --for 8h --uses 3',
};

/** How many rows of a list are shown. */
export function mostOf(example: string): CountRule {
  return { option: '--limit', of: 'how many to show, from 1 to 200', example, most: 200 };
}

/** A number from 1 on, as somebody typed it. Throws BAD_REQUEST with the example. */
export function readCount(text: string, say: CountRule): number {
  const value = Number(text);
  const isCount = /^\d+$/.test(text) && Number.isSafeInteger(value) && value >= 1;
  if (isCount && value <= (say.most ?? Number.MAX_SAFE_INTEGER)) return value;
  throw new WritError('BAD_REQUEST', `${say.option} takes ${say.of}, not ${quote(text)}`, { nextSteps: [say.example] });
}
