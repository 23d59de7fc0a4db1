import { sha256Hex } from '@writ/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { startTestNode, submitFrom, type TestNode } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const signal = new AbortController().signal;
const MIB = 1024 * 1024;

/** Two nodes that trust each other, the second with a task of the first. */
async function startWithTask() {
  const { alpha, beta } = await nodes.pair();
  const client = alpha.clients.client(beta.id);
  await client.submit(submitFrom(alpha, beta, { task: 'task-1' }));
  return { alpha, beta, client };
}

/** What the result of a task names, at the node that has it. */
function put(at: TestNode, task: string, content: Uint8Array): string {
  const sha256 = sha256Hex(content);
  at.executor.contents.set(`${task} ${sha256}`, content);
  return sha256;
}

/** Bytes of which no two pieces are the same. */
function bytesOf(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i + 4 <= length; i += 4) bytes.writeUInt32LE(i, i);
  return bytes;
}

async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

describe('results of another peer', () => {
  it('look like results that are none, over every method', async () => {
    const { beta } = await startWithTask();
    const gamma = await nodes.start('gamma');
    await gamma.trust(beta);
    await beta.trust(gamma);
    beta.executor.contents.set('task-1', Buffer.from('signed'));
    const sha256 = put(beta, 'task-1', Buffer.from('content'));
    const client = gamma.clients.client(beta.id);
    const attempts = [
      (task: string) => client.getResult(task),
      (task: string) => gather(client.fetch(task, sha256, 0, signal)),
    ];
    for (const attempt of attempts) {
      const [real, none] = await Promise.all(
        ['task-1', 'task-9'].map((task) => attempt(task).catch((error: unknown) => error)),
      );
      expect(real).toMatchObject({ code: 'NOT_FOUND' });
      expect(String(real).replace('task-1', 'X')).toBe(String(none).replace('task-9', 'X'));
    }
    expect(await client.acknowledge([{ task: 'task-1', envelope: Buffer.from('mine') }])).toEqual([]);
    expect(beta.executor.receipts).toEqual([]);
    expect(beta.executor.reads).toBe(0);
  });
});

describe('the result of a task', () => {
  it('comes as it was signed, in the answer or in pieces', async () => {
    const { beta, client } = await startWithTask();
    for (const length of [1, 300_000, 3 * MIB + 1]) {
      const envelope = bytesOf(length);
      beta.executor.contents.set('task-1', envelope);
      put(beta, 'task-1', envelope);
      expect(Buffer.compare(await client.getResult('task-1'), envelope), String(length)).toBe(0);
    }
  });

  it('is NOT_FOUND where there is none', async () => {
    const { client } = await startWithTask();
    await expect(client.getResult('task-1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is refused where it is not as long as announced, or too long to announce', async () => {
    const { beta, client } = await startWithTask();
    const envelope = bytesOf(2 * MIB);
    beta.executor.contents.set('task-1', envelope);
    for (const length of [MIB, 2 * MIB + 4]) {
      beta.executor.contents.set(`task-1 ${sha256Hex(envelope)}`, bytesOf(length));
      await expect(client.getResult('task-1'), String(length)).rejects.toMatchObject({
        code: 'INTERNAL',
        message: expect.stringContaining('garbage'),
      });
    }
    beta.executor.contents.set('task-1', Buffer.alloc(32 * MIB + 1));
    await expect(client.getResult('task-1')).rejects.toMatchObject({ message: expect.stringContaining('bytes:') });
    expect(beta.executor.reads).toBeLessThan(30);
  });
});

describe('content that a result names', () => {
  it('comes whole, or from an offset to its end', async () => {
    const { beta, client } = await startWithTask();
    const content = bytesOf(2 * MIB + 12);
    const sha256 = put(beta, 'task-1', content);
    for (const offset of [0, 1, MIB + 7, content.length]) {
      const rest = await gather(client.fetch('task-1', sha256, offset, signal));
      expect(Buffer.compare(rest, content.subarray(offset)), String(offset)).toBe(0);
    }
  });

  it('goes on after a break where it was cut', async () => {
    const { beta, client } = await startWithTask();
    const content = bytesOf(8 * MIB);
    const sha256 = put(beta, 'task-1', content);
    const { readContent } = beta.executor;
    let isCut = false;
    beta.executor.readContent = async (id, digest, offset, limit) => {
      if (offset > 4 * MIB && !isCut) {
        isCut = true;
        throw new Error('disk trouble in /home/owner');
      }
      return readContent.call(beta.executor, id, digest, offset, limit);
    };
    const got: Uint8Array[] = [];
    const length = (): number => got.reduce((sum, piece) => sum + piece.length, 0);
    const fetchRest = async (): Promise<void> => {
      for await (const piece of client.fetch('task-1', sha256, length(), signal)) got.push(piece);
    };
    const error: unknown = await fetchRest().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INTERNAL' });
    expect(String(error)).not.toContain('owner');
    expect(length()).toBeGreaterThan(0);
    expect(length()).toBeLessThan(content.length);
    await fetchRest();
    expect(Buffer.compare(Buffer.concat(got), content)).toBe(0);
  });

  it('is NOT_FOUND where the result names no such thing, and BAD_REQUEST where the request is none', async () => {
    const { beta, client } = await startWithTask();
    const sha256 = put(beta, 'task-2', Buffer.from('of another task'));
    await expect(gather(client.fetch('task-1', sha256, 0, signal))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const [digest, offset] of [
      ['../../identity.key', 0],
      [sha256.toUpperCase(), 0],
      ['', 0],
      [sha256, -1],
      [sha256, 2 ** 60],
    ] as const) {
      await expect(gather(client.fetch('task-1', digest, offset, signal)), digest).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    }
  });

  it('is read no further than its reader takes it, and no more once the reader has gone', async () => {
    const { beta, client } = await startWithTask();
    let read = 0;
    const pieces = 1000;
    beta.executor.readContent = async (_id, _sha256, _offset, limit) => {
      read += 1;
      return Buffer.alloc(read > pieces ? 0 : limit);
    };
    const leaving = new AbortController();
    const stream = client.fetch('task-1', 'a'.repeat(64), 0, leaving.signal)[Symbol.asyncIterator]();
    await stream.next();
    let before = -1;
    await expect
      .poll(
        () => {
          const still = read === before;
          before = read;
          return still;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
    expect(read).toBeLessThan(pieces / 4);
    const left = new Error('enough');
    leaving.abort(left);
    // What was on its way comes first; then it is said that this is not all.
    const drain = async (): Promise<void> => {
      for (;;) if ((await stream.next()).done) return;
    };
    await expect(drain()).rejects.toBe(left);
    const last = read;
    expect(await client.getTask('task-1')).toMatchObject({ id: 'task-1' });
    expect(read).toBe(last);
  });

  it('is UNREACHABLE where nothing more of it comes, however long its reader takes for what has come', async () => {
    const alpha = await startTestNode('alpha', {}, { timersOnDemand: true });
    nodes.closeLater(() => alpha.close());
    const beta = await nodes.start('beta');
    await alpha.trust(beta);
    await beta.trust(alpha);
    const client = alpha.clients.client(beta.id);
    await client.submit(submitFrom(alpha, beta, { task: 'task-1' }));
    beta.executor.readContent = async (_id, _sha256, offset, limit) =>
      offset > 4 * MIB ? new Promise(() => undefined) : Buffer.alloc(limit);
    const stream = client.fetch('task-1', 'a'.repeat(64), 0, signal)[Symbol.asyncIterator]();
    const fireAll = (): void => {
      for (const timer of alpha.timers) timer.fire();
    };
    await stream.next();
    fireAll();
    let bytes = 256 * 1024;
    const drain = async (): Promise<void> => {
      for (;;) bytes += (await stream.next()).value?.length ?? 0;
    };
    const ended = expect(drain()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect.poll(() => bytes, { timeout: 10_000 }).toBe(4 * MIB + 256 * 1024);
    fireAll();
    await ended;
  });

  it('ends with its caller: a link that is closed in the middle is no end of the content', async () => {
    const { alpha, beta, client } = await startWithTask();
    beta.executor.readContent = async (_id, _sha256, _offset, limit) => Buffer.alloc(limit);
    const stream = client.fetch('task-1', 'a'.repeat(64), 0, signal)[Symbol.asyncIterator]();
    await stream.next();
    await alpha.distrust(beta);
    const drain = async (): Promise<void> => {
      for (;;) if ((await stream.next()).done) return;
    };
    await expect(drain()).rejects.toMatchObject({ code: 'TRUST_REVOKED' });
  });
});

describe('receipts', () => {
  it('are taken for the caller’s own tasks, and the rest is left out', async () => {
    const { alpha, beta, client } = await startWithTask();
    const gamma = await nodes.start('gamma');
    await gamma.trust(beta);
    await beta.trust(gamma);
    await client.submit(submitFrom(alpha, beta, { task: 'task-2' }));
    await gamma.clients.client(beta.id).submit(submitFrom(gamma, beta, { task: 'task-3' }));
    const stored = await client.acknowledge(
      [
        ['task-1', 'one'],
        ['task-2', 'bad'],
        ['task-3', 'not mine'],
        ['task-9', 'nobody'],
        ['task-2', 'two'],
      ].map(([task = '', text = '']) => ({ task, envelope: Buffer.from(text) })),
    );
    expect(new Set(stored)).toEqual(new Set(['task-1', 'task-2']));
    expect(beta.executor.receipts).toEqual(['task-1 one', 'task-2 two']);
  });

  it('go in as many calls as they need', async () => {
    const { alpha, beta, client } = await startWithTask();
    const tasks = Array.from({ length: 150 }, (_, i) => `many-${i}`);
    for (const task of tasks) await client.submit(submitFrom(alpha, beta, { task }));
    const receipts = tasks.map((task) => ({ task, envelope: Buffer.alloc(20_000, 'x') }));
    expect(await client.acknowledge(receipts)).toEqual(tasks);
    expect(await client.acknowledge([])).toEqual([]);
  });

  it('fail as a whole by a fault of the node, and are refused where they are too long', async () => {
    const { beta, client } = await startWithTask();
    const one = (text: string) => client.acknowledge([{ task: 'task-1', envelope: Buffer.from(text) }]);
    await expect(one('fault')).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(one('x'.repeat(70_000))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(client.acknowledge([{ task: 'no id', envelope: Buffer.from('x') }])).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    expect(beta.executor.receipts).toEqual([]);
  });
});
