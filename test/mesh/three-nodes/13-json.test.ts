import { join } from 'node:path';
import { jsonLines, processesOf, run, startThreeNodes, type ThreeNodes } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let nodes: ThreeNodes;
let task: string;
let lease: string;
beforeAll(async () => {
  nodes = await startThreeNodes({ commands: [['echo', '**']] });
  lease = (await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' })).lease
    .id;
  await run(nodes.alpha, { argv: ['echo', 'x'] });
  task = (await nodes.alpha.client().call('list_tasks', {})).tasks[0]?.task ?? '';
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

/** Every command that ends by itself, at whom, and its exit code. */
const COMMANDS: readonly (readonly ['alpha' | 'beta', readonly string[], number])[] = [
  ['alpha', ['status'], 0],
  ['alpha', ['peer', 'list'], 0],
  ['alpha', ['peer', 'show', 'beta'], 0],
  ['alpha', ['peer', 'show', 'nobody'], 2],
  ['alpha', ['peer', 'join', 'x'], 3],
  ['beta', ['lease', 'list'], 0],
  ['beta', ['lease', 'list', '--all', '--peer', 'alpha'], 0],
  ['beta', ['lease', 'grant', 'gamma', 'repo-dev', '--for', '1m', '--uses', '1', '--workspace', 'app'], 0],
  ['beta', ['lease', 'grant', 'nobody', 'repo-dev', '--for', '1m'], 3],
  ['beta', ['lease', 'revoke', 'LEASE'], 0],
  ['alpha', ['task', 'list'], 0],
  ['alpha', ['task', 'list', '--side', 'asked', '--state', 'completed', '--peer', 'beta', '--limit', '1'], 0],
  ['alpha', ['task', 'show', 'TASK'], 0],
  ['alpha', ['task', 'watch', 'TASK'], 0],
  ['alpha', ['task', 'log', 'TASK'], 0],
  ['alpha', ['task', 'cancel', 'TASK'], 0],
  ['alpha', ['task', 'result', 'TASK'], 0],
  ['beta', ['task', 'result', 'TASK'], 0],
  ['alpha', ['task', 'result', 'TASK', '--patch'], 2],
  ['alpha', ['task', 'result', 'nothing'], 2],
  ['alpha', ['task', 'artifact', 'TASK'], 0],
  ['alpha', ['task', 'artifact', 'TASK', 'nothing'], 2],
  ['alpha', ['task', 'forget', 'TASK', '--yes'], 0],
  ['alpha', ['verify', 'TASK'], 0],
  ['beta', ['verify', 'TASK'], 2],
  ['alpha', ['verify', './nothing.json'], 2],
  ['alpha', ['apply', 'TASK'], 0],
  ['alpha', ['apply', 'TASK', '--check', '--checkout'], 2],
  ['alpha', ['delegate', '-p', 'beta', '--profile', 'query', '--', 'echo', '{"a":', '\u001b[31m'], 0],
  ['alpha', ['delegate', '-p', 'beta', '--profile', 'query', '--detach', '--', 'true'], 0],
  ['alpha', ['delegate', '-p', 'beta', '--profile', 'query', '--', 'id'], 3],
  ['alpha', ['delegate', '-p', 'beta', '--profile', 'nothing', '--', 'id'], 3],
  ['alpha', ['delegate', '-p', 'beta'], 2],
  ['beta', ['policy', 'validate'], 0],
  ['beta', ['policy', 'explain', '--from', 'alpha', '--profile', 'query'], 0],
  ['beta', ['policy', 'explain', '--from', 'alpha', '--profile', 'nothing'], 3],
  ['alpha', ['policy', 'explain', '--to', 'beta', '--profile', 'query'], 0],
  ['beta', ['policy', 'test'], 0],
  ['beta', ['policy', 'reload'], 0],
  ['beta', ['policy', 'status'], 0],
  ['alpha', ['audit', 'tail', '--no-follow'], 0],
  ['alpha', ['audit', 'show', '1'], 0],
  ['alpha', ['audit', 'show', '999999'], 2],
  ['beta', ['audit', 'verify'], 0],
  ['beta', ['audit', 'export', '--to', '3'], 0],
  ['beta', ['audit', 'export', '--only-checkpoint'], 0],
  ['alpha', ['profile', 'validate', 'dev', '--capabilities', 'read_repo'], 0],
  ['alpha', ['profile', 'validate', 'dev', '--capabilities', 'edit_repo'], 2],
];

describe('with --json', () => {
  it.each(COMMANDS)('%s: writ %j ends with %i, and writes JSON alone on standard output', async (at, argv, code) => {
    const full = argv.map((word) => (word === 'TASK' ? task : word === 'LEASE' ? lease : word));
    const dashes = full.indexOf('--');
    const before = dashes < 0 ? full : full.slice(0, dashes);
    const done = await nodes[at].writ(...before, '--json', ...(dashes < 0 ? [] : full.slice(dashes)));
    expect(done.code, `${done.stdout}${done.stderr}`).toBe(code);
    expect(done.stderr).toBe('');
    expect(done.stdout.endsWith('\n')).toBe(true);
    // Each line is one value, and no control character is in any: JSON escapes those of a task.
    expect(jsonLines(done.stdout).length).toBeGreaterThan(0);
    expect([...done.stdout].every((char) => char === '\n' || char >= ' ')).toBe(true);
  });

  it('is taken before and after the command alike', async () => {
    const [first, last] = [
      await nodes.alpha.writ('--json', 'peer', 'list'),
      await nodes.alpha.writ('peer', 'list', '--json'),
    ];
    expect(first.json).toEqual(last.json);
  });
});

describe('writ mesh up and down', () => {
  it('make, find and remove a paired mesh of processes', async () => {
    const dir = join(nodes.mesh.dir, 'm');
    const up = await nodes.alpha.writ('mesh', 'up', '--nodes', '2', '--dir', dir, '--json');
    expect(up).toMatchObject({ code: 0, json: { nodes: [{ name: 'alpha' }, { name: 'beta' }] } });
    const ask = await nodes.alpha.writ(
      '--home',
      join(dir, 'alpha'),
      'delegate',
      '-p',
      'beta',
      '--profile',
      'query',
      '--',
      'true',
    );
    expect(ask.code).toBe(0);
    expect((await nodes.alpha.writ('mesh', 'up', '--nodes', '2', '--dir', dir, '--json')).json).toEqual(up.json);
    const down = await nodes.alpha.writ('mesh', 'down', '--dir', dir, '--purge', '--yes', '--json');
    expect(down).toMatchObject({ code: 0, json: { stopped: ['alpha', 'beta'] } });
    expect(processesOf(`${dir}/`)).toEqual([]);
    expect(await nodes.alpha.writ('mesh', 'down', '--dir', dir, '--json')).toMatchObject({ json: { stopped: [] } });
  }, 60_000);
});
