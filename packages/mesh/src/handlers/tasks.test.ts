import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { submitFrom } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const signal = new AbortController().signal;

/** A loaded machine takes its time. */
const WAIT = { timeout: 10_000 };

describe('tasks of another peer', () => {
  it('look like tasks that are none, over every method', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    await gamma.trust(beta);
    await beta.trust(gamma);
    const theirs = submitFrom(alpha, beta, { task: 'task-theirs' });
    await alpha.clients.client(beta.id).submit(theirs);

    const client = gamma.clients.client(beta.id);
    const attempts = [
      (task: string) => client.getTask(task),
      (task: string) => client.cancel(task),
      (task: string) => client.readTranscript(task, 0, 10),
      (task: string) => client.watch(task, 0, signal)[Symbol.asyncIterator]().next(),
    ];
    for (const attempt of attempts) {
      const [real, none] = await Promise.all(
        ['task-theirs', 'task-nobody'].map((task) => attempt(task).catch((error: unknown) => error)),
      );
      expect(real).toMatchObject({ code: 'NOT_FOUND' });
      expect(String(real).replace('task-theirs', 'X')).toBe(String(none).replace('task-nobody', 'X'));
    }
    expect(await client.listTasks({ limit: 10 })).toEqual([]);
    expect(beta.executor.get('task-theirs')?.state).toBe('queued');
    expect(beta.executor.watching()).toBe(0);
  });
});

describe('requests out of range', () => {
  it('are refused with the field', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    await client.submit(submitFrom(alpha, beta, { task: 'task-1' }));
    await expect(client.listTasks({ limit: 100_000 })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('limit:'),
    });
    await expect(client.readTranscript('task-1', -1, 10)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('offset:'),
    });
    await expect(client.readTranscript('task-1', 2 ** 53, 10)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(client.getTask('no id')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('a watcher that does not read', () => {
  it('stops the source instead of filling the memory', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    await client.submit(submitFrom(alpha, beta, { task: 'task-1' }));
    const block = Buffer.alloc(64 * 1024);
    const blocks = 1000;
    let pulled = 0;
    beta.executor.watch = async function* () {
      for (let i = 0; i < blocks; i++) {
        pulled += 1;
        const output = { kind: 'output', stream: 'stdout', offset: i * block.length, length: block.length } as const;
        yield { event: { seq: i + 1, atMs: 1, epoch: 1, ...output }, data: block };
      }
    };
    const stream = client.watch('task-1', 0, signal)[Symbol.asyncIterator]();
    await stream.next();
    let before = -1;
    // Until the source has stood still between two looks: every window on the way is full.
    await expect
      .poll(
        () => {
          const still = pulled === before;
          before = pulled;
          return still;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
    expect(pulled).toBeLessThan(blocks / 2);
    let last = 1;
    for (let next = await stream.next(); !next.done; next = await stream.next()) last = next.value.event.seq;
    expect(last).toBe(blocks);
  });

  it('lets go of the source when it leaves', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    await client.submit(submitFrom(alpha, beta, { task: 'task-1' }));
    beta.executor.emit('task-1', { kind: 'state', state: 'running' });
    const leaving = new AbortController();
    const stream = client.watch('task-1', 0, leaving.signal)[Symbol.asyncIterator]();
    await stream.next();
    const next = stream.next();
    leaving.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    await expect.poll(() => beta.executor.watching(), WAIT).toBe(0);
  });
});
