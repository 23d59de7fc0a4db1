import { WritError } from '@writ/core';

/** A number from 1 on, as somebody typed it. Throws BAD_REQUEST with the example. */
export function readCount(
  text: string,
  say: { readonly option: string; readonly of: string; readonly example: string; readonly most?: number },
): number {
  const value = Number(text);
  const isCount = /^\d+$/.test(text) && Number.isSafeInteger(value) && value >= 1;
  if (isCount && value <= (say.most ?? Number.MAX_SAFE_INTEGER)) return value;
  throw new WritError('BAD_REQUEST', `${say.option} takes ${say.of}`, { nextSteps: [say.example] });
}
