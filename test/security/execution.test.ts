import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestMesh, executingConfig, jsonLines, type MeshNode, makeRepository, run } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SECRET = 'sk-very-secret-0123456789';
/** What an environment could redirect a command with, or give away. */
const EVIL = {
  GIT_SSH_COMMAND: 'touch /tmp/x',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'touch /tmp/x',
  OPENAI_BASE_URL: 'http://evil.example',
  AWS_SECRET_ACCESS_KEY: SECRET,
  BASH_ENV: '/tmp/x',
  ENV: '/tmp/x',
  PYTHONSTARTUP: '/tmp/x',
  SSH_AUTH_SOCK: '/tmp/x',
};

const mesh = createTestMesh();
let node: MeshNode;
beforeAll(async () => {
  const app = makeRepository(join(mesh.dir, 'app'));
  node = await mesh.add('solo', {
    environment: EVIL,
    config: (listen) =>
      executingConfig({
        name: 'solo',
        listen,
        workspaces: { app },
        more: '\n[self]\nprofiles = ["query", "repo-dev"]\nworkspaces = ["app"]\n',
      }),
  });
  await node.client().call('lease_grant', { peer: 'self', profile: 'repo-dev', duration: '1h' });
}, 120_000);
afterAll(() => mesh.close(), 60_000);

const work = (...argv: string[]) => run(node, { to: 'self', profile: 'repo-dev', workspace: 'app', argv });

/** Folders of attempts, which the runner takes away while a test looks. */
const ATTEMPT = /\/workspaces\/(run|trash)-/;

/** Every file and folder below `dir`, but for what belongs to an attempt. */
function below(dir: string): readonly string[] {
  // What the node makes ahead and takes away again may be gone by now.
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (ATTEMPT.test(path)) return [];
    return entry.isDirectory() ? [path, ...below(path)] : [path];
  });
}

describe('environment variables that redirect an approved command, and secrets in the environment', () => {
  it('do not pass to a task', async () => {
    const { output } = await work('env', '-0');
    const names = output
      .toString()
      .split('\0')
      .map((line) => line.split('=')[0]);
    for (const name of Object.keys(EVIL)) expect(names).not.toContain(name);
    expect(output.toString()).not.toContain(SECRET);
    expect(output.toString()).not.toContain('wht_');
  });
});

describe('secrets in transcript, log, error and result', () => {
  it('are in no file of the node but their own', async () => {
    await work('true');
    await node.writ('delegate', '-p', 'nobody', '--', 'true');
    const token = readFileSync(join(node.home, 'run', 'host-token'), 'utf8').trim();
    const files = below(node.home).filter((path) => lstatSync(path).isFile() && !path.includes('/keys/'));
    const holding = files.filter((path) => {
      const bytes = readFileSync(path);
      return bytes.includes(token) || bytes.includes(SECRET) || bytes.includes('PRIVATE KEY');
    });
    expect(holding).toEqual([join(node.home, 'run', 'host-token')]);
  });
});

describe('database and audit modes', () => {
  it('are for the node alone, and so is everything else in a home', async () => {
    await work('sh', '-c', 'umask 000; echo x > file; mkdir folder');
    // Clones have the modes that git gives them, each in a folder that is the node's alone.
    const clones = readdirSync(join(node.home, 'workspaces'), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    const folders = clones.map(({ name }) => join(node.home, 'workspaces', name));
    for (const folder of folders) {
      expect((lstatSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o077, folder).toBe(0);
    }
    const open = below(node.home)
      .filter((path) => !folders.some((folder) => path.startsWith(`${folder}/`)))
      .map((path) => ({ path, stats: lstatSync(path, { throwIfNoEntry: false }) }))
      .filter(({ stats }) => stats?.isSymbolicLink() === false && !stats.isDirectory() && (stats.mode & 0o077) !== 0);
    expect(open.map(({ path }) => path)).toEqual([]);
    for (const name of ['', 'db', 'keys', 'run', 'transcripts', 'workspaces']) {
      expect(lstatSync(join(node.home, name)).mode & 0o077, name).toBe(0);
    }
  });
});

describe('log injection', () => {
  it('makes no line of its own', async () => {
    const forged = '\n{"level":"error","msg":"forged"}\n';
    await work('echo', forged);
    await node
      .client()
      .call('delegate', { to: `x${forged}`, profile: 'query', argv: ['true'] })
      .catch(() => undefined);
    await node.writ('peer', 'join', `writ1-${forged}`);
    const lines = jsonLines(readFileSync(join(node.home, 'node.log'), 'utf8'));
    expect(lines.filter((line) => line.msg === 'forged')).toEqual([]);
  });

  it('plays no tricks on the screen of a person', async () => {
    const told = await node.writ('delegate', '-p', 'x\u001b[2J\u202e', '--profile', 'query', '--', 'true');
    for (const trick of ['\u001b', '\u202e']) expect(told.stderr.includes(trick)).toBe(false);
    expect(told.stderr).toContain('\\u');
  });
});

describe('predictable temporary names', () => {
  it('are not used: two runs share no folder', async () => {
    const places = await Promise.all([
      work('sh', '-c', 'pwd; echo $TMPDIR $HOME'),
      work('sh', '-c', 'pwd; echo $TMPDIR $HOME'),
    ]);
    const [first, second] = places.map(({ output }) =>
      output
        .toString()
        .split(/\s+/)
        .filter((word) => word !== ''),
    );
    expect(first?.filter((place) => second?.includes(place))).toEqual([]);
    expect(first?.every((place) => /run-[0-9a-f]{32}/.test(place))).toBe(true);
  });
});
