import { join } from 'node:path';
import { HOLD, jsonLines, processesOf, run, startThreeNodes, submit, type ThreeNodes, until } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../../support/require.ts';

let nodes: ThreeNodes;
let task: string;
let lease: string;
beforeAll(async () => {
  nodes = await startThreeNodes({ commands: [['echo', '**'], ['true'], [...HOLD]] });
  lease = (await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' })).lease
    .id;
  await run(nodes.alpha, { argv: ['echo', 'x'] });
  task = (await nodes.alpha.client().call('list_tasks', {})).tasks[0]?.task ?? '';
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

/** Every command that ends by itself, at whom, and its exit code. */
const COMMANDS: readonly (readonly ['alpha' | 'beta', readonly string[], number])[] = [
  ['alpha', ['status'], 0],
  ['alpha', ['doctor'], 0],
  ['alpha', ['completion', 'bash'], 0],
  ['alpha', ['complete', '--', 'peer', ''], 0],
  ['alpha', ['config', 'show'], 0],
  ['alpha', ['config', 'schema'], 0],
  ['alpha', ['execution', 'list'], 0],
  ['alpha', ['run', '--', 'echo'], 0],
  ['alpha', ['approval', 'list'], 0],
  ['alpha', ['approver', 'list'], 0],
  ['alpha', ['window', 'list'], 0],
  ['alpha', ['session', 'start'], 0],
  ['alpha', ['session', 'list'], 0],
  ['alpha', ['events', '--after', '0', '--no-follow'], 0],
  ['alpha', ['policy', 'diff'], 0],
  ['alpha', ['policy', 'classify', '--', 'ls'], 0],
  ['beta', ['lease', 'show', 'LEASE'], 0],
  ['beta', ['lease', 'renew', 'LEASE', '--for', '2h'], 0],
  ['alpha', ['lease', 'request', 'repo-dev', '--for', '1m', '--peer', 'beta'], 3],
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

describeWith(['python3'], 'at a terminal', () => {
  const CLEARS_LINE = '\u001b[K';

  it('writ task watch says below the output how long a task runs, and leaves the line empty', async () => {
    const held = await submit(nodes.alpha, { argv: [...HOLD] });
    const watching = nodes.alpha.atTerminal('task', 'watch', held);
    await watching.says(/running for \ds, wrote \d+B; Ctrl-C to stop/);
    await nodes.alpha.client().call('cancel', { task: held });
    const { stdout } = await watching.ended;
    expect(stdout).toContain(`${CLEARS_LINE}cancelled`);
  });

  it('writ status --watch draws the same place again and ends with Ctrl-C', async () => {
    const watching = nodes.alpha.atTerminal('status', '--watch');
    await until('it is drawn twice', () => watching.stdout().split('\u001b[Halpha').length > 2 || undefined);
    expect(watching.stdout()).toContain('\u001b[2J\u001b[Halpha');
    watching.type('\u0003');
    // Also the shell around it hears that.
    expect((await watching.ended).stdout).not.toContain('error');
  });

  it('nothing moves, and nothing is coloured, with --json', async () => {
    const held = await submit(nodes.alpha, { argv: ['echo', 'x'] });
    const { stdout } = await nodes.alpha.atTerminal('task', 'watch', held, '--json').ended;
    expect(stdout).not.toContain('\u001b');
  });

  it('asks before what cannot be undone, and does nothing without a yes', async () => {
    const asking = nodes.alpha.atTerminal('task', 'forget', task);
    await asking.says(/cannot be undone. Go on\? \[y\/N\]/);
    asking.type('n\r');
    const { code, stdout } = await asking.ended;
    expect([code, stdout]).toEqual([1, expect.stringContaining('nothing was done')]);
  });
});

describe('the end of a command line', () => {
  it.each([
    [['peer', 'show', 'be'], /^beta\t/m],
    [['delegate', '-p', 'beta', '--profile', ''], /^query\t/m],
    [['task', 'show', ''], /^.+\tcompleted echo/m],
  ])('%j is found through the running node', async (words, expected) => {
    const { code, stdout, stderr } = await nodes.alpha.writ('complete', '--', ...words);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(expected);
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
