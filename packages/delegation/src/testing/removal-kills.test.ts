import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('a node that is killed while it removes what has had its time', () => {
  it('has no task without what belongs to it, and nothing that stays for ever', () => {
    const args = ['scripts/run-ts.mjs', 'packages/delegation/src/testing/prove-removal-kills.ts', '11', '43'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([stderr, stdout.trim().replace(/^\d+/, 'n')]).toEqual([
      '',
      'n kills: no task without what belongs to it, nothing left',
    ]);
  }, 240_000);
});
