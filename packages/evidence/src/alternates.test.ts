import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatAlternates, parseAlternates } from './alternates.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'we-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const git = (cwd: string, ...args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();

describe('object directories that are borrowed', () => {
  it.each([
    ['plain'],
    ['with space'],
    ['#no comment'],
    ['"quoted"'],
    ['back\\slash\\n'],
    ['two\nlines'],
    ['täb\there'],
  ])('are read as they were written, by git too: %j', (name) => {
    const lender = join(root, name);
    mkdirSync(lender);
    git(lender, 'init', '-q');
    writeFileSync(join(lender, 'a'), 'lent');
    const object = git(lender, 'hash-object', '-w', 'a');
    git(root, 'init', '-q', 'borrower');
    const objects = join(lender, '.git/objects');
    const text = formatAlternates([objects]);
    appendFileSync(join(root, 'borrower/.git/objects/info/alternates'), text);
    expect(git(join(root, 'borrower'), 'cat-file', '-p', object)).toBe('lent');
    expect(parseAlternates(text)).toEqual([objects]);
  });

  it('are read as git writes them: bare, octal, and with comments between', () => {
    expect(parseAlternates('# one\n/a b\n"/\\303\\244\\t"\n"/open\n')).toEqual(['/a b', '/ä\t', '"/open']);
  });
});
