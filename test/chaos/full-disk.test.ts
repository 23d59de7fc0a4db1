import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { describeWith } from '../support/require.ts';

describeWith(['bwrap', 'unshare'], 'a task that fills a disk', () => {
  // `npm run chaos -- disks --count 20` does more.
  it('fails; its clone is named and removed while the disk is full, and its end is written as soon as there is room', () => {
    const args = ['scripts/run-ts.mjs', 'test/chaos/main.ts', 'disks', '--count', '1'];
    // Nothing else can end it: whoever waits here hears no timer.
    const atMost = { timeout: 220_000, killSignal: 'SIGKILL' } as const;
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', ...atMost });
    expect(stderr).toBe('');
    const endings = { 'clones: failed WORKER_FAILED': 1, 'home: failed WORKER_FAILED': 1 };
    expect(JSON.parse(stdout)).toEqual({ count: 1, endings, violations: [] });
  }, 240_000);
});
