import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describeWith } from '../../../test/support/require.ts';
import { bundle } from './testing/bundle.ts';

describeWith(['unshare'], 'a cancel that meets another process under the pid of its task', () => {
  it('ends what is left of the task, and leaves the stranger alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'writ-pids-'));
    try {
      const script = await bundle(new URL('./spawner/main.ts', import.meta.url), folder);
      const driver = await bundle(new URL('./testing/pid-reuse.ts', import.meta.url), folder);
      const argv = ['-Urpf', '--mount-proc', process.execPath, driver, folder, script];
      const { stdout } = await promisify(execFile)('unshare', argv, { env: { PATH: '/usr/bin:/bin' } });
      expect(JSON.parse(stdout)).toEqual({ deaf: 0, stranger: true });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
