import { quote, WritError } from '@writ/core';

/** Longest declared path, UTF-16 units. */
const LONGEST = 1024;
/** Most parts of a pattern, and most `*` and `**` in it: what it takes to match a name grows with both. */
const MOST_PARTS = 64;
const MOST_WILDCARDS = 16;

/** One declared artifact, taken apart: a path, or a pattern with `*`, `?` and `**`. */
export interface ArtifactPattern {
  readonly text: string;
  /** No part is `**` beside another one, and no `*` is beside another one. */
  readonly parts: readonly string[];
  /** No pattern: exactly this file has to be there. */
  readonly literal: boolean;
}

/**
 * Reads a declared artifact: relative, `/` between the parts, `*` and `?` inside one part, `**` for any number of parts.
 * Throws BAD_REQUEST for what is absolute, climbs, leads into a git directory, holds control characters, or is a pattern of
 * too many parts or wildcards.
 */
export function parseArtifactPattern(text: string): ArtifactPattern {
  const written = text.split('/');
  const bad =
    text.length > LONGEST ||
    /[\p{Cc}\p{Cs}\\]/u.test(text) ||
    written.some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part));
  if (bad) throw refuse(text, 'is no path or pattern of an artifact');
  const literal = !/[*?]/.test(text);
  const parts = written
    .filter((part, at) => part !== '**' || written[at - 1] !== '**')
    .map((part) => (part === '**' ? part : part.replace(/\*+/g, '*')));
  const wildcards = parts.join('/').match(/\*+/g)?.length ?? 0;
  if (!literal && (parts.length > MOST_PARTS || wildcards > MOST_WILDCARDS)) {
    throw refuse(text, `has more than ${MOST_PARTS} parts or ${MOST_WILDCARDS} of \`*\` and \`**\``);
  }
  return { text, parts, literal };
}

function refuse(text: string, why: string): WritError {
  return new WritError('BAD_REQUEST', `${quote(text)} ${why}`, {
    nextSteps: ['name a path inside the workspace, such as dist/app.tar or reports/**/*.xml'],
  });
}

/** Counts comparisons of characters, as a measure of time. */
export interface Effort {
  steps: number;
}

/** How far into a pattern a folder leads: the parts that may be next, in order; `parts.length` where nothing has to follow. */
export type Progress = readonly number[];

/** Before any name. */
export function beginOf({ parts }: ArtifactPattern): Progress {
  return parts[0] === '**' ? [0, 1] : [0];
}

/** Where one more name leads from there; nowhere, where it does not fit. */
export function advance({ parts }: ArtifactPattern, progress: Progress, name: string, effort: Effort): Progress {
  const next = new Set<number>();
  for (const at of progress) {
    const part = parts[at];
    effort.steps += 1;
    if (part === undefined) continue;
    if (part !== '**' && !matchesPart(part, name, effort)) continue;
    const to = part === '**' ? at : at + 1;
    next.add(to);
    // It stands for no name as well.
    if (parts[to] === '**') next.add(to + 1);
  }
  return [...next];
}

/** True where a file that leads there is one of the pattern's. */
export function isWhole({ parts }: ArtifactPattern, progress: Progress): boolean {
  return progress.includes(parts.length);
}

/** `*` is any run of characters, `?` one; everything else is itself. Goes back to the last `*` only. */
function matchesPart(part: string, name: string, effort: Effort): boolean {
  if (!/[*?]/.test(part)) return part === name;
  let [p, n, star, mark] = [0, 0, -1, 0];
  while (n < name.length) {
    effort.steps += 1;
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
