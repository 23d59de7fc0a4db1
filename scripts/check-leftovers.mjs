/**
 * Runs a command and fails when it leaves something behind: `node scripts/check-leftovers.mjs [--in FOLDER] -- npm test`.
 * FOLDER is looked at instead of the clone.
 *
 * The command gets a temporary folder of its own as TMPDIR and a mark in its environment. Left behind is a process that
 * carries the mark or whose command line or folder lies in the clone or the temporary folder and that was not there
 * before; a file, folder or socket in the temporary folder; a file in the clone that git does not ignore. Processes left behind that carry
 * the mark are ended (another may be somebody's editor), the temporary folder is removed. The exit status is the command's own, or 1 when something was left.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from './lib/tree.mjs';

const MARK = 'WRIT_LEFTOVER_MARK';
/** A process that is being reaped needs a moment; what is there after this is left behind. */
const GRACE_MS = 3000;
const STEP_MS = 100;

function attempt(read) {
  try {
    return read();
  } catch {
    return '';
  }
}

/** Live processes of this machine that we may look at, by pid. */
function processes() {
  const pids = attempt(() => readdirSync('/proc')) || [];
  return pids
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => ({
      pid: Number(pid),
      startedAt: attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[19]),
      state: attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1][0]),
      command: attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()),
      environment: attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8')),
      folder: attempt(() => readlinkSync(`/proc/${pid}/cwd`)),
    }))
    .filter(({ state }) => state !== 'Z' && state !== '');
}

const identity = ({ pid, startedAt }) => `${pid} ${startedAt}`;

function leftProcesses({ place, before, mark, temporary }) {
  const ours = ({ command, environment, folder }) =>
    environment.includes(mark) ||
    [place, temporary].some((one) => command.includes(one) || folder === one || folder.startsWith(`${one}/`));
  return processes().filter((one) => !before.has(identity(one)) && ours(one));
}

function untracked(place) {
  return attempt(() =>
    execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: place, encoding: 'utf8' }),
  )
    .split('\n')
    .filter((line) => line !== '');
}

function runCommand(command, args, environment) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...environment },
    });
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

async function settled(state) {
  let left = leftProcesses(state);
  for (let waitedMs = 0; left.length > 0 && waitedMs < GRACE_MS; waitedMs += STEP_MS) {
    await pause(STEP_MS);
    left = leftProcesses(state);
  }
  return left;
}

function parse(argv) {
  const [option, folder] = argv;
  const place = option === '--in' ? realpathSync(folder) : ROOT;
  const [separator, command, ...args] = option === '--in' ? argv.slice(2) : argv;
  if (separator !== '--' || command === undefined) {
    console.error('usage: node scripts/check-leftovers.mjs [--in FOLDER] -- COMMAND [ARGUMENTS…]');
    process.exit(2);
  }
  return { place, command, args };
}

const { place, command, args } = parse(process.argv.slice(2));
const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'writ-t-')));
const mark = randomUUID();
const state = { place, before: new Set(processes().map(identity)), mark, temporary };
const treeBefore = new Set(untracked(place));
const status = await runCommand(command, args, { TMPDIR: temporary, [MARK]: mark });
const left = await settled(state);
const complaints = [
  ...left.map(({ pid, command: line }) => `process ${pid} still runs: ${line.slice(0, 200)}`),
  ...readdirSync(temporary).map((name) => `left in the temporary folder: ${name}`),
  ...untracked(place)
    .filter((line) => !treeBefore.has(line))
    .map((line) => `changed in the clone: ${line}`),
];
for (const { pid, environment } of left) if (environment.includes(mark)) attempt(() => process.kill(pid, 'SIGKILL'));
rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
for (const complaint of complaints) console.error(`leftover: ${complaint}`);
if (complaints.length === 0) console.log('leftovers: none (processes, temporary files, sockets, files in the clone)');
process.exitCode = status === 0 && complaints.length > 0 ? 1 : status;
