import { readFileSync } from 'node:fs';
import {
  ask,
  follow,
  jsonLines,
  processesWith,
  run,
  startThreeNodes,
  submit,
  type ThreeNodes,
  until,
  untilFinished,
  untilOutput,
} from '@writ/testkit/mesh';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const WORK = { workspace: 'app', profile: 'repo-dev' } as const;

let nodes: ThreeNodes;
beforeAll(async () => {
  nodes = await startThreeNodes();
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

/** Every test begins with nothing lent. */
afterEach(async () => {
  const control = nodes.beta.client();
  const { leases } = await control.call('lease_list', {});
  for (const lease of leases) await control.call('lease_revoke', { lease: lease.id });
});

const grant = async (peer: string, options: { duration?: string; max_uses?: number; workspaces?: string[] } = {}) =>
  (await nodes.beta.client().call('lease_grant', { peer, profile: 'repo-dev', duration: '1h', ...options })).lease;

const LEASE_REQUIRED = { accepted: false, decided: { by: 'peer', effect: 'deny', code: 'LEASE_REQUIRED' } };

describe('repo-dev without a lease', () => {
  it('is denied with what a person could type, and makes no task at beta', async () => {
    const done = await nodes.alpha.writ('delegate', '--peer', 'beta', '--profile', 'repo-dev', '-w', 'app', '--', 'id');
    expect(done.code).toBe(3);
    expect(done.stdout).toBe('');
    expect(done.stderr).toContain('denied LEASE_REQUIRED');
    expect(done.stderr).toMatch(/writ lease grant \S+ repo-dev --for/);
    const { tasks } = await nodes.beta.client().call('list_tasks', { side: 'executing' });
    expect(tasks).toEqual([]);
  });

  it('is denied where the lease is another peer’s', async () => {
    await grant('gamma');
    expect(await ask(nodes.alpha, { ...WORK, argv: ['true'] })).toMatchObject(LEASE_REQUIRED);
    expect((await run(nodes.gamma, { ...WORK, argv: ['true'] })).outcome.state).toBe('completed');
  });

  it('is denied in a workspace that was not lent', async () => {
    await grant('alpha', { workspaces: ['app'] });
    expect(await ask(nodes.alpha, { profile: 'repo-dev', argv: ['true'] })).toMatchObject({ accepted: false });
  });

  it('is never given to a request that does not name it', async () => {
    await grant('alpha');
    const done = await run(nodes.alpha, { workspace: 'app', argv: ['id'] });
    expect(done).toMatchObject({ profile: 'query', outcome: { code: 'COMMAND_NOT_ALLOWED' } });
  });
});

describe('repo-dev with a lease', () => {
  it('runs, and leaves the repository of the other node as it was', async () => {
    const lent = await nodes.beta.writ('lease', 'grant', 'alpha', 'repo-dev', '--for', '1h', '--json');
    expect(lent).toMatchObject({ code: 0, json: { peer: 'alpha', profile: 'repo-dev', live: true } });
    const done = await run(nodes.alpha, {
      ...WORK,
      argv: ['sh', '-c', 'cat README.md; echo changed > README.md; pwd'],
    });
    expect(done).toMatchObject({ profile: 'repo-dev', runner: 'shell', outcome: { state: 'completed' } });
    expect(done.output.toString()).toMatch(/^hello\n.*\/beta\/workspaces\/run-[0-9a-f]+\/work\n$/);
    expect(readFileSync(`${nodes.mesh.dir}/app/README.md`, 'utf8')).toBe('hello\n');
  });

  it('stops being granted when it has expired', async () => {
    const lease = await grant('alpha', { duration: '1s' });
    expect((await run(nodes.alpha, { ...WORK, argv: ['true'] })).outcome.state).toBe('completed');
    await until('the lease has expired', async () => {
      const { leases } = await nodes.beta.client().call('lease_list', { all: true });
      return leases.some(({ id, live }) => id === lease.id && !live);
    });
    expect(await ask(nodes.alpha, { ...WORK, argv: ['true'] })).toMatchObject(LEASE_REQUIRED);
  });

  it('ends LEASE_EXPIRED where it still runs then, or at its timeout by then', async () => {
    await grant('alpha', { duration: '2s' });
    const task = await submit(nodes.alpha, { ...WORK, argv: ['sleep', '31418'] });
    const outcome = await untilFinished(nodes.alpha, task);
    expect(outcome.state).toBe('failed');
    expect(outcome.code).toMatch(/^(LEASE_EXPIRED|TIMED_OUT)$/);
    expect(processesWith('31418')).toEqual([]);
  });

  it('that may be used once serves one task, also of two that ask at once', async () => {
    await grant('alpha', { max_uses: 1 });
    const wish = { ...WORK, argv: ['true'] };
    const answers = await Promise.all([ask(nodes.alpha, wish), ask(nodes.alpha, wish), ask(nodes.alpha, wish)]);
    const ends = await Promise.all(
      answers.map(async (answer) =>
        answer.accepted ? (await untilFinished(nodes.alpha, answer.task)).state : 'denied',
      ),
    );
    expect(ends.filter((end) => end === 'completed')).toHaveLength(1);
    expect(await ask(nodes.alpha, wish)).toMatchObject(LEASE_REQUIRED);
  });
});

describe('system-change', () => {
  it('is cut down to repo-dev by the ceiling, with repo-dev’s runner, and only under a lease for that', async () => {
    const wish = { workspace: 'app', profile: 'system-change', argv: ['sh', '-c', 'echo plain'] };
    expect(await ask(nodes.alpha, wish)).toMatchObject({ ...LEASE_REQUIRED });
    await grant('alpha');
    const done = await run(nodes.alpha, wish);
    expect(done).toMatchObject({ profile: 'repo-dev', runner: 'shell', outcome: { state: 'completed' } });
    expect(done.output.toString()).toBe('plain\n');
    // Naming the other runner does not bring it back.
    const named = await ask(nodes.alpha, { ...wish, runner: 'operator' });
    expect(named).toMatchObject({ accepted: false, decided: { code: 'RUNNER_NOT_ALLOWED' } });
  });

  it('is itself without the ceiling: other runner, other lease', async () => {
    const config = nodes.beta.config();
    await nodes.beta.configure(config.replace('[profile_ceilings]\nsystem-change = "repo-dev"\n', ''));
    try {
      await grant('alpha');
      const wish = { workspace: 'app', profile: 'system-change', prompt: 'the plan' };
      expect(await ask(nodes.alpha, wish)).toMatchObject(LEASE_REQUIRED);
      await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'system-change', duration: '1h' });
      const done = await run(nodes.alpha, wish);
      expect(done).toMatchObject({ profile: 'system-change', runner: 'operator', outcome: { state: 'completed' } });
      expect(done.output.toString()).toBe('the operator runs the plan\n');
    } finally {
      await nodes.beta.configure(config);
    }
  });
});

describe('a lease that is taken back', () => {
  it('ends what runs under it at once, denies the next, and lets another peer’s work go on', async () => {
    const lease = await grant('alpha');
    await grant('gamma');
    const sleeper = (number: string) => ({ ...WORK, argv: ['sh', '-c', `echo up; sleep ${number} & wait`] });
    const [mine, other] = [await submit(nodes.alpha, sleeper('27181')), await submit(nodes.gamma, sleeper('27182'))];
    await Promise.all([untilOutput(nodes.alpha, mine, 'up'), untilOutput(nodes.gamma, other, 'up')]);
    const revoked = await nodes.beta.writ('lease', 'revoke', lease.id, '--json');
    expect(revoked).toMatchObject({ code: 0, json: { revoked: true } });
    expect((await follow(nodes.alpha, mine)).outcome).toMatchObject({ state: 'failed', code: 'LEASE_REVOKED' });
    expect(processesWith('sleep 27181')).toEqual([]);
    expect(await ask(nodes.alpha, { ...WORK, argv: ['true'] })).toMatchObject(LEASE_REQUIRED);
    // The other one was not touched.
    expect(await nodes.gamma.client().call('status', { task: other })).toMatchObject({ state: 'running' });
    expect(processesWith('sleep 27182')).not.toEqual([]);
    await nodes.gamma.client().call('cancel', { task: other });
    expect(processesWith('sleep 27182')).toEqual([]);
    // Twice is no error, and says so.
    expect(await nodes.beta.writ('lease', 'revoke', lease.id, '--json')).toMatchObject({
      code: 0,
      json: { revoked: false },
    });
  });

  it('is told at the command line of whoever waits', async () => {
    const lease = await grant('alpha');
    const waiting = nodes.alpha.start(
      'delegate',
      '-p',
      'beta',
      '--profile',
      'repo-dev',
      '-w',
      'app',
      '--json',
      '--',
      'sh',
      '-c',
      'echo up; sleep 600',
    );
    await waiting.says(/"data":"up\\n"/);
    await nodes.beta.client().call('lease_revoke', { lease: lease.id });
    const done = await waiting.ended;
    expect(jsonLines(done.stdout).at(-1)).toMatchObject({ outcome: { state: 'failed', code: 'LEASE_REVOKED' } });
    expect(done.code).toBe(1);
  });

  it('that does not exist is NOT_FOUND', async () => {
    expect(await nodes.beta.writ('lease', 'revoke', 'nothing', '--json')).toMatchObject({
      code: 2,
      json: { error: { code: 'NOT_FOUND' } },
    });
  });
});
