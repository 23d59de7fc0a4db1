import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenPrivately } from './socket-file.ts';

let home: string;
const servers: Server[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'writ-sock-'));
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  await rm(home, { recursive: true, force: true });
});

function newServer(): Server {
  const server = createServer();
  servers.push(server);
  return server;
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('listenPrivately', () => {
  it('makes the folder 0700 and the socket 0600, and leaves the umask as it was', async () => {
    const before = process.umask();
    const path = join(home, 'run', 'control.sock');
    await listenPrivately(newServer(), path);
    expect(await modeOf(join(home, 'run'))).toBe(0o700);
    expect(await modeOf(path)).toBe(0o600);
    expect(process.umask()).toBe(before);
  });

  it('is closed to others at the moment it is bound, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      const path = join(home, 'run', 'control.sock');
      const server = newServer();
      const atBind = new Promise<number>((resolve) => server.once('listening', () => resolve(modeOf(path))));
      await listenPrivately(server, path);
      expect((await atBind) & 0o077).toBe(0);
    } finally {
      process.umask(before);
    }
  });

  it('refuses a folder that others can enter and names the command that mends it', async () => {
    const folder = join(home, 'open');
    await mkdir(folder);
    await chmod(folder, 0o755);
    await expect(listenPrivately(newServer(), join(folder, 's'))).rejects.toMatchObject({
      code: 'HOME_INSECURE',
      nextSteps: expect.arrayContaining([`chmod 700 ${folder}`]),
    });
  });

  it('refuses where a node listens already, and leaves that one alone', async () => {
    const path = join(home, 'run', 's');
    await listenPrivately(newServer(), path);
    await expect(listenPrivately(createServer(), path)).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
    expect((await stat(path)).isSocket()).toBe(true);
  });

  it('replaces the socket of a node that was killed', async () => {
    const path = join(home, 'run', 's');
    await mkdir(join(home, 'run'), { mode: 0o700 });
    const { spawnSync } = await import('node:child_process');
    const script = `require('net').createServer().listen(${JSON.stringify(path)},()=>process.kill(process.pid,'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    expect((await stat(path)).isSocket()).toBe(true);
    await listenPrivately(newServer(), path);
    expect(await modeOf(path)).toBe(0o600);
  });

  it('never takes away a file that is no socket', async () => {
    const path = join(home, 'run', 's');
    await mkdir(join(home, 'run'), { mode: 0o700 });
    await writeFile(path, 'precious');
    await expect(listenPrivately(newServer(), path)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await stat(path)).size).toBe(8);
  });

  it('refuses a path that no socket address can hold', async () => {
    await expect(listenPrivately(newServer(), join(home, 'x'.repeat(120)))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });
});
