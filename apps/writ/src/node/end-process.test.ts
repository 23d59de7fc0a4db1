import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../../../test/support/require.ts';

describeWith(['unshare'], 'the process of a node that is closed', () => {
  let folder: string;
  let program: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'writ-end-'));
    program = join(folder, 'program.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('../testing/lingering-process.ts', import.meta.url))],
      ...{ bundle: true, platform: 'node', target: 'node20', format: 'esm', outfile: program, logLevel: 'error' },
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Whether it ended within a few seconds without being ended, and what it wrote last. */
  function ended(how: string): Promise<readonly [boolean, string]> {
    rmSync(join(folder, 'nobody'), { force: true });
    const argv = ['-Urm', process.execPath, program, folder, how];
    const options = { timeout: 6_000, killSignal: 'SIGKILL' } as const;
    return promisify(execFile)('unshare', argv, options).then(
      ({ stdout, stderr }) => [true, stdout + stderr] as const,
      ({ killed, stdout, stderr }) => [killed === false, `${stdout}${stderr}`] as const,
    );
  }

  it('ends although a name is looked up that nobody answers for, and writes first what is to be written', async () => {
    expect(await ended('waits')).toEqual([false, '']);
    expect(await ended('node')).toEqual([true, 'written']);
  });

  it('ends by itself where nothing keeps it', async () => {
    expect(await ended('nothing')).toEqual([true, '']);
  });
});
