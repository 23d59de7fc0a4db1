import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../../../../test/support/require.ts';
import { createSandboxed, type Sandboxed } from '../../testing/sandboxed.ts';

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
