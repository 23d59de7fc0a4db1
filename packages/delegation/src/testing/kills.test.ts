import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('a node that is killed while tasks wait and ask', () => {
  it('leaves nothing half done, loses nothing that it acknowledged, and goes on', () => {
    const args = ['scripts/run-ts.mjs', 'packages/delegation/src/testing/prove-kills.ts', '4'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([stderr, stdout.trim()]).toEqual([
      '',
      '4 kills in 4 different steps: every database whole, nothing half done, nothing lost',
    ]);
  }, 240_000);
});
