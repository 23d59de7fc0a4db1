import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Without a number it looks at all of them. */
const STRIDE = '3';

it('whatever is wrong with a file or folder of a home, doctor says what a node that starts says, and what mends it', () => {
  const args = ['scripts/run-ts.mjs', 'apps/writ/src/testing/home-faults/main.ts', STRIDE];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([stderr, stdout]).toEqual(['', expect.stringMatching(/^\d{2,} faults\n$/)]);
}, 300_000);
