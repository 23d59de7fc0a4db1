import { writeFileSync } from 'node:fs';
import {
  follow,
  type LinkProxy,
  openLinkProxy,
  startThreeNodes,
  submit,
  type TaskEvent,
  type ThreeNodes,
  until,
  untilFinished,
  untilOutput,
  within,
} from '@writ/testkit/mesh';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

let nodes: ThreeNodes;
let link: LinkProxy;
beforeAll(async () => {
  nodes = await startThreeNodes();
  link = await openLinkProxy(nodes.beta.listen);
  await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' });
  await nodes.alpha.configure(nodes.alpha.config().replace(`"${nodes.beta.listen}"`, `"${link.address}"`));
}, 120_000);
afterEach(() => {
  link.dropEvery(undefined);
  link.mend();
});
afterAll(async () => {
  await link.close();
  await nodes.mesh.close();
}, 60_000);

const start = (script: string): Promise<string> =>
  submit(nodes.alpha, { profile: 'repo-dev', workspace: 'app', argv: ['sh', '-c', script] });

/** Sequence without a gap, one ending and it last, and output whose offsets join. */
function expectGapless(events: readonly TaskEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expect(events.filter(({ kind }) => kind === 'outcome')).toHaveLength(1);
  expect(events.at(-1)?.kind).toBe('outcome');
  let next = 0;
  for (const event of events) {
    if (event.kind !== 'output') continue;
    expect(event.offset).toBe(next);
    next += event.length;
  }
}

const LINES = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');

describe('a link that breaks', () => {
  it('again and again while output comes loses nothing and repeats nothing', async () => {
    link.dropEvery(20_000);
    const before = link.broken();
    const task = await start(
      'i=0; while [ $i -lt 4000 ]; do echo "line $i"; i=$((i+1)); [ $((i % 100)) = 0 ] && sleep 0.02; done; true',
    );
    const { events, outcome, output } = await follow(nodes.alpha, task);
    expect(link.broken() - before).toBeGreaterThan(0);
    expect(outcome).toMatchObject({ state: 'completed', truncated: false });
    expect(output.toString()).toBe(LINES(4000));
    expectGapless(events);
  }, 60_000);

  it('for a while is waited out: the task goes on, its state here is told as unreachable, and it is followed on', async () => {
    const gate = `${nodes.mesh.dir}/gate`;
    const task = await start(`echo one; while [ ! -e ${gate} ]; do sleep 0.02; done; echo two`);
    await untilOutput(nodes.alpha, task, 'one');
    const watching = follow(nodes.alpha, task);
    link.cut();
    await until(
      'alpha notices',
      async () => (await nodes.alpha.client().call('status', { task })).unreachable || undefined,
    );
    writeFileSync(gate, '');
    expect(await untilFinished(nodes.beta, task)).toMatchObject({ state: 'completed' });
    expect(await nodes.alpha.client().call('status', { task })).toMatchObject({ finished: false });
    link.mend();
    const { events, output } = await within('the watch ends', watching, 30_000);
    expect(output.toString()).toBe('one\ntwo\n');
    expectGapless(events);
  }, 60_000);

  it('while a task is handed over starts it once or not at all', async () => {
    for (let at = 0; at < 10; at++) {
      const mark = `handed-${at}`;
      const answer = nodes.alpha
        .client()
        .call('delegate', {
          to: 'beta',
          profile: 'repo-dev',
          workspace: 'app',
          argv: ['echo', mark],
          idempotency_key: mark,
        })
        .then(
          (told) => told.accepted,
          () => false,
        );
      link.drop();
      const accepted = await answer;
      const again = await until('the retry is answered', async () => {
        const told = await nodes.alpha
          .client()
          .call('delegate', {
            to: 'beta',
            profile: 'repo-dev',
            workspace: 'app',
            argv: ['echo', mark],
            idempotency_key: mark,
          })
          .catch(() => undefined);
        return told?.accepted === true ? told : undefined;
      });
      expect(await untilFinished(nodes.alpha, again.task)).toMatchObject({ state: 'completed' });
      const { tasks } = await nodes.beta.client().call('list_tasks', { side: 'executing', limit: 200 });
      expect(
        tasks.filter((task) => task.work.includes(mark)),
        `${mark}, accepted at first: ${accepted}`,
      ).toHaveLength(1);
    }
  }, 60_000);

  it('does not swallow a cancel', async () => {
    const task = await start('echo up; sleep 29101');
    await untilOutput(nodes.alpha, task, 'up');
    link.cut();
    const cancelling = nodes.alpha
      .client()
      .call('cancel', { task })
      .catch((error: { code: string }) => error);
    await until(
      'alpha notices',
      async () => (await nodes.alpha.client().call('status', { task })).unreachable || undefined,
    );
    link.mend();
    await within('the cancel is answered', cancelling, 60_000);
    expect((await untilFinished(nodes.beta, task)).state).toBe('cancelled');
    expect((await untilFinished(nodes.alpha, task)).state).toBe('cancelled');
  }, 90_000);
});
