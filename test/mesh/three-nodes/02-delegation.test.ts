import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, jsonLines, run, startThreeNodes, submit, type ThreeNodes, untilFinished } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Prints a line, waits to be told by a file, and prints another. */
const dir = mkdtempSync(join(tmpdir(), 'writ-gate-'));
const gate = join(dir, 'gate');
const GATED = ['sh', '-c', 'echo first; while [ ! -e "$1" ]; do sleep 0.02; done; echo second', 'sh', gate];
const ECHO = ['printf', '<%s>', '**'];

let nodes: ThreeNodes;
beforeAll(async () => {
  nodes = await startThreeNodes({
    commands: [['git', 'log', '--oneline', '-1'], GATED, ECHO, ['sh', '-c', 'exit 7'], ['sleep', '600']],
  });
}, 120_000);
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await nodes.mesh.close();
}, 60_000);

const delegate = (...argv: string[]) => nodes.alpha.writ('delegate', '--peer', 'beta', '--profile', 'query', ...argv);

describe('query work', () => {
  it('runs in a clone of the workspace, and says what was decided and why', async () => {
    const done = await delegate('--workspace', 'app', '--profile', 'query', '--', 'git', 'log', '--oneline', '-1');
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(/^[0-9a-f]{7,} Begin\n$/);
    expect(done.stderr).toMatch(/granted query with runner shell: \S+/);
    expect(done.stderr).toContain('completed: exited with status 0');
  });

  it('shows its output while it runs', async () => {
    const running = nodes.alpha.start('delegate', '--peer', 'beta', '--profile', 'query', '--', ...GATED);
    await running.says(/^first\n/);
    const [task] = (await nodes.alpha.client().call('list_tasks', { limit: 1 })).tasks;
    expect(task).toMatchObject({ state: 'running', finished: false, peer: 'beta', side: 'asked' });
    // The task stands still until now, so the line before came while it ran.
    const opened = await run(nodes.alpha, { to: 'self', argv: ['echo', 'x'] });
    expect(opened.outcome.state).toBe('completed');
    writeFileSync(gate, '');
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'first\nsecond\n' });
  });

  it('has to be named to a peer', async () => {
    const done = await nodes.alpha.writ('delegate', '--peer', 'beta', '--', 'true');
    expect(done).toMatchObject({ code: 3, stderr: expect.stringContaining('denied PROFILE_REQUIRED') });
    expect(done.stderr).toContain('ask for one of: query, repo-dev, system-change');
  });

  it('runs nothing that is not listed for it', async () => {
    for (const argv of [
      ['id'],
      ['sh', '-c', 'exit 8'],
      ['git', 'log', '--oneline', '-1', '--output=/tmp/x'],
      ['true', 'x'],
    ]) {
      const done = await delegate('--workspace', 'app', '--json', '--', ...argv);
      expect(done.code, argv.join(' ')).toBe(3);
      expect(jsonLines(done.stdout).at(-1)).toMatchObject({
        kind: 'outcome',
        outcome: { state: 'failed', code: 'COMMAND_NOT_ALLOWED' },
      });
    }
  });

  it('gets every argument as it was given, without a shell in between', async () => {
    const odd = [
      '',
      ' ',
      '$HOME',
      '`id`',
      '"\'\\',
      '-n',
      '*',
      'a\nb\tc',
      '\u0001\u001b[2J\u007f',
      'ünï😀\u202e',
      '\ufffd',
    ];
    const { output } = await run(nodes.alpha, { argv: ['printf', '<%s>', ...odd] });
    expect(output.toString('utf8')).toBe(odd.map((word) => `<${word}>`).join(''));
    const huge = 'x'.repeat(100_000);
    expect((await run(nodes.alpha, { argv: ['printf', '<%s>', huge] })).output.length).toBe(huge.length + 2);
  });

  it('cannot be given an argument with NUL', async () => {
    await expect(ask(nodes.alpha, { argv: ['printf', '<%s>', 'a\0b'] })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('the exit code', () => {
  it('is 1 for a task that failed, and its own with --exit-status', async () => {
    expect((await delegate('--', 'sh', '-c', 'exit 7')).code).toBe(1);
    expect((await delegate('--exit-status', '--', 'sh', '-c', 'exit 7')).code).toBe(7);
  });

  it('is 5 for one that timed out', async () => {
    const done = await delegate('--timeout', '1s', '--json', '--', 'sleep', '600');
    expect(done.code).toBe(5);
    expect(jsonLines(done.stdout).at(-1)).toMatchObject({ outcome: { state: 'failed', code: 'TIMED_OUT' } });
  });

  it('is 2 for what makes no request', async () => {
    expect((await delegate()).code).toBe(2);
    expect((await delegate('--prompt', 'x', '--', 'true')).code).toBe(2);
    expect((await delegate('--timeout', 'soon', '--', 'true')).code).toBe(2);
    expect((await delegate('--nonsense', '--', 'true')).code).toBe(2);
    expect((await nodes.alpha.writ('delegate', '--', 'true')).code).toBe(2);
  });
});

describe('what does not exist', () => {
  it('a peer: is told with how to see the ones there are', async () => {
    const done = await nodes.alpha.writ('delegate', '--peer', 'nobody', '--json', '--', 'true');
    expect(done.code).toBe(3);
    expect(JSON.stringify(done.json)).toContain('PEER_UNKNOWN');
    expect(JSON.stringify(done.json)).toContain('known peers: beta');
  });

  it.each([
    ['profile', ['--profile', 'nothing']],
    ['workspace', ['--workspace', 'nowhere']],
  ])('a %s: is denied by whoever decides about it, with what to do', async (_, options) => {
    const done = await delegate(...options, '--json', '--', 'true');
    expect(done.code).toBe(3);
    const [refused] = jsonLines(done.stdout);
    expect(refused).toMatchObject({ kind: 'refused', accepted: false, decided: { effect: 'deny' } });
    expect(JSON.stringify(refused)).toMatch(/PROFILE_NOT_ALLOWED|PROFILE_UNKNOWN|WORKSPACE_NOT_ALLOWED/);
    expect(refused).toHaveProperty('decided.next_steps.0');
  });

  it('a ref: fails the task and starts nothing', async () => {
    const task = await submit(nodes.alpha, { argv: ['true'], workspace: 'app', ref: 'no-such-branch' });
    expect(await untilFinished(nodes.alpha, task)).toMatchObject({
      state: 'failed',
      code: 'BAD_REQUEST',
      message: expect.stringContaining('has no branch, tag or commit `no-such-branch`'),
    });
  });

  it('a program: is told to who asked for it', async () => {
    await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' });
    const argv = ['/no/such/program'];
    const task = await submit(nodes.alpha, { argv, profile: 'repo-dev', workspace: 'app' });
    expect(await untilFinished(nodes.alpha, task)).toMatchObject({
      code: 'WORKER_FAILED',
      message: expect.stringMatching(/^program `\/no\/such\/program` was not found; what to do: install /),
    });
  });

  it('a task: is NOT_FOUND for every verb', async () => {
    for (const verb of ['show', 'watch', 'log', 'cancel']) {
      const done = await nodes.alpha.writ('task', verb, '01a227a5-d2f3-7f8f-863f-09838e813a01', '--json');
      expect(done, verb).toMatchObject({ code: 2, json: { error: { code: 'NOT_FOUND' } } });
    }
  });
});

describe('delegation to oneself', () => {
  it('runs under the same policy', async () => {
    expect(await run(nodes.alpha, { to: 'self', argv: ['echo', 'here'] })).toMatchObject({
      profile: 'query',
      outcome: { state: 'completed' },
      output: Buffer.from('here\n'),
    });
    const refused = await ask(nodes.alpha, { to: 'self', argv: ['id'], profile: 'repo-dev' });
    expect(refused).toMatchObject({ accepted: false, decided: { effect: 'deny' } });
  });
});

describe('an idempotency key', () => {
  it('makes the same request the same task, and runs it once', async () => {
    const wish = { argv: ['printf', '<%s>', 'once'], idempotency_key: 'key-1' };
    const [first, second] = await Promise.all([submit(nodes.alpha, wish), submit(nodes.alpha, wish)]);
    expect(second).toBe(first);
    await untilFinished(nodes.alpha, first);
    expect(await submit(nodes.alpha, wish)).toBe(first);
    const { tasks } = await nodes.beta.client().call('list_tasks', { side: 'executing', limit: 200 });
    expect(tasks.filter((task) => task.work.includes('once'))).toHaveLength(1);
  });

  it('is refused for another request', async () => {
    await submit(nodes.alpha, { argv: ['true'], idempotency_key: 'key-2' });
    await expect(ask(nodes.alpha, { argv: ['printf', '<%s>', 'x'], idempotency_key: 'key-2' })).rejects.toMatchObject({
      code: 'WRIT_REPLAYED',
    });
    const done = await delegate('--key', 'key-2', '--json', '--', 'printf', '<%s>', 'y');
    expect(done).toMatchObject({ code: 3, json: { error: { code: 'WRIT_REPLAYED' } } });
  });

  it('of another peer is another key', async () => {
    const wish = { argv: ['true'], idempotency_key: 'key-3' };
    expect(await submit(nodes.alpha, wish)).not.toBe(await submit(nodes.gamma, wish));
  });
});
