import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MODES_COUNT } from '../../../test/support/modes-count.ts';
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

  it('is refused where its user may not write', () => {
    const [closed, open] = [join(dir, 'closed'), join(dir, 'open')];
    mkdirSync(closed, { mode: 0o500 });
    mkdirSync(open, { mode: 0o700 });
    const program = ['scripts/run-ts.mjs', 'packages/core/src/testing/print-unwritable.ts'];
    const [command = '', ...args] = [
      ...MODES_COUNT,
      process.execPath,
      ...program,
      join(closed, 'new'),
      join(open, 'new'),
    ];
    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    const refused = `BAD_REQUEST \`${closed}/new\` cannot be made: \`${closed}\` cannot be written by this user`;
    expect([stderr, stdout]).toEqual(['', `${refused}\nwritable \n`]);
  });

  it('says nothing of what stands in its way', () => {
    writeFileSync(join(dir, 'file'), '', { mode: 0o700 });
    expect(findUnwritable(join(dir, 'file', 'below'))).toBeUndefined();
  });
});
