import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from '../../../../../test/support/require.ts';
import { bundle } from '../../testing/bundle.ts';
import type { Executed } from '../probe.ts';
import { createSystemLookup } from './system-lookup.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-lookup-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs what is to be run; what it was told. */
function running(env: Readonly<Record<string, string | undefined>>, path: string, answer?: string) {
  const calls: { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> }[] = [];
  const lookup = createSystemLookup({
    ...{ env, path, node: process.execPath },
    execute: async ([program = '', ...args], how): Promise<Executed> => {
      calls.push({ argv: [program, ...args], env: how.env });
      if (answer !== undefined) return { exitCode: 0, stdout: answer, said: '' };
      return promisify(execFile)(program, args, { env: how.env }).then(
        ({ stdout }) => ({ exitCode: 0, stdout, said: '' }),
        ({ code, stderr }) => ({ exitCode: code, stdout: '', said: stderr }),
      );
    },
  });
  return { calls, lookup: (host: string) => lookup(host, new AbortController().signal) };
}

describe('the lookup of the machine', () => {
  it.each([
    ['getent', '/usr/bin:/bin'],
    ['Node.js, where there is no getent', ''],
  ])('finds by %s what the machine’s files say, and nothing for what is no name', async (_, path) => {
    const { lookup, calls } = running({}, path);
    expect(await lookup('localhost')).toContain('127.0.0.1');
    expect(await lookup(`${'a'.repeat(70)}.example`)).toEqual([]);
    expect(calls.length).toBe(2);
  });

  it('takes each address once, and no line that was cut off', async () => {
    const lines = ['192.0.2.1 STREAM here', '192.0.2.1 DGRAM', '2001:db8::1 STREAM', 'x.y STREAM', '192.0.2.12'];
    const { lookup } = running({}, '/usr/bin:/bin', lines.join('\n'));
    expect(await lookup('here.example')).toEqual(['192.0.2.1', '2001:db8::1']);
  });

  it('gives no program a name that is an option or none, and a name of another script as it is asked for', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'getent'), '');
    chmodSync(join(bin, 'getent'), 0o755);
    const { lookup, calls } = running({ RES_OPTIONS: 'timeout:1', HOME: '/' }, bin, '');
    for (const host of ['--help', '-x', 'a b', 'a%b', 'bücher.example']) await lookup(host);
    expect(calls).toEqual([
      { argv: [join(bin, 'getent'), 'ahosts', 'xn--bcher-kva.example'], env: { RES_OPTIONS: 'timeout:1' } },
    ]);
  });
});

describeWith(['unshare'], 'a machine whose files say where names lead', () => {
  it('has nobody wait for a lookup that never ends: neither other runs nor the end of the node', async () => {
    const [script, driver] = await Promise.all([
      bundle(new URL('../../spawner/main.ts', import.meta.url), folder),
      bundle(new URL('../../testing/silent-names.ts', import.meta.url), folder),
    ]);
    const argv = ['-Urm', process.execPath, driver, folder, script];
    const { stdout } = await promisify(execFile)('unshare', argv, { env: { PATH: '/usr/bin:/bin' }, timeout: 50_000 });
    expect(JSON.parse(stdout)).toEqual({
      before: ['203.0.113.5'],
      silent: ['gone'],
      peer: '127.0.0.1',
      again: ['203.0.113.5'],
      left: 0,
    });
  });
});
