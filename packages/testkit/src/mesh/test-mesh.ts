import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executingConfig } from './executing-config.ts';
import { controlSocketOf, createMeshNode, type MeshNode } from './mesh-node.ts';
import { type Offer, pairNodes } from './pairing.ts';
import { allProcesses, isAlive, processesOf, type SeenProcess, withDescendants } from './process-table.ts';
import { makeRepository } from './repository.ts';
import { until } from './waiting.ts';

/** Several real nodes on this machine. */
export interface TestMesh {
  /** Everything of the mesh lies here; goes away with it. Short, for the sockets. */
  readonly dir: string;
  /** The environment that nodes and programs get. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Makes a node and, unless `start` is false, starts it. `config` gets the address to listen on. */
  add(name: string, options?: AddOptions): Promise<MeshNode>;
  /**
   * Stops everything and throws where a process, socket or file of the mesh is left afterwards. What is left is
   * ended and removed all the same.
   */
  close(): Promise<void>;
}

export interface AddOptions {
  /** Absent: what `writ init` writes. */
  readonly config?: (listen: string) => string;
  readonly start?: boolean;
  /** Besides that of the mesh. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** How long processes may take to be gone after their nodes have stopped, milliseconds. */
const GONE_MS = 5_000;

/** An empty mesh. */
export function createTestMesh(): TestMesh {
  const dir = mkdtempSync(join(tmpdir(), 'wm-'));
  const places = { home: join(dir, 'user'), tmp: join(dir, 'tmp') };
  for (const place of Object.values(places)) mkdirSync(place, { mode: 0o700 });
  const environment = environmentIn(places);
  const nodes: MeshNode[] = [];
  return {
    dir,
    environment,
    async add(name, options = {}) {
      const listen = `127.0.0.1:${await freePort()}`;
      const node = createMeshNode(name, join(dir, name), listen, {
        environment: { ...environment, ...options.environment },
        cwd: dir,
      });
      if (Buffer.byteLength(controlSocketOf(node.home)) > 100) throw new Error(`${node.home} is too long for a socket`);
      const made = await node.writ('init', '--no-start', '--name', name, '--listen', listen);
      if (made.code !== 0) throw new Error(`writ init ended with ${made.code}: ${made.stderr}`);
      if (options.config !== undefined) writeFileSync(node.configFile, options.config(listen), { mode: 0o600 });
      nodes.push(node);
      if (options.start !== false) await node.up();
      return node;
    },
    async close() {
      const complaints: string[] = [];
      const before = processTreeOf(dir, nodes);
      for (const node of nodes) {
        if (node.pid() === undefined) continue;
        await node.down().catch((error: Error) => complaints.push(error.message));
      }
      complaints.push(...(await leftProcesses(dir, before)));
      for (const node of nodes) complaints.push(...leftFiles(node));
      complaints.push(...readdirSync(places.tmp).map((name) => `in the temporary folder: ${name}`));
      rmSync(dir, { recursive: true, force: true });
      if (complaints.length > 0) throw new Error(`the mesh left something behind:\n${complaints.join('\n')}`);
    },
  };
}

/** The names of three nodes, and who may ask whom. */
export interface ThreeNodes {
  readonly mesh: TestMesh;
  /** Asks; may ask beta for `query`, `repo-dev` and `system-change` in every workspace. */
  readonly alpha: MeshNode;
  /** Works; `executingConfig` says under which rules. */
  readonly beta: MeshNode;
  /** Asks beta too, for the same. */
  readonly gamma: MeshNode;
}

/** Starts alpha, beta and gamma and pairs both others with beta through real invites. `app` is a repository at beta. */
export function startThreeNodes(
  options: {
    readonly commands?: readonly (readonly string[])[];
    readonly workspaces?: (dir: string) => Readonly<Record<string, string>>;
    readonly offer?: Partial<Offer>;
    readonly more?: string;
  } = {},
): Promise<ThreeNodes> {
  return furnishMesh(async (mesh) => {
    const app = makeRepository(join(mesh.dir, 'app'));
    const workspaces = { app, ...options.workspaces?.(mesh.dir) };
    const { commands, more } = options;
    const config = (listen: string): string =>
      executingConfig({
        name: 'beta',
        listen,
        workspaces,
        ...(commands === undefined ? {} : { commands }),
        ...(more === undefined ? {} : { more }),
      });
    const [alpha, beta, gamma] = await Promise.all([
      mesh.add('alpha'),
      mesh.add('beta', { config }),
      mesh.add('gamma'),
    ]);
    const offer = { profiles: ['query', 'repo-dev', 'system-change'], workspaces: Object.keys(workspaces) };
    for (const joiner of [alpha, gamma]) await pairNodes(beta, joiner, { ...offer, ...options.offer });
    return { mesh, alpha, beta, gamma };
  });
}

/** What `furnish` puts into a fresh mesh, which is closed where that fails. */
export async function furnishMesh<T>(furnish: (mesh: TestMesh) => Promise<T>): Promise<T> {
  const mesh = createTestMesh();
  try {
    return await furnish(mesh);
  } catch (error) {
    await mesh.close().catch(() => undefined);
    throw error;
  }
}

/** Starts a node that was added with `start: false`, with an HTTP listener on a loopback address; gives its port. */
export async function upWithHttp(node: MeshNode): Promise<number> {
  const port = await freePort();
  node.replaceConfig(`${node.config()}\n[gateway]\nlisten = "127.0.0.1:${port}"\n`);
  await node.up();
  return port;
}

/** A TCP port of the loopback interface that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

/** This process's environment without what would lead a node out of its home. */
function environmentIn(places: { readonly home: string; readonly tmp: string }): TestMesh['environment'] {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(XDG_|WRIT_(?!LEFTOVER)|NODE_|VITEST|FORCE_COLOR|GIT_)/.test(name),
  );
  const own = { HOME: places.home, TMPDIR: places.tmp, XDG_RUNTIME_DIR: places.tmp };
  return { ...Object.fromEntries(kept), ...own, NO_COLOR: '1' };
}

function processTreeOf(dir: string, nodes: readonly MeshNode[]): readonly SeenProcess[] {
  const pids = nodes.map((node) => node.pid()).filter((pid) => pid !== undefined);
  const marked = processesOf(dir).map(({ pid }) => pid);
  return withDescendants([...pids, ...marked]);
}

/** Waits for the end of everything of the mesh; ends what is left and names it. */
async function leftProcesses(dir: string, before: readonly SeenProcess[]): Promise<readonly string[]> {
  const left = (): readonly SeenProcess[] => {
    const marked = processesOf(dir);
    const others = before.filter((one) => isAlive(one) && !marked.some(({ pid }) => pid === one.pid));
    return [...marked, ...others];
  };
  try {
    await until('the processes of the mesh are gone', () => left().length === 0, GONE_MS);
    return [];
  } catch {
    const found = left();
    for (const { pid } of found) {
      // One that has just gone is what was asked for.
      if (allProcesses().some((one) => one.pid === pid)) process.kill(pid, 'SIGKILL');
    }
    return found.map(({ pid, command }) => `process ${pid}: ${command.slice(0, 200)}`);
  }
}

/** What must not lie in the home of a stopped node. */
function leftFiles(node: MeshNode): readonly string[] {
  const names = ['run/control.sock', 'run/host-token', 'run/node.json', 'db/writ.db-wal'];
  const left = names.filter((name) => existsSync(join(node.home, name)));
  const workspaces = join(node.home, 'workspaces');
  const clones = existsSync(workspaces) ? readdirSync(workspaces).filter((name) => /^(run|trash)-/.test(name)) : [];
  return [...left, ...clones.map((name) => `workspaces/${name}`)].map((path) => `${node.name}: ${path}`);
}
