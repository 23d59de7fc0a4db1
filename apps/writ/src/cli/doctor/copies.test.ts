import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copiesFindings, mountOf, readMounts } from './copies.ts';

const HOME = { point: '/home', isNoexec: true };
const RUN = { point: '/run', isNoexec: true };

describe('where copies lie', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'writ-mounts-')));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is on the mount that is nearest, and on the last one of a place, whether or not the folder is there', () => {
    mkdirSync(join(folder, 'a b', 'c'), { recursive: true });
    const line = (point: string, options: string) =>
      `22 27 0:21 / ${point} ${options} shared:1 - tmpfs tmpfs rw,noexec`;
    const mounts = readMounts(
      [
        line('/', 'rw,relatime'),
        line(`${folder}/a`, 'rw,noexec'),
        line(`${folder}/a\\040b`, 'rw,nosuid'),
        line(`${folder}/a\\040b`, 'rw,noexec,nosuid'),
        line(`${folder}/a\\040b/c`, 'rw'),
        '',
      ].join('\n'),
    );
    const noexec = (dir: string) => mountOf(join(folder, dir), mounts)?.isNoexec;
    expect([noexec('ab'), noexec('a b'), noexec('a b/d/e'), noexec('a b/c'), noexec('a b/c/d')]).toEqual([
      ...[false, true, true, false, false],
    ]);
    expect(mountOf(join(folder, 'a b', 'd'), mounts)?.point).toBe(join(folder, 'a b'));
    expect(mountOf(folder, [])).toBeUndefined();
  });

  it('is said where programs cannot be run from there, with what to do and what becomes of commands', () => {
    const of = (programs: readonly (typeof HOME | undefined)[], scripts: readonly (typeof HOME | undefined)[]) =>
      copiesFindings({ programs, scripts }).map(({ state, says }) => `${state}: ${says}`);
    expect(of([undefined, HOME], [undefined])).toEqual(['ok: programs can be run where they lie']);
    expect(of([undefined], [])).toEqual([expect.stringMatching(/^ok/)]);
    expect(of([HOME, undefined], [RUN, undefined])).toEqual([
      expect.stringMatching(/^warning: \/home is mounted noexec: copies lie in the node’s own home/),
    ]);
    expect(of([HOME, HOME], [RUN])).toEqual([
      'problem: /home is mounted noexec: no gated command runs from a copy',
      'note: /run is mounted noexec: copies of scripts lie where those of programs do',
    ]);
    expect(copiesFindings({ programs: [HOME, undefined], scripts: [RUN] }).map(({ mend }) => mend)).toEqual([
      ['sudo mount -o remount,exec /home', 'or run the node with a HOME elsewhere', 'then: writ down && writ up'],
      // A machine is set up so on purpose: no hardening of it is given up for a note.
      [],
    ]);
  });
});
