import { visible } from '@writ/core';

/** What failed at a server, in words that are made visible and cut: they are the server's, or a dump of the library's checker. */
export function theirWords(error: unknown, longest: number): string {
  const said = error instanceof Error ? error.message : String(error);
  const [first = ''] = said.trim().split('\n');
  const isDump = /[[{]\s*$/.test(first);
  return visible(isDump ? first.replace(/[:\s]*[[{]\s*$/, '') : said).slice(0, longest);
}
