import { nextTurn, quote } from '@writ/core';
import { type ArtifactPattern, advance, beginOf, type Effort, isWhole, type Progress } from './artifact-pattern.ts';
import { inFolder, listFolder, MOST_NESTED } from './beneath.ts';
import { below, isGitName, type Walk } from './tree-walk.ts';
import type { ArtifactLimits } from './types.ts';

/** Comparisons after which others have their turn: a few milliseconds. */
const STEPS_AT_ONCE = 1_000_000;

/** A pattern, and how far a folder leads into it. */
interface Lead {
  readonly pattern: ArtifactPattern;
  readonly progress: Progress;
}

/**
 * The names of all files that fit a pattern, whatever kind of file; git directories, folders that lead into no pattern, and what
 * is a link by the time that it is opened, are not looked into. Whoever declares patterns and makes the files may make it long:
 * it is bounded, and others have their turn meanwhile. Throws what `refuse` makes of too many entries or comparisons, of folders
 * nested too deep, and of one that cannot be read.
 */
export async function findFiles(
  root: string,
  patterns: readonly ArtifactPattern[],
  { platform, maxEntries, maxSteps, refuse }: Walk & Pick<ArtifactLimits, 'maxSteps'>,
): Promise<readonly string[]> {
  const follow = createFollower(maxSteps, refuse);
  const files: string[] = [];
  let seen = 0;
  const look = async (from: string | Buffer, folder: readonly string[], leads: readonly Lead[]): Promise<void> =>
    inFolder(platform, from, async (open) => {
      if (folder.length > MOST_NESTED) throw refuse(`there are more than ${MOST_NESTED} folders inside each other`);
      const entries = await listFolder(open);
      seen += entries.length;
      if (seen > maxEntries) throw refuse(`there are more than ${maxEntries} files and folders`);
      for (const entry of entries) {
        if (isGitName(entry.name)) continue;
        const name = entry.name.toString();
        const further = await follow(leads, name);
        const path = [...folder, name];
        if (!entry.isDirectory()) {
          if (further.some(({ pattern, progress }) => isWhole(pattern, progress))) files.push(path.join('/'));
        } else if (further.length > 0) await look(below(open.path, entry.name), path, further);
      }
    }).catch((error) => {
      if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
      throw refuse(`${quote(folder.join('/'))} cannot be read, or is no folder any more (${error.code})`);
    });
  await look(
    root,
    [],
    patterns.map((pattern) => ({ pattern, progress: beginOf(pattern) })),
  );
  return files;
}

/** How far leads go on into a name; the same effort is counted for all names. */
function createFollower(maxSteps: number, refuse: (why: string) => Error) {
  const effort: Effort = { steps: 0 };
  let turns = 0;
  return async (leads: readonly Lead[], name: string): Promise<readonly Lead[]> => {
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
}
