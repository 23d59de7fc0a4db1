import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createSystemClock } from '@writ/core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWith } from '../../../../../test/support/require.ts';
import { createSandboxed, NOTHING, type Sandboxed } from '../../testing/sandboxed.ts';

describeWith(['bwrap', 'git', 'socat', 'python3'], 'the network of a sandboxed run', () => {
  let at: Sandboxed;
  let server: Server;
  let port: number;
  beforeAll(async () => {
    at = await createSandboxed();
    server = createServer((_, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await at.close();
  });

  /** Fetches through the proxy that the environment names, even where that says not to. */
  const fetching = (to: string): string =>
    `/usr/bin/python3 -c 'import os, urllib.request as u
p = u.build_opener(u.ProxyHandler({"http": os.environ["http_proxy"]}))
os.environ["no_proxy"] = ""; os.environ["NO_PROXY"] = ""
try: print(p.open("http://${to}/").read().decode())
except Exception as e: print(e)'`;

  it('use_network reaches what the list of the profile names, and nothing else', async () => {
    const network = [`127.0.0.1:${port}`];
    expect((await at.script(fetching(`127.0.0.1:${port}`), { network })).stdout).toBe('reached\n');
    expect((await at.script(fetching('127.0.0.1:1'), { network })).stdout).toContain('403');
  });

  it('there is no way past the proxy', async () => {
    const direct = `/usr/bin/python3 -c 'import socket; socket.create_connection(("127.0.0.1", ${port}), 2); print("out")'`;
    const { stdout, stderr } = await at.script(direct, { network: 'allow' });
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('ConnectionRefused')]);
    expect((await at.script(fetching(`127.0.0.1:${port}`), { network: 'allow' })).stdout).toContain('403');
  });

  it('leaves output, exit status and processes to the program', async () => {
    const { report, stdout, stderr } = await at.script('echo out; exit 3', { network: 'allow' });
    expect([report.ending, stdout, stderr]).toEqual([{ kind: 'exit', exitCode: 3 }, 'out\n', '']);
  });
});

describeWith(['bwrap', 'socat'], 'a run whose names nobody answers for', () => {
  let bin: string;
  let at: Sandboxed;
  beforeEach(async () => {
    bin = mkdtempSync(join(tmpdir(), 'writ-names-'));
    const deaf = 'trap "" TERM; while :; do sleep 0.1; done';
    writeFileSync(join(bin, 'getent'), `#!/bin/sh\nsetsid sh -c '${deaf}' &\n${deaf}\n`, { mode: 0o755 });
    const clock = createSystemClock();
    // Nothing ends because its time is over.
    const patient: Clock = { ...clock, setTimer: (ms, act) => (ms < 10_000 ? clock.setTimer(ms, act) : () => {}) };
    at = await createSandboxed({ env: { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` }, clock: patient });
  });
  afterEach(() => rmSync(bin, { recursive: true }));

  /** Starts a run, and asks its proxy for more names than are looked up at a time. */
  async function start() {
    const reach = { ...NOTHING, network: 'allow' as const };
    const run = await at.start(at.spec(['tail', '-f', '/dev/null'], { isolation: 'required', reach }));
    const sockets = join(at.folder, 'n');
    const [socket = ''] = readdirSync(sockets);
    const ended = Array.from({ length: 20 }, (_, number) => {
      const asking = connect(join(sockets, socket), () => {
        asking.write(`CONNECT silent${number}.example:443 HTTP/1.1\r\nhost: x\r\n\r\n`);
      });
      asking.on('error', () => {}).resume();
      return new Promise((resolve) => asking.once('close', resolve));
    });
    // Two processes of each lookup; that there are no more is seen where they are counted.
    while (at.aliveGit().length < 8) await new Promise((resolve) => setImmediate(resolve));
    return { run, ended };
  }

  it('leaves none of its lookups behind when it ends', async () => {
    const { run, ended } = await start();
    run.stop({ kind: 'cancel', cause: 'enough' });
    await Promise.all([run.done, ...ended]);
    while (at.aliveGit().length > 0) await new Promise((resolve) => setImmediate(resolve));
    run.release();
    await at.close();
  });

  it('holds up nothing when its node ends', async () => {
    const { ended } = await start();
    await at.close();
    await Promise.all(ended);
    expect(at.aliveGit()).toEqual([]);
  });
});
