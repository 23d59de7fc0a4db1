import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createTestMesh, type MeshNode } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const mesh = createTestMesh();
let node: MeshNode;
let idle: MeshNode;
beforeAll(async () => {
  [node, idle] = await Promise.all([mesh.add('node'), mesh.add('idle', { start: false })]);
}, 120_000);
afterAll(() => mesh.close(), 60_000);

describe('a node that does not run', () => {
  it.each([
    [['status']],
    [['down']],
    [['peer', 'list']],
    [['peer', 'invite']],
    [['peer', 'join', 'writ1-x']],
    [['lease', 'list']],
    [['lease', 'grant', 'x', 'y', '--for', '1h']],
    [['delegate', '--peer', 'self', '--', 'true']],
    [['task', 'list']],
    [['task', 'watch', 'x']],
    [['policy', 'status']],
    [['policy', 'explain']],
    [['profile', 'validate', 'x']],
  ])('is told with how to start it, and 6: writ %j', async (argv) => {
    const told = await idle.writ(...argv);
    expect(told).toMatchObject({ code: 6, stdout: '' });
    expect(told.stderr).toMatch(/NOT_RUNNING: .*\n.*writ --home \S+ up/);
    const asJson = await idle.writ(
      ...argv.slice(0, argv.includes('--') ? -2 : undefined),
      '--json',
      ...(argv.includes('--') ? argv.slice(-2) : []),
    );
    expect(asJson).toMatchObject({
      code: 6,
      stderr: '',
      json: { error: { code: 'NOT_RUNNING', nextSteps: [expect.stringMatching(/^writ --home \S+ up$/)] } },
    });
  });

  it('needs none to check its configuration', async () => {
    expect(await idle.writ('policy', 'validate', '--json')).toMatchObject({ code: 0, json: { valid: true } });
  });

  it('whose token and socket were left behind by a killed one is told the same, and can be started', async () => {
    const killed = await mesh.add('killed');
    await killed.kill();
    expect(existsSync(join(killed.home, 'run', 'host-token'))).toBe(true);
    expect(await killed.writ('status', '--json')).toMatchObject({ code: 6, json: { error: { code: 'NOT_RUNNING' } } });
    await killed.up();
    expect(await killed.writ('status')).toMatchObject({ code: 0 });
  });
});

describe('a folder without a node', () => {
  it('is told with how to make one', async () => {
    const place = { home: join(mesh.dir, 'nothing') };
    for (const argv of [['up'], ['status']]) {
      const told = await idle.writ('--home', place.home, ...argv, '--json');
      expect(told).toMatchObject({
        code: 2,
        json: { error: { code: 'NOT_INITIALIZED', nextSteps: [`writ --home ${place.home} init`] } },
      });
    }
    expect(existsSync(place.home)).toBe(false);
  });
});

describe('init', () => {
  it('touches no node that is there', async () => {
    const before = readFileSync(idle.configFile, 'utf8');
    expect(await idle.writ('init', '--json')).toMatchObject({ code: 2, json: { error: { code: 'CONFLICT' } } });
    expect(readFileSync(idle.configFile, 'utf8')).toBe(before);
  });

  it.each([
    ['--name', '../x'],
    ['--name', 'a b'],
    ['--name', ''],
    ['--listen', 'nowhere'],
    ['--listen', '127.0.0.1:99999'],
    ['--workspace', 'app'],
    ['--workspace', '../up=/tmp'],
    ['--workspace', 'app='],
  ])('refuses %s %j, and makes nothing', async (option, value) => {
    const home = join(mesh.dir, 'refused');
    const told = await idle.writ('--home', home, 'init', '--no-start', option, value, '--json');
    expect(told).toMatchObject({
      code: 2,
      json: { error: { code: expect.stringMatching(/^(BAD_REQUEST|CONFIG_INVALID)$/) } },
    });
    expect(existsSync(home)).toBe(false);
  });
});

describe('two nodes on one home', () => {
  it('are refused, and the first goes on', async () => {
    const told = await node.writ('up', '--json');
    expect(told).toMatchObject({ code: 2, json: { error: { code: 'ALREADY_RUNNING' } } });
    expect((told.json as { error: { nextSteps: string[] } }).error.nextSteps).not.toEqual([]);
    const attached = await node.writ('up', '--foreground', '--json');
    expect(attached).toMatchObject({ code: 2, json: { error: { code: 'ALREADY_RUNNING' } } });
    expect(await node.writ('status', '--json')).toMatchObject({ code: 0, json: { pid: node.pid() } });
  });

  it('are refused also when both start at once', async () => {
    const both = await mesh.add('both', { start: false });
    const ends = await Promise.all([both.writ('up', '--json'), both.writ('up', '--json')]);
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 2]);
    expect(ends.find(({ code }) => code === 2)?.json).toMatchObject({ error: { code: 'ALREADY_RUNNING' } });
    expect(await both.writ('status')).toMatchObject({ code: 0 });
  });

  it('are refused also through another name of the home', async () => {
    const alias = join(mesh.dir, 'alias');
    symlinkSync(node.home, alias);
    expect(await idle.writ('--home', alias, 'up', '--json')).toMatchObject({ code: 2 });
    expect(await node.writ('status')).toMatchObject({ code: 0 });
  });
});

describe('a port that is in use', () => {
  it('is told with its address, and nothing is left running', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', () => resolve()));
    const address = holder.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const crowded = await mesh.add('crowded', { start: false });
    crowded.replaceConfig(crowded.config().replace(/listen = ".*"/, `listen = "127.0.0.1:${port}"`));
    const told = await crowded.writ('up', '--json');
    await new Promise<void>((resolve) => holder.close(() => resolve()));
    expect(told).toMatchObject({
      code: 2,
      json: { error: { code: 'PORT_IN_USE', message: expect.stringContaining(String(port)) } },
    });
    expect((told.json as { error: { nextSteps: string[] } }).error.nextSteps).not.toEqual([]);
    expect(crowded.pid()).toBeUndefined();
    expect(existsSync(join(crowded.home, 'run', 'control.sock'))).toBe(false);
    await crowded.up();
  });
});

describe('a home that others can read', () => {
  it.each([
    ['', 0o750, '700'],
    ['run', 0o711, '700'],
    ['db', 0o705, '700'],
    ['writ.toml', 0o644, '600'],
    ['keys', 0o755, '700'],
    ['keys/identity.pem', 0o640, '600'],
    ['db/writ.db', 0o604, '600'],
  ])('is refused with the command that mends it: %j', async (path, mode, mended) => {
    const open = await mesh.add(`open${path.replaceAll(/\W/g, '')}`);
    await open.down();
    const whole = join(open.home, path);
    const before = statSync(whole).mode & 0o777;
    chmodSync(whole, mode);
    const told = await open.writ('up', '--json');
    expect(told).toMatchObject({ code: 2, json: { error: { code: 'HOME_INSECURE' } } });
    const steps = (told.json as { error: { nextSteps: string[] } }).error.nextSteps;
    expect(steps[0]).toBe(`chmod ${mended} ${path === '' ? open.home : whole}`);
    chmodSync(whole, before);
    await open.up();
  });
});

describe('a configuration with five mistakes', () => {
  it('keeps the node from starting, and all five are shown with their lines before it does', async () => {
    const good = idle.config();
    const text = good
      .replace('default_profile = "query"', 'default_profile = "nothing"')
      .replace('schema = 1', 'schema = 1\ncolour = "red"')
      .replace('"inspect_logs"', '"inspect_everything"')
      .replace('system-change = "repo-dev"', 'system-change = "nobody"')
      .replace('isolation = "none"', 'isolation = "some"');
    idle.replaceConfig(text);
    const told = await idle.writ('policy', 'validate', '--json');
    expect(told.code).toBe(2);
    const { violations } = told.json as { violations: { line: number; code: string }[] };
    expect(violations).toHaveLength(5);
    const lines = text.split('\n');
    const marks = ['"nothing"', 'colour', 'inspect_everything', '"nobody"', '"some"'];
    expect(violations.map(({ line }) => line).sort()).toEqual(
      marks.map((mark) => lines.findIndex((line) => line.includes(mark)) + 1).sort(),
    );
    const start = await idle.writ('up');
    expect(start.code).toBe(2);
    expect(start.stderr).toContain('CONFIG_INVALID');
    expect(start.stderr).toContain('policy validate');
    expect(idle.pid()).toBeUndefined();
    idle.replaceConfig(good);
  });

  it('of no text at all is told too', async () => {
    const broken = join(mesh.dir, 'broken.toml');
    for (const bytes of [Buffer.alloc(0), Buffer.from([0xff, 0xfe, 0x00]), Buffer.from('[[[')]) {
      writeFileSync(broken, bytes);
      const told = await idle.writ('policy', 'validate', broken, '--json');
      expect(told).toMatchObject({ code: 2, json: { valid: false } });
    }
    expect(await idle.writ('policy', 'validate', join(mesh.dir, 'no-such.toml'), '--json')).toMatchObject({
      code: 2,
      json: { error: { code: 'BAD_REQUEST' } },
    });
  });
});

describe('words that are no command', () => {
  it.each([
    [['nonsense']],
    [['task']],
    [['lease', 'grant', 'x']],
    [['lease', 'grant', 'x', 'y', '--for', 'long']],
    [['task', 'list', '--limit', 'many']],
    [['task', 'list', '--state', 'odd']],
    [['mesh', 'up', '--nodes', '99']],
  ])('are usage, 2, and nothing on standard output but JSON: writ %j', async (argv) => {
    const told = await node.writ(...argv, '--json');
    expect(told.code).toBe(2);
    if (told.stdout !== '') expect(told.json).toMatchObject({ error: { code: 'BAD_REQUEST' } });
    else expect(told.stderr).not.toBe('');
  });
});

describe('a home with an odd name', () => {
  it('works, and the mending command is quoted for a shell', async () => {
    const home = join(mesh.dir, "o'dd home");
    expect(
      await idle.writ('--home', home, 'init', '--no-start', '--name', 'odd', '--listen', '127.0.0.1:0'),
    ).toMatchObject({ code: 0 });
    mkdirSync(join(home, 'run'), { mode: 0o755 });
    chmodSync(join(home, 'run'), 0o755);
    const told = await idle.writ('--home', home, 'up', '--json');
    expect((told.json as { error: { nextSteps: string[] } }).error.nextSteps[0]).toBe(
      `chmod 700 '${home.replaceAll("'", "'\\''")}/run'`,
    );
    chmodSync(join(home, 'run'), 0o700);
    expect(await idle.writ('--home', home, 'up')).toMatchObject({ code: 0 });
    expect(await idle.writ('--home', home, 'down')).toMatchObject({ code: 0 });
  });
});
