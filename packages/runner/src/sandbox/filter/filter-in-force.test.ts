import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../../../../test/support/require.ts';
import { createSandboxed, type Sandboxed } from '../../testing/sandboxed.ts';
import { machineOf } from './call-filter.ts';
import { REFUSED_CALLS } from './refused-calls.ts';

const machine = machineOf(process.arch);
const ERRNO = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 };

describeWith(['bwrap', 'git', 'python3', 'gcc'], 'the filter of system calls of a sandboxed run', () => {
  let at: Sandboxed;
  let tools: string;
  beforeAll(async () => {
    at = await createSandboxed();
    tools = join(at.folder, 'tools');
    mkdirSync(tools);
  });
  afterAll(() => at.close());

  const python = (text: string): ReturnType<Sandboxed['run']> =>
    at.run(['/usr/bin/python3', '-c', text], { isolation: 'required' });
  const shown = (script: string): ReturnType<Sandboxed['script']> =>
    at.script(script, { readPaths: [tools], workspace: 'write', scratch: true });

  it('refuses each call of its table, as the kernel of this machine numbers them', async () => {
    if (machine === undefined) return expect.fail('no table for this machine');
    const calls = REFUSED_CALLS.filter((call) => call[machine] !== undefined && call.when === undefined);
    const text = [
      'import ctypes',
      'libc = ctypes.CDLL(None, use_errno=True)',
      `for number in [${calls.map((call) => call[machine]).join(', ')}]:`,
      '  print(libc.syscall(number, 0, 0, 0, 0, 0, 0), ctypes.get_errno())',
    ].join('\n');
    expect((await python(text)).stdout.trim().split('\n')).toEqual(calls.map(({ fails }) => `-1 ${ERRNO[fails]}`));
  });

  it('refuses namespaces, typing into a terminal and sockets that no namespace keeps apart', async () => {
    const text = [
      'import ctypes, fcntl, os, pty, socket, termios',
      'def said(name, call):',
      '  try: call(); print(name, "out")',
      '  except OSError as e: print(name, e.errno)',
      'libc = ctypes.CDLL(None, use_errno=True)',
      'def checked(result):',
      '  if result != 0: raise OSError(ctypes.get_errno(), "")',
      'said("unshare", lambda: checked(libc.unshare(0x10000000)))',
      'said("typing", lambda: fcntl.ioctl(pty.openpty()[1], termios.TIOCSTI, b"x"))',
      'said("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))',
      'said("crypto", lambda: socket.socket(38, socket.SOCK_SEQPACKET))',
      'said("local", lambda: socket.socket(socket.AF_UNIX))',
    ].join('\n');
    const { stdout } = await python(text);
    expect(stdout.trim().split('\n')).toEqual(['unshare 1', 'typing 1', 'vsock 97', 'crypto 97', 'local out']);
  });

  it('keeps the node’s keyring, and what another run left there, from it', async () => {
    const text = [
      'import ctypes',
      'libc = ctypes.CDLL(None, use_errno=True)',
      `add, ask = ${['add_key', 'keyctl'].map((name) => numberOf(name)).join(', ')}`,
      'print(libc.syscall(add, b"user", b"writ-test", b"x", 1, -3), libc.syscall(ask, 10, -3, b"user", b"writ-test", 0))',
    ].join('\n');
    expect((await python(text)).stdout).toBe('-1 -1\n');
  });

  it.skipIf(machine !== 'x86_64')('ends a program that calls as one of 32 bits', async () => {
    const source = join(at.folder, 'old.c');
    // `getpid` by the table of 32 bits.
    writeFileSync(
      source,
      'int main() { int p = 20; __asm__ volatile("int $0x80" : "+a"(p)); return p > 0 ? 7 : 8; }\n',
    );
    execFileSync('sh', ['-c', 'gcc -o "$1" "$2"', 'sh', join(tools, 'old'), source]);
    const { report } = await shown(`exec ${tools}/old`);
    expect(report.ending).toEqual({ kind: 'signal', signal: 'SIGSYS' });
  });

  it('shows nothing of the process that keeps the sandbox', async () => {
    const { stdout } = await shown(
      'ls -A /proc/1 | wc -l; echo x > /proc/1/mem || echo shut; touch /proc/1/x || echo shut',
    );
    expect(stdout).toBe('0\nshut\nshut\n');
  });

  it('lets compilers, interpreters, git, threads and child processes work', async () => {
    const c =
      '#include <pthread.h>\nvoid *f(void *x) { return x; }\nint main() { pthread_t t; return pthread_create(&t, 0, f, 0) || pthread_join(t, 0); }\n';
    const js = [
      'const { Worker } = require("node:worker_threads"), { execFileSync } = require("node:child_process"), fs = require("node:fs");',
      'new Worker("require(\\"node:worker_threads\\").parentPort.postMessage(1)", { eval: true }).on("message", () =>',
      '  fs.readFile("js", () => console.log("node", String(execFileSync("echo", ["ok"])).trim())));',
    ].join('\n');
    const py = [
      'import concurrent.futures as f, multiprocessing as m, socket, subprocess, tempfile',
      'def one(x): return x + 1',
      'if __name__ == "__main__":',
      '  with f.ThreadPoolExecutor() as t: assert sum(t.map(one, range(9))) == 45',
      '  with m.Pool(2) as p: assert sum(p.map(one, range(9))) == 45',
      '  a, b = socket.socketpair(); a.send(b"x"); assert b.recv(1) == b"x"',
      '  print("python", subprocess.check_output(["echo", "ok"], text=True).strip())',
    ].join('\n');
    for (const [name, text] of Object.entries({ 'c.c': c, js, py })) writeFileSync(join(tools, name), text);
    const script = [
      `gcc -O1 -pthread -o "$WRIT_SCRATCH/c" ${tools}/c.c && "$WRIT_SCRATCH/c" && echo gcc ok`,
      `cp ${tools}/js js && node js`,
      `/usr/bin/python3 ${tools}/py`,
      'echo x > file && git -c user.name=t -c user.email=t@localhost commit -qam two && git gc -q && git clone -q . other && echo git ok',
      'tar cf - file | tar tf - | sed "s/^/tar /"; timeout 5 sh -c "sleep 0.01 & wait; echo sh ok"',
    ].join('\n');
    const { stdout, stderr } = await shown(script);
    expect(`${stdout}${stderr}`).toBe('gcc ok\nnode ok\npython ok\ngit ok\ntar file\nsh ok\n');
  });

  it('lets a program put a narrower sandbox around itself', async () => {
    const text = [
      'import ctypes',
      'libc = ctypes.CDLL(None, use_errno=True)',
      // What a kernel without Landlock says is not the filter’s doing.
      'version = libc.syscall(444, None, 0, 1); print(version > 0 or ctypes.get_errno() in (38, 95))',
      'code = (ctypes.c_ulonglong * 1)(0x7fff000000000006)',
      'class Program(ctypes.Structure): _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]',
      'program = Program(1, ctypes.addressof(code))',
      'print(libc.prctl(22, 2, ctypes.byref(program), 0, 0))',
    ].join('\n');
    expect((await python(text)).stdout).toBe('True\n0\n');
  });

  function numberOf(name: string): number {
    const call = REFUSED_CALLS.find((each) => each.name === name);
    return (machine === undefined ? undefined : call?.[machine]) ?? -1;
  }
});
