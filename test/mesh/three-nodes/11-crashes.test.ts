import { existsSync, writeFileSync } from 'node:fs';
import {
  follow,
  processesOf,
  processesWith,
  startThreeNodes,
  submit,
  type ThreeNodes,
  until,
  untilFinished,
  untilOutput,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let nodes: ThreeNodes;
beforeAll(async () => {
  nodes = await startThreeNodes();
  await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' });
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

const start = (script: string): Promise<string> =>
  submit(nodes.alpha, { profile: 'repo-dev', workspace: 'app', argv: ['sh', '-c', script] });

const stubborn = (seconds: number): string =>
  `trap '' TERM HUP; setsid sh -c 'trap "" TERM HUP; sleep ${seconds}' & echo up; while :; do sleep ${seconds}; done`;

describe('kill -9 of the node that works', () => {
  it('leaves no process, and the task is lost, at both ends, when it is up again', async () => {
    const task = await start(stubborn(28101));
    await untilOutput(nodes.alpha, task, 'up');
    await nodes.beta.kill();
    await until('what it started is gone without it', () => processesWith('sleep 28101').length === 0);
    expect(await nodes.alpha.client().call('status', { task })).toMatchObject({ finished: false });
    await nodes.beta.up();
    expect(await untilFinished(nodes.beta, task)).toMatchObject({ state: 'lost', code: 'LOST' });
    expect(await untilFinished(nodes.alpha, task)).toMatchObject({ state: 'lost', code: 'LOST' });
    expect(processesOf(nodes.mesh.dir).filter(({ command }) => command.includes('28101'))).toEqual([]);
    // The lease is what a person lent, and outlives the node.
    const next = await start('echo again');
    expect(await untilFinished(nodes.alpha, next)).toMatchObject({ state: 'completed' });
  });

  it('and of its spawner leaves nothing either, once it is up again', async () => {
    const task = await start(stubborn(28102));
    await untilOutput(nodes.alpha, task, 'up');
    const spawner = processesOf(nodes.beta.home).find(({ command }) => command.includes('spawner.js'));
    expect(spawner).toBeDefined();
    process.kill(nodes.beta.pid() ?? -1, 'SIGSTOP');
    process.kill(spawner?.pid ?? -1, 'SIGKILL');
    await nodes.beta.kill();
    expect(processesWith('sleep 28102')).not.toEqual([]);
    await nodes.beta.up();
    await until('the next start has ended what was left', () => processesWith('sleep 28102').length === 0);
    expect(await untilFinished(nodes.alpha, task)).toMatchObject({ state: 'lost', code: 'LOST' });
  });
});

describe('kill -9 of the node that asks', () => {
  it('does not end the task; up again, it is followed on and its outcome is there', async () => {
    const gate = `${nodes.mesh.dir}/gate`;
    const task = await start(`echo one; while [ ! -e ${gate} ]; do sleep 0.05; done; echo two`);
    await untilOutput(nodes.alpha, task, 'one');
    await nodes.alpha.kill();
    expect(await nodes.beta.client().call('status', { task })).toMatchObject({ state: 'running' });
    await nodes.alpha.up();
    writeFileSync(gate, '');
    const followed = await follow(nodes.alpha, task);
    expect(followed.outcome).toMatchObject({ state: 'completed' });
    expect(followed.output.toString()).toBe('one\ntwo\n');
    const seqs = followed.events.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  });

  it('gets the outcome of what ended while it was away', async () => {
    const gate = `${nodes.mesh.dir}/away`;
    const task = await start(`echo one; while [ ! -e ${gate} ]; do sleep 0.05; done; echo two; exit 3`);
    await untilOutput(nodes.alpha, task, 'one');
    await nodes.alpha.kill();
    writeFileSync(gate, '');
    expect(await untilFinished(nodes.beta, task)).toMatchObject({ state: 'failed', ending: { exit_code: 3 } });
    await nodes.alpha.up();
    expect(await untilFinished(nodes.alpha, task)).toMatchObject({ state: 'failed', ending: { exit_code: 3 } });
    expect((await nodes.alpha.writ('task', 'log', task)).stdout).toBe('one\ntwo\n');
  });
});

describe('an orderly stop of the node that works', () => {
  it('ends the running task and leaves nothing', async () => {
    const task = await start(stubborn(28103));
    await untilOutput(nodes.alpha, task, 'up');
    await nodes.beta.down();
    expect(processesWith('sleep 28103')).toEqual([]);
    expect(processesOf(nodes.beta.home)).toEqual([]);
    expect(existsSync(`${nodes.beta.home}/run/control.sock`)).toBe(false);
    await nodes.beta.up();
    const there = await untilFinished(nodes.beta, task);
    expect(there.state).toMatch(/^(cancelled|failed|lost)$/);
    expect(await untilFinished(nodes.alpha, task)).toMatchObject({ state: there.state });
  }, 60_000);

  it('by SIGTERM is the same', async () => {
    const task = await start(stubborn(28104));
    await untilOutput(nodes.alpha, task, 'up');
    process.kill(nodes.beta.pid() ?? -1, 'SIGTERM');
    await until('the node is gone', () => processesOf(nodes.beta.home).length === 0);
    expect(processesWith('sleep 28104')).toEqual([]);
    await nodes.beta.up();
    expect((await untilFinished(nodes.alpha, task)).state).toMatch(/^(cancelled|failed|lost)$/);
  }, 60_000);
});

describe('a peer that is down', () => {
  it('is unreachable, 6, with what to look at; and the task is not half there', async () => {
    await nodes.beta.down();
    const done = await nodes.alpha.writ('delegate', '-p', 'beta', '--profile', 'query', '--json', '--', 'true');
    expect(done).toMatchObject({ code: 6, json: { error: { code: 'UNREACHABLE' } } });
    expect((done.json as { error: { nextSteps: string[] } }).error.nextSteps).not.toEqual([]);
    await nodes.beta.up();
    // The link comes back by itself.
    await until('beta can be asked again', async () => {
      const again = await nodes.alpha
        .client()
        .call('delegate', { to: 'beta', profile: 'query', argv: ['true'] })
        .catch(() => undefined);
      return again?.accepted;
    });
  });
});
