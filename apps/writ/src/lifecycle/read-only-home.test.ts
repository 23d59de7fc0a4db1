import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith } from '../../../../test/support/require.ts';
import { resolveHome } from '../home.ts';
import { initNode } from './init-node.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'writ-read-only-')));
});
afterEach(() => rmSync(root, { recursive: true }));

/** The program of `read-only-home.ts`, where a real process can run it. */
async function program(): Promise<string> {
  const outfile = join(root, 'program.mjs');
  const packages = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
  symlinkSync(packages, join(root, 'node_modules'));
  await build({
    entryPoints: [fileURLToPath(new URL('../testing/read-only-home.ts', import.meta.url))],
    ...{ bundle: true, platform: 'node', target: 'node20', format: 'esm', outfile, logLevel: 'error' },
    // It has a binary beside it, which is loaded as a node loads it.
    external: ['better-sqlite3'],
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(${JSON.stringify(outfile)});`,
    },
  });
  return outfile;
}

describeWith(['unshare'], 'a home on a read-only file system', () => {
  it('is told as that, whatever the system says of it, with what to do', async () => {
    const made = join(root, 'place', 'made');
    mkdirSync(made, { recursive: true });
    chmodSync(made, 0o700);
    await initNode(resolveHome({} as Parameters<typeof resolveHome>[0], made), {
      ...{ name: 'solo', workspaces: [], isolation: 'none' },
    });
    const place = join(root, 'place');
    const script = `mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" "$3" "$1/new" "$1/made"`;
    const argv = ['-Urm', 'sh', '-c', script, 'sh', place, process.execPath, await program()];
    const { stdout } = await promisify(execFile)('unshare', argv, { timeout: 50_000 });
    const nextSteps = [expect.stringContaining('mount the file system'), expect.stringContaining('--home DIR')];
    const noPlace = `\`${place}/new\` cannot be made: \`${place}\` is on a read-only file system`;
    const noRoom = `\`${made}\` is on a read-only file system`;
    expect(JSON.parse(stdout)).toEqual({
      init: { code: 'BAD_REQUEST', message: noPlace, nextSteps },
      up: { code: 'BAD_REQUEST', message: noRoom, nextSteps },
      freshDoctor: [`home: there is no node in \`${place}/new\``, `home: ${noPlace}`],
      madeDoctor: [`home: ${noRoom}`],
    });
  });
});
