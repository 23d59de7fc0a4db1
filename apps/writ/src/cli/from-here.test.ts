import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
    expect(fromHere({ all }, 'packages')).toBe(join(root, 'link/packages'));
    expect(fromHere({ all }, '/a')).toBe('/a');
  });

  it('is what the system takes it for, where the words lead elsewhere', () => {
    const all = { PWD: join(root, 'link') };
    const [first = ''] = process.cwd().split('/').slice(-1);
    // Beside the link lies a folder of the name that a neighbour of the real one has.
    mkdirSync(join(root, first));
    expect(fromHere({ all }, `../${first}`)).toBe(process.cwd());
    expect(fromHere({ all }, '..')).toBe(resolve('..'));
    expect(fromHere({ all }, 'nowhere')).toBe(resolve('nowhere'));
  });

  it.each([undefined, '', '.', '/', '/nowhere/at/all', 'FILE/below', `/${'x'.repeat(5000)}`])(
    'and by no other: %s',
    (said) => {
      writeFileSync(join(root, 'file'), '');
      const PWD = said?.replace('FILE', join(root, 'file'));
      expect(fromHere({ all: { PWD } }, 'packages')).toBe(resolve('packages'));
    },
  );
});
