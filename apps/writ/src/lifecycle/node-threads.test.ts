import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith } from '../../../../test/support/require.ts';
import { nodeEnvironment } from './start-node.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-threads-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * Asks for names while the machine's own list of names is a pipe that nobody writes, then for one more when it can be read:
 * prints its address, or that it is not found. Ends hard: the others would be waited for.
 */
const PROGRAM = `
const { lookup } = require('node:dns');
const { execFileSync } = require('node:child_process');
const { writeFileSync, readdirSync, readlinkSync } = require('node:fs');
const [, folder, silent] = process.argv;
const place = (name) => execFileSync('mount', ['--bind', folder + '/' + name, '/etc/hosts']);
const end = (word) => { require('node:fs').writeSync(1, word); process.kill(process.pid, 'SIGKILL'); };
writeFileSync(folder + '/names', '127.0.0.1 localhost\\n203.0.113.5 named.example\\n');
execFileSync('mkfifo', [folder + '/nobody']);
place('nobody');
for (let at = 0; at < Number(silent); at += 1) lookup('silent' + at + '.example', () => {});
const ask = () => {
  place('names');
  const late = setTimeout(() => end('held up'), 3000);
  lookup('named.example', (error, address) => { clearTimeout(late); end(error ? error.code : address); });
};
// Those that got a thread have to stand at the pipe by then: the kernel tells nobody of it, and is asked until nothing changes.
let [last, still] = ['', 0];
const look = () => {
  const states = readdirSync('/proc/self/task').map((id) => require('node:fs').readFileSync('/proc/self/task/' + id + '/wchan', 'utf8'));
  const now = states.join();
  still = now === last ? still + 1 : 0;
  last = now;
  if (still > 20) ask(); else setTimeout(look, 10);
};
look();
`;

async function found(environment: NodeJS.ProcessEnv, silent: number): Promise<string> {
  const argv = ['-Urm', process.execPath, '-e', PROGRAM, folder, String(silent)];
  const run = promisify(execFile)('unshare', argv, { env: environment, timeout: 50_000 });
  return run.then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
}

describeWith(['unshare'], 'the threads of a node', () => {
  const PATH = process.env.PATH ?? '/usr/bin:/bin';

  it('leave names that somebody answers for their turn where a dozen others have no answer', async () => {
    expect(await found({ PATH }, 12)).toBe('held up');
    rmSync(join(folder, 'nobody'));
    expect(await found(nodeEnvironment({ all: { PATH } }), 12)).toBe('203.0.113.5');
  });

  it('are as many as a person says', () => {
    expect(nodeEnvironment({ all: { PATH, UV_THREADPOOL_SIZE: '5' } })).toEqual({ PATH, UV_THREADPOOL_SIZE: '5' });
  });
});
