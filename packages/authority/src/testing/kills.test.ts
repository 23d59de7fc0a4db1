import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('a node that is killed inside a transaction', () => {
  it('leaves nothing half done, loses nothing that it acknowledged, and goes on', () => {
    const args = ['scripts/run-ts.mjs', 'packages/authority/src/testing/prove-kills.ts', '6'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([stderr, stdout.trim()]).toEqual([
      '',
      '6 kills in 6 different steps: every database whole, nothing half done, nothing lost',
    ]);
  });
});
