import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestMesh, type MeshNode, makeRepository, pairNodes, run } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const mesh = createTestMesh();
/** Only lends its terminal. */
let idle: MeshNode;
const user = join(mesh.dir, 'user');

beforeAll(async () => {
  idle = await mesh.add('idle', { start: false });
  makeRepository(join(user, 'src', 'app'));
  mkdirSync(join(user, '.cursor'));
});
afterAll(() => mesh.close(), 60_000);

describe('the first use of a machine, at a terminal', () => {
  const home = join(mesh.dir, 'fresh');
  const config = join(home, 'writ.toml');

  it('leaves no trace where somebody thinks better of it', async () => {
    const asked = idle.atTerminal('--home', home, 'init');
    await asked.says(/1\/4 [^\n]*\] $/);
    asked.type('\u0003');
    expect((await asked.ended).code).not.toBe(0);
    expect(existsSync(home)).toBe(false);
  }, 60_000);

  it('asks four questions, again where an answer is none, and ends with a first task done', async () => {
    const asked = idle.atTerminal('--home', home, 'init');
    await asked.says(/1\/4 [^\n]*\] $/);
    asked.type('no name!\r');
    await asked.says(/a name is made of[^\n]*\n[^\n]*\] $/);
    asked.type('Fresh\r');
    await asked.says(/2\/4 [^\n]*\] $/);
    asked.type('n\r');
    await asked.says(/3\/4 [^\n]*\n +1 +app +~\/src\/app\r?\n[^\n]*\] $/);
    asked.type('1\r');
    await asked.says(/4\/4 [^\n]*cursor\r?\n[^\n]*\] $/);
    asked.type('\r');
    const { code, stdout } = await asked.ended;
    expect(stdout).toMatch(/node fresh \(wn-[a-z0-9]+\) runs/);
    expect(stdout).toMatch(/it does not listen: .*no other node can hand it work/);
    expect(stdout).toMatch(/completed: exited with status 0; its signed result was verified/);
    expect(code).toBe(0);
    expect(readFileSync(config, 'utf8')).toContain('path = "~/src/app"');
    expect(readFileSync(join(user, '.cursor/mcp.json'), 'utf8')).toContain(`"--home",\n        "${home}"`);
    const told = await idle.writ('--home', home, 'status');
    expect(told.stdout).toContain('it only asks');
    const inviting = await idle.writ('--home', home, 'peer', 'invite');
    expect(inviting.stderr).toContain('set `listen` under `[node]`');
    expect((await idle.writ('--home', home, 'init')).stderr).toContain(`writ --home ${home} status`);
    expect((await idle.writ('--home', home, 'down')).code).toBe(0);
  }, 120_000);
});

describe('a node without an address', () => {
  it('asks another one, gets its result, and is said to be one that cannot be asked', async () => {
    const [desk, laptop] = await Promise.all([mesh.add('desk'), mesh.add('laptop', { start: false })]);
    laptop.replaceConfig(laptop.config().replace(/^listen = .*$/m, ''));
    await laptop.up();
    await pairNodes(desk, laptop, { profiles: ['query'], workspaces: [] });
    const task = await run(laptop, { to: 'desk', argv: ['echo', 'from afar'], profile: 'query' });
    expect(task).toMatchObject({ outcome: { state: 'completed' } });
    expect((await desk.writ('status')).stdout).toContain('peer laptop: dials in; it can ask here, and cannot be asked');
    expect((await desk.writ('peer', 'list')).stdout).toMatch(/laptop +dials in/);
    const refused = await desk.writ('delegate', '--peer', 'laptop', '--profile', 'query', '--', 'true');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('has no address here, so it cannot be asked');
  }, 120_000);
});
