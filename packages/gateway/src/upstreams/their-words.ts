import { visible, withoutUrlSecrets } from '@writ/core';

/**
 * What failed at a server, in words that are made visible and cut: they are the server's, or a dump of the library's checker. Cut first: how
 * long they are is up to the server, and to look for the end of many blanks takes the square of them.
 * What its address proves with is in none of them: they go to logs and to agents.
 */
export function theirWords(error: unknown, longest: number): string {
  const said = (error instanceof Error ? error.message : String(error)).slice(0, 4 * longest);
  const [first = ''] = said.trim().split('\n');
  const isDump = /[[{]\s*$/.test(first);
  return visible(withoutUrlSecrets(isDump ? first.replace(/[:\s]*[[{]\s*$/, '') : said)).slice(0, longest);
}
