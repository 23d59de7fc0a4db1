import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { WRIT_PROGRAM } from '@writ/testkit/mesh';
import type { Tools } from './installed-tools.ts';
import type { World } from './world.ts';

const execute = promisify(execFile);
/** Both transports, and both eras of the protocol on each. */
const WAYS = ['stdio', 'http'].flatMap((server) => ['legacy', 'modern'].map((era) => ({ server, era })));
type Way = (typeof WAYS)[number];
/** Calls at once: each is a process, most of whose time is its start. */
const AT_ONCE = 3;

/** Arguments of the tools that want some; every other one is called without. */
function argumentsOf({ task, execution }: World): Readonly<Record<string, object>> {
  const ofTask = ['status', 'wait', 'transcript', 'result', 'list_artifacts', 'verify_result'];
  return {
    ...Object.fromEntries(ofTask.map((tool) => [tool, { task }])),
    artifact: { task, name: 'mended.txt' },
    execution: { execution },
    describe_peer: { peer: 'beta' },
    ping_peer: { peer: 'beta' },
    check_policy: { to: 'beta', profile: 'query' },
    explain_decision: { to: 'beta', profile: 'query' },
    profile_validate: { name: 'p', capabilities: [], require_explicit: false, require_lease: false },
  };
}

/** Calls every tool that says of itself that it only reads, each way; false where one of them fails. */
export async function callReadOnlyTools(tools: Tools, world: World, tell: (line: string) => void): Promise<boolean> {
  const call = inspectorAt(tools, world);
  const known = argumentsOf(world);
  const failures: string[] = [];
  for (const way of WAYS) {
    const names = readOnly(await call(way, ['--method', 'tools/list']));
    const left = [...names];
    const caller = async (): Promise<void> => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        const input = JSON.stringify(known[name] ?? {});
        const args = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', input];
        await call(way, args).catch((error: Error) => {
          failures.push(`${way.server}, ${way.era}: ${name} ${input}: ${error.message.split('\n').slice(1).join(' ')}`);
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    tell(`inspector over ${way.server}, ${way.era}: ${names.length} tools that only read were called`);
  }
  for (const failure of failures) tell(failure);
  return failures.length === 0;
}

/** One run of the inspector; resolves with what it printed. Rejects where the call failed, or the tool did. */
function inspectorAt({ node, inspector }: Tools, world: World): (way: Way, args: readonly string[]) => Promise<string> {
  const config = join(world.mesh.dir, 'inspector.json');
  const headers = { Authorization: `Bearer ${world.hostToken}`, 'writ-toolsets': 'all' };
  const mcpServers = {
    stdio: {
      command: process.execPath,
      args: [WRIT_PROGRAM, '--home', world.node.home, 'mcp', 'serve', '--toolsets', 'all'],
    },
    http: { type: 'streamable-http', url: `http://127.0.0.1:${world.port}/mcp`, headers },
  };
  writeFileSync(config, JSON.stringify({ mcpServers }), { mode: 0o600 });
  return async ({ server, era }, args) => {
    const to = ['--config', config, '--server', server, '--protocol-era', era, '--format', 'json', '--quiet'];
    const { stdout } = await execute(node, [inspector, ...to, ...args], {
      env: { ...world.mesh.environment, NODE_COMPILE_CACHE: join(world.mesh.dir, 'compiled') },
      maxBuffer: 16 * 1024 ** 2,
    });
    return stdout;
  };
}

interface Listed {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

/** Throws where the list has none. */
function readOnly(listing: string): readonly string[] {
  const { result } = JSON.parse(listing) as { readonly result: { readonly tools: readonly Listed[] } };
  const names = result.tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
  if (names.length === 0) throw new Error('no tool says that it only reads');
  return names;
}
