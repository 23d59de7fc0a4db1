import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const PROGRAM = 'apps/writ/dist/writ.js';
/** What `writ delegate` and `writ run` start. */
const ALONE = 'apps/writ/dist/delegate.cjs';

/** What a bundled file loads before its own first line runs: paths of the files beside it. */
function loadedWith(path: string): readonly string[] {
  const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|export)\b[^;()]*?["'](\.[^"']+)["'];/gm);
  return [...imports].map(([, beside = '']) => join(dirname(path), beside));
}

/** What a test may change, in a folder of its own. */
function copyOfAlone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'writ-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const copy = join(folder, 'delegate.cjs');
  copyFileSync(ALONE, copy);
  return copy;
}

it('the command line loads nothing of a node before it knows what it is asked for', () => {
  const loaded = new Set([PROGRAM]);
  for (const path of loaded) for (const next of loadedWith(path)) loaded.add(next);
  const sources = [...loaded].flatMap((path) =>
    [
      ...readFileSync(path, 'utf8').matchAll(
        /^\/\/ (?:\.\.\/)*(packages\/[\w-]+|node_modules\/(?:@[\w-]+\/)?[\w-]+)/gm,
      ),
    ].map(([, name]) => name),
  );
  expect([...new Set(sources)].sort()).toEqual([
    'node_modules/async-mutex',
    'node_modules/canonicalize',
    'node_modules/commander',
    'node_modules/picocolors',
    'node_modules/uuidv7',
    'packages/core',
    'packages/gateway',
  ]);
});

it('the commands that start most often are one file, without the definitions of the others', () => {
  const text = readFileSync(ALONE, 'utf8');
  expect(text).not.toMatch(/require\("\.|import\(/);
  expect(text).toContain('src/cli/commands/delegate.ts');
  expect(text).not.toContain('src/cli/commands/index.ts');
  expect(text.length).toBeLessThan(250_000);
});

it('they start from what was compiled at the build, and without that as well', () => {
  const kept = `require(${JSON.stringify(resolve('apps/writ/bin/kept-script.js'))})`;
  // In a process without options: V8 takes nothing that was compiled under others.
  const inNode = (script: string, ...args: string[]): string =>
    spawnSync(process.execPath, ['-e', script, ...args], { encoding: 'utf8', env: {} }).stdout;
  const isRejected = (file: string) =>
    inNode(`console.log(${kept}.loadScript(process.argv[1]).cachedDataRejected)`, file);
  const help = (file: string) => inNode(`${kept}.runScript(process.argv[1])`, file, 'run', '--help');
  expect(isRejected(ALONE)).toBe('false\n');
  const copy = copyOfAlone();
  expect(help(copy)).toContain('Usage: writ run');
  writeFileSync(inNode(`process.stdout.write(${kept}.keptPath(process.argv[1]))`, copy), 'made by another program');
  expect(isRejected(copy)).toBe('true\n');
  expect(help(copy)).toContain('Usage: writ run');
});

it('a build keeps it by a call that asks nobody, also in the environment of a task', async () => {
  const copy = copyOfAlone();
  const socket = join(dirname(copy), 'task.sock');
  let asked = 0;
  const door = createServer((connection) => {
    asked += 1;
    connection.destroy();
  });
  onTestFinished(() => new Promise<void>((resolve) => door.close(() => resolve())));
  await new Promise<void>((resolve) => door.listen(socket, resolve));
  const keeper = `require(${JSON.stringify(resolve('apps/writ/keep-compiled.cjs'))}).keepCompiled`;
  const script = `${keeper}(process.argv[1], process.argv.slice(2))`;
  const env = { WRIT_TASK_SOCKET: socket, WRIT_TASK_TOKEN: 'of a task' };
  const keep = (file: string): Promise<string> =>
    new Promise((resolve) => {
      const call = ['--home', join(dirname(copy), 'none'), 'delegate', '--peer', 'self', '--', 'true'];
      execFile(process.execPath, ['-e', script, file, ...call], { env }, (_, __, stderr) => resolve(stderr));
    });
  expect(await keep(copy)).toBe('');
  expect(readdirSync(dirname(copy)).filter((name) => name.endsWith('.compiled'))).toHaveLength(1);
  expect(asked).toBe(0);

  const broken = join(dirname(copy), 'broken.cjs');
  writeFileSync(broken, 'not a program');
  expect(await keep(broken)).toContain(`nothing was kept of what is compiled of ${broken}`);
});

it.each([
  [['--home', 'run', 'delegate', '--help'], ALONE],
  [['task', 'list', '--help'], PROGRAM],
  [['--home', 'delegate', 'status', '--help'], PROGRAM],
])('%j is answered by the file that has it', (argv, program) => {
  const own = spawnSync(process.execPath, [program, ...argv], { encoding: 'utf8' });
  const asked = spawnSync(process.execPath, ['apps/writ/bin/writ.js', ...argv], { encoding: 'utf8' });
  expect(asked.status).toBe(0);
  expect(asked.stdout).toBe(own.stdout);
});
