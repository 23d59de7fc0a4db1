import { shellWord } from '@writ/core';

/** Arguments or a pattern of them for people, so that where each of them ends can be seen; what is plain stays as it is. */
export function argumentList(args: readonly string[]): string {
  return args.map((one) => (/^[^\s'"\\]+$/.test(one) ? one : shellWord(one))).join(' ');
}
