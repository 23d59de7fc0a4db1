import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromHere } from './from-here.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-here-'));
  symlinkSync(process.cwd(), join(root, 'link'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a path from where somebody stands', () => {
  it('goes by the way that led there', () => {
    const all = { PWD: join(root, 'link') };
    expect(fromHere({ all })).toBe(join(root, 'link'));
    expect(fromHere({ all }, 'a')).toBe(join(root, 'link/a'));
    expect(fromHere({ all }, '/a')).toBe('/a');
  });

  it.each([undefined, '', '.', '/', '/nowhere/at/all'])('and by no other: %s', (PWD) => {
    expect(fromHere({ all: { PWD } }, 'a')).toBe(resolve('a'));
  });
});
