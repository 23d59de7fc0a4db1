import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';

/** Without a number it looks at all of them. */
const STRIDE = '3';

/** Whether another user can come to a folder: who looks is one where root runs this, loads what lies in the checkout, and looks at a home in the other. */
function isOpenToOthers(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false;
  return folder === dirname(folder) || isOpenToOthers(dirname(folder));
}

const isTried = process.geteuid?.() !== 0 || [process.cwd(), tmpdir()].every(isOpenToOthers);
it.skipIf(!isTried)(
  'whatever is wrong with a file or folder of a home, doctor says what a node that starts says, and what mends it',
  () => {
    const args = ['scripts/run-ts.mjs', 'apps/writ/src/testing/home-faults/main.ts', STRIDE];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([stderr, stdout]).toEqual(['', expect.stringMatching(/^\d{2,} faults\n$/)]);
  },
  300_000,
);
