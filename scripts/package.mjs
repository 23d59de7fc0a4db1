/**
 * Packs the built command line, installs it with `npm install --global` into an empty prefix, and uses it there as
 * somebody new would, from a home folder with nothing in it. The SQLite binding of this tree is put in its place, since
 * compiling takes minutes; with `--compile` npm's own way is taken. Nothing is left behind.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conclude } from './lib/run.mjs';
import { ROOT } from './lib/tree.mjs';

/** Longest that one command may take, milliseconds. */
const LONGEST_MS = 120_000;

const scratch = mkdtempSync(join(tmpdir(), 'writ-package-'));
const [prefix, home] = ['prefix', 'home'].map((name) => join(scratch, name));
const compile = process.argv.includes('--compile');
const complaints = [];

/** Runs a command; what it printed. A complaint where it does not end with 0, or does not say what is wanted. */
function run(argv, { cwd = scratch, env = process.env, says } = {}) {
  const [program, ...args] = argv;
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: LONGEST_MS });
  if (status !== 0) complaints.push(`${argv.join(' ')} ended with ${status}: ${stderr.trim().slice(-600)}`);
  else if (says !== undefined && !says.test(stdout))
    complaints.push(`${argv.join(' ')} says nothing like ${says}: ${stdout}`);
  return stdout;
}

/** Installs the packed program; the folder that it is in. */
function install() {
  run(['npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', scratch], { cwd: join(ROOT, 'apps/writ') });
  const packed = readdirSync(scratch).find((name) => name.endsWith('.tgz'));
  if (packed === undefined) return undefined;
  const scripts = compile ? [] : ['--ignore-scripts'];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  run([
    'npm',
    'install',
    '--global',
    '--prefix',
    prefix,
    '--prefer-offline',
    ...scripts,
    ...quiet,
    join(scratch, packed),
  ]);
  const folder = join(prefix, 'lib/node_modules/@writ/cli');
  if (!compile && existsSync(folder)) {
    meetMissingBinding();
    const binding = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
    mkdirSync(join(folder, binding, '..'), { recursive: true });
    cpSync(join(ROOT, binding), join(folder, binding));
  }
  return folder;
}

/** Without the compiled part of SQLite: the command that compiles it is said, and nothing is made. */
function meetMissingBinding() {
  mkdirSync(home, { recursive: true });
  const env = { HOME: home, PATH: process.env.PATH, NO_COLOR: '1' };
  const argv = [join(prefix, 'bin/writ'), 'init', '--yes'];
  const { status, stderr } = spawnSync(argv[0], argv.slice(1), {
    cwd: home,
    env,
    encoding: 'utf8',
    timeout: LONGEST_MS,
  });
  if (status === 0 || !/npm rebuild better-sqlite3/.test(stderr)) complaints.push(`without its binding: ${stderr}`);
  const made = readdirSync(home);
  if (made.length > 0) complaints.push(`without its binding it made ${made.join(', ')}`);
}

/** What the package brings along, beside what npm installs for its one dependency. */
function lookInto(folder) {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const names = Object.keys(dependencies);
  if (names.join() !== 'better-sqlite3') complaints.push(`the package depends on ${names.join(', ')}`);
  for (const file of [
    'node.js',
    'spawner.js',
    'policy-thread.js',
    'command-thread.js',
    'tree-sitter-bash.wasm',
    'web-tree-sitter.wasm',
  ]) {
    if (!existsSync(join(folder, 'dist', file))) complaints.push(`the package has no dist/${file}`);
  }
}

/** From nothing to a task that is done, and down again. */
function use() {
  mkdirSync(join(home, '.cursor'), { recursive: true });
  const env = { HOME: home, PATH: process.env.PATH, NO_COLOR: '1' };
  const writ = (args, says) => run([join(prefix, 'bin/writ'), ...args], { cwd: home, env, says });
  writ(
    ['init', '--yes', '--name', 'packed', '--listen', '127.0.0.1:0'],
    /completed: .*; its signed result was verified/,
  );
  writ(['down'], /stopped/);
  writ(['up'], /running/);
  writ(['delegate', '--peer', 'self', '--', 'echo', 'from a package'], /from a package/);
  writ(['policy', 'classify', '--', 'rm', '-rf', '/srv/x'], /destructive/);
  writ(['mcp', 'install', '--client', 'cursor'], /cursor knows this node/);
  writ(['status', '--json'], /"name":"packed"/);
  writ(['down'], /stopped/);
}

try {
  const folder = install();
  if (complaints.length === 0) {
    lookInto(folder);
    use();
  }
} finally {
  // Where a step failed, a node is perhaps left.
  const writ = join(prefix, 'bin/writ');
  if (existsSync(writ)) spawnSync(writ, ['down'], { env: { HOME: home, PATH: process.env.PATH }, stdio: 'ignore' });
  rmSync(scratch, { recursive: true, force: true });
}
conclude('package', complaints, 'packs, installs into an empty prefix, and does a first task from a bare home');
