import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestMesh, type MeshNode, startAgent, until } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const mesh = createTestMesh();
let node: MeshNode;
beforeAll(async () => {
  node = await mesh.add('node');
}, 120_000);
afterAll(() => mesh.close(), 60_000);

const file = (name: string, text: string): string => {
  writeFileSync(join(mesh.dir, name), text);
  return join(mesh.dir, name);
};

describe('writ init', () => {
  it('writes the five stock profiles, with comments, and they load', async () => {
    const heads = node.config().match(/^\[profiles\.[a-z-]+\] +# rank \d: .+$/gm) ?? [];
    expect(heads.map((line) => line.split(/[.\]]/)[1])).toEqual([
      'query',
      'readonly-agent',
      'repo-dev',
      'interactive',
      'system-change',
    ]);
    expect(await node.writ('policy', 'validate', '--json')).toMatchObject({ code: 0, json: { valid: true } });
    expect(await node.writ('policy', 'test', '--json')).toMatchObject({ code: 0, json: { passed: true } });
  });
});

describe('writ policy classify', () => {
  it('says what a command is, on what, by which rule, and what runs inside', async () => {
    const told = await node.writ('policy', 'classify', '--', 'sudo', 'systemctl', 'restart', 'nginx');
    expect(told.code).toBe(0);
    expect(told.stdout).toMatch(/^config-mutation: .*\(services\.run\)\n {2}target {2}self\/service\/nginx\n/);
    expect(told.stdout).toContain('runs    `systemctl` `restart` `nginx`: config-mutation');
    expect(await node.writ('policy', 'classify')).toMatchObject({ code: 2 });
  });

  it('says what the node would say, which takes no folder for a workspace unless it is asked to', async () => {
    const classOf = async (...argv: string[]) => (await node.writ('policy', 'classify', '--json', ...argv)).json;
    for (const argv of [
      ['git', 'switch', 'main'],
      ['cp', 'a', 'b'],
      ['sh', '-c', 'echo a > b'],
    ]) {
      expect(await classOf('--', ...argv)).toMatchObject({ class: 'destructive' });
      expect(await classOf('--workspace', '/w', '--', ...argv)).toMatchObject({ class: 'config-mutation' });
    }
  });

  it('runs a file of cases, and ends with 1 where one fails', async () => {
    const good = { argv: ['ls'], class: 'read' };
    const cases = (...list: object[]) => file('cases.json', JSON.stringify(list));
    const told = await node.writ(
      'policy',
      'classify',
      '--cases',
      cases(good, { ...good, class: 'destructive' }),
      '--json',
    );
    expect(told).toMatchObject({ code: 1, json: { passed: 1, failed: 1, failures: [{ got: 'read' }] } });
    expect(await node.writ('policy', 'classify', '--cases', cases(good))).toMatchObject({ code: 0 });
  });
});

describe('a profile that is asked about', () => {
  const CASES: readonly (readonly [flags: readonly string[], codes: readonly string[]])[] = [
    [[], ['HIGH_RISK_NEEDS_EXPLICIT', 'HIGH_RISK_NEEDS_LEASE']],
    [['--require-explicit'], ['HIGH_RISK_NEEDS_LEASE']],
    [['--require-lease'], ['HIGH_RISK_NEEDS_EXPLICIT']],
    [['--require-explicit', '--require-lease'], []],
  ];

  it.each(CASES)('needs both flags where it is high-risk, in every way of asking: %j', async (flags, codes) => {
    const told = await node.writ('profile', 'validate', 'dev', '--capabilities', 'edit_repo', ...flags, '--json');
    expect(told.code).toBe(codes.length === 0 ? 0 : 2);
    const input = {
      name: 'dev',
      capabilities: ['edit_repo'],
      require_explicit: flags.includes('--require-explicit'),
      require_lease: flags.includes('--require-lease'),
    };
    const agent = await startAgent(node, undefined, ['--toolsets', 'policy']);
    try {
      const answers = [
        told.json,
        await node.client().call('profile_validate', input),
        await agent.call('profile_validate', input),
      ];
      for (const answer of answers as { violations: { code: string }[] }[]) {
        expect(answer.violations.map(({ code }) => code)).toEqual(codes);
      }
      const { require_lease: _, ...one } = input;
      expect(await agent.try('profile_validate', one)).toMatchObject({ failed: true });
    } finally {
      await agent.close();
    }
  });
});

describe('a configuration that cannot be read while the node runs', () => {
  it.each<[string, () => void]>([
    ['is gone', () => undefined],
    ['is a folder', () => mkdirSync(node.configFile)],
  ])('%s: both statuses say so, the policy stays, and all is well when it is back', async (_, make) => {
    const text = readFileSync(node.configFile, 'utf8');
    const { generation } = await node.client().call('policy_status', {});
    rmSync(node.configFile);
    make();
    await until('the status says so', async () => (await node.client().call('policy_status', {})).last_error);
    const policy = await node.writ('policy', 'status');
    expect(policy.stdout).toMatch(
      new RegExp(`the last reload failed, .*; generation ${generation} stays in force:\n.*cannot read`),
    );
    expect((await node.writ('status')).stdout).toMatch(/warning: the last reload failed: cannot read/);
    expect(await node.writ('policy', 'reload')).toMatchObject({ code: 2 });
    rmSync(node.configFile, { recursive: true, force: true });
    node.replaceConfig(text);
    await until(
      'it is well again',
      async () => (await node.client().call('policy_status', {})).last_error === undefined,
    );
    expect((await node.writ('status')).stdout).not.toContain('the last reload failed');
  });
});

describe('more changes than can be kept apart', () => {
  it('let nobody in, which both statuses say, until a person accepts', async () => {
    const text = node.config();
    // Each gives one more hop and takes ten requests an hour away, so that none lies within another.
    const step = (at: number): string =>
      text.replace('[self]', `[self]\nmax_depth = ${at + 1}\nlimits = { tasks_per_hour = ${1000 - 10 * at} }`);
    await node.configure(step(0));
    for (let at = 1; at <= 18; at++) {
      node.replaceConfig(step(at));
      expect((await node.writ('policy', 'reload', '--json')).code).not.toBe(0);
    }
    expect((await node.writ('policy', 'status')).stdout).toContain('nobody is let in');
    expect((await node.writ('status')).stdout).toContain('nobody is let in');
    expect(await node.client().call('policy_explain', { profile: 'query' })).toMatchObject({ effect: 'deny' });
    await node.configure(text);
    expect((await node.writ('status')).stdout).not.toContain('nobody is let in');
    expect(await node.client().call('policy_explain', { profile: 'query' })).toMatchObject({ effect: 'allow' });
  });
});

describe('a large configuration', () => {
  const many = Array.from({ length: 2000 }, (_, at) => `[workspaces.w${at}]\npath = "/srv/${at}"\n`).join('');

  it('is loaded, refused with its lines, tested and validated by a node that serves, which starts with it too', async () => {
    const text = node.config();
    const generation = await node.configure(text + many);
    node.replaceConfig(`${text}${many}[profiles.extra]\ncapabilities = ["inspect_disk"]\nrunner = "nobody"\n`);
    const line = `${text}${many}`.split('\n').length + 2;
    const refused = { code: 'UNKNOWN_RUNNER', path: 'profiles.extra.runner', line };
    const { reloaded, violations } = await node.client().call('policy_reload', { accept: true });
    expect([reloaded, violations]).toMatchObject([false, [refused]]);
    expect(await node.client().call('policy_validate', {})).toMatchObject({ valid: false, violations: [refused] });
    node.replaceConfig(text + many);
    expect(await node.client().call('policy_test', {})).toMatchObject({ passed: true });
    await node.down();
    await node.up();
    expect(await node.client().call('policy_explain', { profile: 'query' })).toMatchObject({ effect: 'allow' });
    expect(await node.client().call('policy_status', {})).toMatchObject({ parked: [] });
    expect(await node.configure(text)).toBeGreaterThan(1);
    expect(generation).toBeGreaterThan(1);
  }, 120_000);
});
