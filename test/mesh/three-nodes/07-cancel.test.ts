import {
  follow,
  processesWith,
  startThreeNodes,
  submit,
  type ThreeNodes,
  untilFinished,
  untilOutput,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A child that made a session of its own, a grandchild that nobody waits for, and everybody ignores TERM. */
const STUBBORN = `
trap '' TERM INT HUP
setsid sh -c 'trap "" TERM INT HUP; while :; do sleep 27314; done' &
(trap '' TERM; (trap '' TERM; setsid sleep 27315) & exit 0) &
env -i setsid sh -c 'trap "" TERM; while :; do /bin/sleep 27316; done' &
echo started
while :; do sleep 27317; done`;
const LEFT = 'sleep 2731';

let nodes: ThreeNodes;
beforeAll(async () => {
  nodes = await startThreeNodes();
  for (const peer of ['alpha', 'gamma']) {
    await nodes.beta.client().call('lease_grant', { peer, profile: 'repo-dev', duration: '1h' });
  }
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

const start = (argv: string[]): Promise<string> => submit(nodes.alpha, { profile: 'repo-dev', workspace: 'app', argv });

describe('cancel', () => {
  it('answers when nothing is left of a tree that ignores signals and left its session', async () => {
    const task = await start(['sh', '-c', STUBBORN]);
    await untilOutput(nodes.alpha, task, 'started');
    expect(processesWith(LEFT).length).toBeGreaterThanOrEqual(3);
    const done = await nodes.alpha.writ('task', 'cancel', task, '--json');
    expect(processesWith(LEFT)).toEqual([]);
    expect(done).toMatchObject({ code: 0, json: { state: 'cancelled', finished: true } });
    expect(await untilFinished(nodes.beta, task)).toMatchObject({ state: 'cancelled' });
  });

  it('twice, and at once, is the same cancel', async () => {
    const task = await start(['sleep', '27320']);
    const cancel = () => nodes.alpha.client().call('cancel', { task });
    const answers = await Promise.all([cancel(), cancel(), cancel()]);
    expect(answers.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await cancel()).toMatchObject({ state: 'cancelled' });
    const { events } = await follow(nodes.alpha, task);
    expect(events.filter(({ kind }) => kind === 'outcome')).toHaveLength(1);
    expect(processesWith('sleep 27320')).toEqual([]);
  });

  it('from both ends at once is one cancel', async () => {
    const task = await start(['sh', '-c', 'echo up; sleep 27321']);
    await untilOutput(nodes.alpha, task, 'up');
    const answers = await Promise.all([nodes.alpha, nodes.beta].map((node) => node.client().call('cancel', { task })));
    expect(answers.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    expect(processesWith('sleep 27321')).toEqual([]);
  });

  it('of a finished task leaves it as it is', async () => {
    const task = await start(['true']);
    const outcome = await untilFinished(nodes.alpha, task);
    expect(await nodes.alpha.client().call('cancel', { task })).toMatchObject({ state: 'completed' });
    expect(await nodes.beta.client().call('cancel', { task })).toMatchObject({ state: 'completed' });
    expect(await untilFinished(nodes.alpha, task)).toEqual(outcome);
  });

  it('is not overtaken by an exit that comes while it works', async () => {
    // On TERM it exits with 0 at once: the first cause of the ending counts.
    const task = await start(['sh', '-c', 'trap "exit 0" TERM; echo up; while :; do sleep 0.05; done']);
    await untilOutput(nodes.alpha, task, 'up');
    const answer = await nodes.alpha.client().call('cancel', { task });
    expect(answer.outcome).toMatchObject({ state: 'cancelled' });
    expect(await untilFinished(nodes.beta, task)).toMatchObject({ state: 'cancelled' });
  });

  it('of an unknown task is NOT_FOUND', async () => {
    expect(await nodes.alpha.writ('task', 'cancel', 'nothing', '--json')).toMatchObject({
      code: 2,
      json: { error: { code: 'NOT_FOUND' } },
    });
  });

  it('is what the first Ctrl-C at a waiting command line does', async () => {
    const waiting = nodes.alpha.start(
      'delegate',
      '-p',
      'beta',
      '--profile',
      'repo-dev',
      '-w',
      'app',
      '--',
      'sh',
      '-c',
      'echo up; sleep 27322',
    );
    await waiting.says(/up/);
    waiting.kill('SIGINT');
    const done = await waiting.ended;
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('cancelled') });
    expect(processesWith('sleep 27322')).toEqual([]);
  });

  it('is not what Ctrl-C at a mere watch does', async () => {
    const task = await start(['sh', '-c', 'echo up; sleep 27323']);
    const watching = nodes.alpha.start('task', 'watch', task);
    await watching.says(/up/);
    watching.kill('SIGINT');
    expect(await watching.ended).toMatchObject({ code: 0 });
    expect(await nodes.alpha.client().call('status', { task })).toMatchObject({ state: 'running' });
    await nodes.alpha.client().call('cancel', { task });
  });
});
