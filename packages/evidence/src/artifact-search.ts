import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nextTurn } from '@writ/core';
import { type ArtifactPattern, advance, beginOf, type Effort, isWhole, type Progress } from './artifact-pattern.ts';
import { isGitName } from './tree-walk.ts';
import type { ArtifactLimits } from './types.ts';

/** Comparisons after which others have their turn: a few milliseconds. */
const STEPS_AT_ONCE = 1_000_000;

/** A pattern, and how far a folder leads into it. */
interface Lead {
  readonly pattern: ArtifactPattern;
  readonly progress: Progress;
}

/** A folder that nobody has looked into; `above` are the leads of the one that it is in. */
interface Waiting {
  readonly path: readonly string[];
  readonly above: readonly Lead[];
}

/**
 * The names of all files that fit a pattern, whatever kind of file; git directories, and folders that lead into no pattern, are not
 * looked into. Whoever declares patterns and makes the files may make it long: it is bounded, and others have their turn
 * meanwhile. Throws what `refuse` makes of too many entries or comparisons.
 */
export async function findFiles(
  root: string,
  patterns: readonly ArtifactPattern[],
  { maxEntries, maxSteps }: Pick<ArtifactLimits, 'maxEntries' | 'maxSteps'>,
  refuse: (why: string) => Error,
): Promise<readonly string[]> {
  const effort: Effort = { steps: 0 };
  let turns = 0;
  const follow = async (leads: readonly Lead[], name: string): Promise<readonly Lead[]> => {
    const next: Lead[] = [];
    for (const { pattern, progress } of leads) {
      const further = advance(pattern, progress, name, effort);
      if (further.length > 0) next.push({ pattern, progress: further });
      if (effort.steps < (turns + 1) * STEPS_AT_ONCE) continue;
      turns = Math.floor(effort.steps / STEPS_AT_ONCE);
      if (effort.steps > maxSteps) throw refuse('their patterns take too long to be matched with every file');
      await nextTurn();
    }
    return next;
  };
  const files: string[] = [];
  const waiting: Waiting[] = [];
  let seen = 0;
  const look = async (path: readonly string[], leads: readonly Lead[]): Promise<void> => {
    const entries = await readdir(join(root, ...path), { withFileTypes: true });
    seen += entries.length;
    if (seen > maxEntries) throw refuse(`there are more than ${maxEntries} files and folders`);
    for (const entry of entries) {
      if (isGitName(Buffer.from(entry.name))) continue;
      const below = [...path, entry.name];
      if (entry.isDirectory()) waiting.push({ path: below, above: leads });
      else if ((await follow(leads, entry.name)).some(({ pattern, progress }) => isWhole(pattern, progress))) {
        files.push(below.join('/'));
      }
    }
  };
  await look(
    [],
    patterns.map((pattern) => ({ pattern, progress: beginOf(pattern) })),
  );
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const leads = await follow(folder.above, folder.path.at(-1) ?? '');
    if (leads.length > 0) await look(folder.path, leads);
  }
  return files;
}
