import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../../../test/support/require.ts';
import { createSandboxed, type Sandboxed } from '../testing/sandboxed.ts';

/** A way out, and what a run that takes it must say. Every script says `out` where the way is open. */
const WAYS: readonly (readonly [string, string])[] = [
  ['a file of the node', 'cat "$NODE/secret" && echo out'],
  ['a link out of the workspace', 'ln -s "$NODE/secret" way && cat way && echo out'],
  [
    'a link that is swapped while it is read',
    'for i in 1 2 3 4 5 6 7 8; do ln -sfn "$NODE" w; cat w/secret && echo out; ln -sfn . w; done',
  ],
  ['the root of its first process', 'cat "/proc/1/root$NODE/secret" && echo out'],
  ['the working directory of its first process', 'cat "/proc/1/cwd$NODE/secret" && echo out'],
  ['the roots of all that it sees', 'for p in /proc/[0-9]*; do cat "$p/root$NODE/secret" && echo out; done'],
  ['a folder beside its own', 'ls -A ../.. | grep -q trash- && echo out; ls ../../../keys && echo out'],
  ['the HOME of the user of the node', 'touch /root/x /home/x && echo out'],
  ['the root of its file system', 'touch /x || mkdir /y && echo out'],
  ['the system', 'touch /usr/x || touch /etc/x || touch /opt/x && echo out'],
  ['accounts of the system', 'cat /etc/shadow && echo out'],
  ['a setting of the kernel', 'echo 0 > /proc/sys/kernel/randomize_va_space && echo out'],
  ['the handler of crashes', 'echo "|/bin/true" > /proc/sys/kernel/core_pattern && echo out'],
  ['a mount', 'mount -t tmpfs none /tmp && echo out'],
  ['a mount over what is covered', 'umount /proc/sys && echo out'],
  ['a remount', 'mount -o remount,rw / && echo out'],
  ['namespaces of its own', 'unshare -U true && echo out; unshare -Urm true && echo out'],
  ['a device', 'mknod /tmp/d b 8 0 && echo out; ls /dev/sda /dev/vda /dev/mem /dev/kmsg 2>/dev/null && echo out'],
  ['another root', 'chroot / true && echo out'],
  ['processes of the machine', 'test "$(ls -d /proc/[0-9]* | wc -l)" -gt 20 && echo out; kill -0 "$HOST" && echo out'],
  ['the host name', 'hostname owned && echo out'],
  [
    'a program with rights of its own',
    'find / -xdev -perm -4000 -exec sh -c \'"$1" --version >/dev/null; grep -q "NoNewPrivs:.0" /proc/self/status && echo out\' _ {} \\;',
  ],
];

describeWith(['bwrap', 'git'], 'a sandboxed run does not get out by', () => {
  let at: Sandboxed;
  beforeAll(async () => {
    at = await createSandboxed();
  });
  afterAll(() => at.close());

  const attempt = (script: string): ReturnType<Sandboxed['script']> =>
    at.script(`NODE='${at.nodeHome}'; HOST=${process.pid}; ${script}`, { workspace: 'write', scratch: true });

  it.each(WAYS)('%s', async (_, script) => {
    expect((await attempt(script)).stdout).not.toMatch(/out$|of the node/m);
  });

  it('the database of the node, nor is its place anything but a missing folder', async () => {
    writeFileSync(join(at.nodeHome, 'writ.db'), 'rows');
    const { stdout } = await attempt('ls "$NODE" >/dev/null 2>&1 || echo missing; echo evil > "$NODE/writ.db"; exit 0');
    expect(stdout).toBe('missing\n');
    expect(readFileSync(join(at.nodeHome, 'writ.db'), 'utf8')).toBe('rows');
  });
});

describeWith(['bwrap', 'git', 'python3'], 'a sandboxed program does not get out by', () => {
  let at: Sandboxed;
  beforeAll(async () => {
    at = await createSandboxed();
  });
  afterAll(() => at.close());

  const python = (text: string): ReturnType<Sandboxed['run']> =>
    at.run(['/usr/bin/python3', '-c', text], { isolation: 'required' });

  it('pushing characters into a terminal', async () => {
    const text = [
      'import fcntl, os, termios',
      'for path in ["/dev/tty", "/proc/self/fd/0", "/proc/1/fd/0"]:',
      '  try:',
      '    fcntl.ioctl(os.open(path, os.O_RDWR), termios.TIOCSTI, b"x"); print("out")',
      '  except OSError as e: print(e.errno)',
    ].join('\n');
    expect((await python(text)).stdout).not.toContain('out');
  });

  it('tracing a process of the machine', async () => {
    const text = `import ctypes; print("out" if ctypes.CDLL(None).ptrace(16, ${process.pid}, 0, 0) == 0 else "shut")`;
    expect((await python(text)).stdout).toBe('shut\n');
  });

  it('an abstract socket of the machine', async () => {
    const name = `\\0writ-test-${process.pid}`;
    const serve = `import socket; s = socket.socket(socket.AF_UNIX); s.bind("${name}"); s.listen(); print("up", flush=True); s.accept()`;
    const server = spawn('/usr/bin/python3', ['-c', serve], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(server.stdout, 'data');
    const connect = `import socket; s = socket.socket(socket.AF_UNIX); s.connect("${name}"); print("out")`;
    const { stdout, stderr } = await python(connect);
    expect(stdout).toBe('');
    expect(stderr).toContain('ConnectionRefusedError');
    // It was there all the time.
    expect(execFileSync('/usr/bin/python3', ['-c', connect], { encoding: 'utf8' })).toBe('out\n');
    await once(server, 'exit');
  });

  it('a socket of the node that is not the task’s own, while it reaches that one', async () => {
    const [own, other] = [join(at.folder, 'own.sock'), join(at.nodeHome, 'control.sock')];
    const servers = await Promise.all(
      [own, other].map(async (path) => {
        const server = createServer((socket) => socket.end('heard\n'));
        await new Promise<void>((resolve) => server.listen(path, resolve));
        return server;
      }),
    );
    try {
      const connect = (path: string): string =>
        `import socket; s = socket.socket(socket.AF_UNIX); s.connect("${path}"); print(s.recv(9).decode().strip())`;
      const over = { isolation: 'required', access: { socket: own, token: 'a-task-token' } } as const;
      expect((await at.run(['/usr/bin/python3', '-c', connect(own)], over)).stdout).toBe('heard\n');
      expect((await at.run(['/usr/bin/python3', '-c', connect(other)], over)).stdout).toBe('');
      expect(existsSync(other)).toBe(true);
    } finally {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    }
  });
});
