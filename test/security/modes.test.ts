import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, WRIT_PROGRAM } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith, findTool } from '../support/require.ts';
import { readTrace, TRACED } from './modes-trace.ts';

const PASSPHRASE = 'four words of a test';
const RELAY = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
/** Whatever is made is as open as its maker asks for. */
const UNMASKED = ['-c', 'umask 0; exec "$@"', 'sh'];

describe('the reading of a trace', () => {
  const read = (...lines: string[]) => readTrace(lines.join('\n'), '/h').exposed;

  it('finds what was open for a moment, and nothing else', () => {
    expect(read('1 openat(AT_FDCWD, "/h/a", O_WRONLY|O_CREAT|O_CLOEXEC, 0644) = 3')).toEqual(['openat a 644']);
    expect(read('1 openat(AT_FDCWD, "/h/a", O_WRONLY|O_CREAT, 0640 <unfinished ...>')).toEqual(['openat a 640']);
    expect(read('1 mkdir("/h/d", 0777)   = 0')).toEqual(['mkdir d 777']);
    expect(read('1 fchmod(7, 0644) = 0')).toEqual(['fchmod a descriptor 644']);
    expect(read('1 bind(9, {sa_family=AF_UNIX, sun_path="/h/s"}, 110) = 0')).toEqual(['bind s 777']);
    const made = '1 openat(AT_FDCWD, "/h/a", O_RDWR|O_CREAT|O_EXCL, 0600) = 3';
    const again = '1 openat(AT_FDCWD, "/h/a", O_RDWR|O_CREAT, 0644) = 3';
    expect(read(made, again)).toEqual([]);
    expect(read(made, '1 unlink("/h/a") = 0', again)).toEqual(['openat a 644']);
    const masked = ['1 umask(077) = 000', '1 bind(9, {sa_family=AF_UNIX, sun_path="/h/s"}, 110) = 0'];
    expect(read(...masked)).toEqual([]);
    expect(read('1 openat(AT_FDCWD, "/h/a", O_RDONLY) = 3', '1 mkdir("/other", 0777) = 0')).toEqual([]);
    expect(read('1 openat(AT_FDCWD, "/h/a", O_RDWR|O_CREAT, 0600) = 3', '1 mkdir("/h", 0700) = 0')).toEqual([]);
  });
});

describeWith(['strace', 'python3'], 'what a node makes, from the first system call and under no umask', () => {
  let dir: string;
  let home: string;
  let traces = 0;
  const children: ChildProcess[] = [];
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'wt-'));
    chmodSync(dir, 0o755);
    home = join(dir, 'home');
  });
  afterAll(async () => {
    for (const child of children) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    }
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
    rmSync(dir, { recursive: true, force: true });
  });

  /** Starts `writ` under a trace; `ended` once everything that it started has. */
  function traced(argv: readonly string[], atTerminal = false) {
    traces += 1;
    const there = existsSync(home) ? readdirSync(home, { recursive: true, encoding: 'utf8' }) : [];
    const file = join(dir, `trace-${traces}`);
    const writ = [process.execPath, WRIT_PROGRAM, '--home', home, ...argv];
    const trace = ['-f', '-qq', '--seccomp-bpf', '-s', '4096', '-e', `trace=${TRACED}`, '-o', file];
    const command = [findTool('strace') ?? '', ...trace, ...writ];
    const [program, args] = atTerminal
      ? (['python3', ['-c', RELAY, 'sh', ...UNMASKED, ...command]] as const)
      : (['sh', [...UNMASKED, ...command]] as const);
    const env = { PATH: process.env.PATH, HOME: dir, TMPDIR: dir, XDG_RUNTIME_DIR: dir };
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    children.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return {
      says: (pattern: RegExp) => until(`${argv.join(' ')} says ${pattern}`, () => pattern.test(said) || undefined),
      type: (text: string) => void child.stdin.write(text),
      async ended() {
        child.stdin.end();
        const code = child.exitCode ?? (await once(child, 'exit'))[0];
        expect(code, said).toBe(0);
        return readTrace(readFileSync(file, 'utf8'), home, there);
      },
    };
  }

  async function upAndDown(meanwhile: () => Promise<void> = async () => undefined) {
    const up = traced(['up']);
    await until('the node answers', () => existsSync(join(home, 'run', 'node.json')) || undefined);
    await meanwhile();
    const down = traced(['down']);
    expect((await down.ended()).exposed).toEqual([]);
    return up.ended();
  }

  it('is closed to others when a node is made', async () => {
    const { paths, exposed } = await traced(['init', '--no-start', '--name', 'x']).ended();
    expect(exposed).toEqual([]);
    expect([...paths].filter((path) => path.startsWith('keys/identity.pem'))).not.toEqual([]);
  });

  it('is closed to others when it starts for the first time and its first approver is enrolled', async () => {
    const { paths, exposed } = await upAndDown(async () => {
      const enrolling = traced(['approver', 'enroll', '--label', 'ada'], true);
      for (const asked of [/new passphrase: $/, /the same again: $/]) {
        await enrolling.says(asked);
        enrolling.type(`${PASSPHRASE}\r`);
      }
      const made = await enrolling.ended();
      expect(made.exposed).toEqual([]);
      expect([...made.paths].some((path) => path.startsWith('approvers/ap-'))).toBe(true);
    });
    expect(exposed).toEqual([]);
    const names = [...paths].map((path) => path.split('/').at(-1) ?? '');
    for (const name of ['writ.db', 'writ.db-wal', 'writ.db-shm', 'writ.db.lock', 'control.sock']) {
      expect(names).toContain(name);
    }
    expect(names.some((name) => name.startsWith('host-token'))).toBe(true);
  });

  it('is closed to others when it starts again', async () => {
    expect((await upAndDown()).exposed).toEqual([]);
  });

  it('is closed to others in the end', () => {
    const open = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
      (path) => (lstatSync(join(home, path)).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
  });
});
