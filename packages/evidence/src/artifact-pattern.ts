import { quote, WritError } from '@writ/core';

/** Longest declared path, UTF-16 units. */
const LONGEST = 1024;

/** One declared artifact, taken apart: a path, or a pattern with `*`, `?` and `**`. */
export interface ArtifactPattern {
  readonly text: string;
  readonly parts: readonly string[];
  /** No pattern: exactly this file has to be there. */
  readonly literal: boolean;
}

/**
 * Reads a declared artifact: relative, `/` between the parts, `*` and `?` inside one part, `**` for any number of parts.
 * Throws BAD_REQUEST for what is absolute, climbs, leads into a git directory or holds control characters.
 */
export function parseArtifactPattern(text: string): ArtifactPattern {
  const parts = text.split('/');
  const bad =
    text.length > LONGEST ||
    /[\p{Cc}\p{Cs}\\]/u.test(text) ||
    parts.some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part));
  if (bad) {
    throw new WritError('BAD_REQUEST', `${quote(text)} is no path or pattern of an artifact`, {
      nextSteps: ['name a path inside the workspace, such as dist/app.tar or reports/**/*.xml'],
    });
  }
  return { text, parts, literal: !/[*?]/.test(text) };
}

/** True where the path fits the pattern, part by part. */
export function matchesPattern(pattern: readonly string[], path: readonly string[]): boolean {
  // Rows of a table instead of recursion: a hostile pattern costs no more than its length times the path's.
  let row = [true, ...path.map(() => false)];
  for (const part of pattern) {
    const next: boolean[] = [part === '**' && row[0] === true];
    for (const [i, name] of path.entries()) {
      next.push(part === '**' ? row[i + 1] === true || next[i] === true : row[i] === true && matchesPart(part, name));
    }
    row = next;
  }
  return row.at(-1) === true;
}

/** `*` is any run of characters, `?` one; everything else is itself. Goes back to the last `*` only. */
function matchesPart(part: string, name: string): boolean {
  let [p, n, star, mark] = [0, 0, -1, 0];
  while (n < name.length) {
    if (part[p] === '*') {
      star = p++;
      mark = n;
    } else if (p < part.length && (part[p] === '?' || part[p] === name[n])) {
      p++;
      n++;
    } else if (star !== -1) {
      p = star + 1;
      n = ++mark;
    } else return false;
  }
  while (part[p] === '*') p++;
  return p === part.length;
}
