import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { executesIn } from './executing-place.ts';
import { createHeldPlace } from './held-place.ts';

describe('the place of copies', () => {
  let home: string;
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'writ-place-')));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('is the first one whose programs can be run', async () => {
    const [first, second] = [join(home, 'a'), join(home, 'b')];
    const made = async (executes: (dir: string) => boolean): Promise<string> => {
      const place = await createHeldPlace([first, second], undefined, executes).make('/bin/uptime');
      await place.remove();
      return place.path;
    };
    expect((await made((dir) => !dir.startsWith(first))).startsWith(`${second}/`)).toBe(true);
    expect((await made(executesIn)).startsWith(`${first}/`)).toBe(true);
    // Where there is none, what is only read has a place nevertheless.
    expect((await made(() => false)).startsWith(`${first}/`)).toBe(true);
  });

  it('is not touched where somebody else could put another folder', () => {
    const [open, own] = [join(home, 'open'), join(home, 'own')];
    mkdirSync(join(open, 'held'), { recursive: true });
    chmodSync(open, 0o777);
    writeFileSync(join(open, 'held', 'theirs'), '');
    const tried: string[] = [];
    createHeldPlace([join(open, 'held'), own], process.geteuid?.() ?? 0, (dir) => {
      tried.push(dir);
      return true;
    });
    expect(readdirSync(join(open, 'held'))).toEqual(['theirs']);
    expect(tried.filter((dir) => dir.startsWith(open))).toEqual([]);
    expect(tried).toHaveLength(1);
  });
});
