import { visible } from './text.ts';

/** Most of what git says on its standard error that is kept, UTF-16 units. */
export const KEPT_GIT_WORDS = 16 * 1024;

/** What git said of why it failed, in one line, or `end`; where it did not, each line that it said. Made visible. */
export function gitWords(stderr: string, end: number | string | null): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const told = lines.find((line) => /^(fatal|error): /.test(line)) ?? lines.at(-1);
  if (end === 0) return lines.map(visible).join('\n');
  if (told === undefined) return `git ended with ${end}`;
  return visible(told.replace(/^(fatal|error): /, ''));
}
