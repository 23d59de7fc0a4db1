import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isAbsent, shellWord } from '@writ/core';
import { scriptDirs } from '../../script-dirs.ts';
import { type Finding, fine, type Look } from './types.ts';

/** A place of the table of mounts. */
interface Mount {
  readonly point: string;
  readonly isNoexec: boolean;
}

const CHECK = 'copies';
const ELSEWHERE = 'copies of scripts lie where those of programs do';

/** Looks at where copies of what gated commands are made of would lie: from a file system that is mounted `noexec` none is run. Only Linux says how it is mounted. */
export const lookAtCopies: Look = async ({ context }) => {
  const { home, environment } = context;
  const mounts = readMounts(await tableOfMounts());
  const noexec = (dirs: readonly string[]): readonly (Mount | undefined)[] =>
    dirs.map((dir) => {
      const mount = mountOf(dir, mounts);
      return mount?.isNoexec === true ? mount : undefined;
    });
  // Nobody but the system makes the folder that this one lies in.
  const scripts = scriptDirs(home, environment, process.getuid?.()).filter((dir) => existsSync(dirname(dir)));
  return copiesFindings({ programs: noexec(home.heldDirs), scripts: noexec(scripts) });
};

/**
 * What is to be said of the places of copies, each the mount that keeps programs from being run in it, or undefined where they can be: the
 * first that is fit is taken, and `scripts` go before `programs`.
 */
export function copiesFindings(places: {
  readonly programs: readonly (Mount | undefined)[];
  readonly scripts: readonly (Mount | undefined)[];
}): readonly Finding[] {
  const [first, ...others] = places.programs;
  const [script] = places.scripts;
  const found: Finding[] = [];
  if (first !== undefined) {
    const isLost = others.every((place) => place !== undefined);
    const says = isLost
      ? 'no gated command runs from a copy'
      : 'copies lie in the node’s own home, which a script that climbs far enough reaches';
    const mend = [
      `sudo mount -o remount,exec ${shellWord(first.point)}`,
      ...['or run the node with a HOME elsewhere', 'then: writ down && writ up'],
    ];
    found.push({ check: CHECK, state: isLost ? 'problem' : 'warning', says: said(first, says), mend });
  }
  if (script !== undefined && places.scripts.every((place) => place !== undefined)) {
    // Nothing to mend: systems are set up so on purpose, and nothing is lost but a convenience.
    found.push({ check: CHECK, state: 'note', says: said(script, ELSEWHERE), mend: [] });
  }
  return found.length === 0 ? [fine(CHECK, 'programs can be run where they lie')] : found;
}

function said({ point }: Mount, says: string): string {
  return `${point} is mounted noexec: ${says}`;
}

async function tableOfMounts(): Promise<string> {
  try {
    return await readFile('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}

/** The lines of `/proc/self/mountinfo`, see proc_pid_mountinfo(5): the fifth word is the place, the sixth how it is mounted. */
export function readMounts(table: string): readonly Mount[] {
  return table
    .split('\n')
    .map((line) => line.split(' '))
    .filter((words) => words.length > 5)
    .map(([, , , , point = '', options = '']) => ({
      point: point.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
      isNoexec: options.split(',').includes('noexec'),
    }));
}

/** What a folder that is there, or would be made, lies on; of two at one place the later one covers the other. */
export function mountOf(dir: string, mounts: readonly Mount[]): Mount | undefined {
  let there = dir;
  while (!existsSync(there) && there !== dirname(there)) there = dirname(there);
  const real = `${realpathSync(there)}/`;
  const above = mounts.filter(({ point }) => real.startsWith(point.endsWith('/') ? point : `${point}/`));
  const longest = Math.max(...above.map(({ point }) => point.length));
  return above.findLast(({ point }) => point.length === longest);
}
