import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findUnwritable } from './writable.ts';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'writ-writable-')));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('a folder', () => {
  it('is looked at where it is, or where it would be made', () => {
    expect(findUnwritable(dir)).toBeUndefined();
    expect(findUnwritable(join(dir, 'a', 'b'))).toBeUndefined();
    expect(findUnwritable('/')?.message ?? '').not.toContain('cannot be made');
  });

  // Nobody keeps root from writing.
  it.skipIf(process.geteuid?.() === 0)('is refused where its user may not write', () => {
    const closed = join(dir, 'closed');
    mkdirSync(closed, { mode: 0o500 });
    expect(findUnwritable(join(closed, 'new'))).toMatchObject({
      code: 'BAD_REQUEST',
      message: `\`${closed}/new\` cannot be made: \`${closed}\` cannot be written by this user`,
    });
    chmodSync(closed, 0o700);
    expect(findUnwritable(join(closed, 'new'))).toBeUndefined();
  });

  it('says nothing of what stands in its way', () => {
    writeFileSync(join(dir, 'file'), '', { mode: 0o700 });
    expect(findUnwritable(join(dir, 'file', 'below'))).toBeUndefined();
  });
});
