import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StreamItem } from '../client/index.ts';
import { HOST_TOKEN } from '../testing/fake-node.ts';
import { completed, fakeMirror, fakeTask } from '../testing/fake-records.ts';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;

beforeEach(async () => {
  at = await startListening();
  at.node.asked.records.set('t-1', fakeMirror('t-1'));
});
afterEach(() => at.stop());

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('task_watch', () => {
  it('streams events with their output as text or base64, and ends after the outcome', async () => {
    const { asked } = at.node;
    asked.append('t-1', { kind: 'state', state: 'running' });
    asked.append('t-1', { kind: 'output', stream: 'stdout', offset: 0, length: 4 }, Buffer.from('hé\n'));
    asked.append('t-1', { kind: 'output', stream: 'stderr', offset: 4, length: 2 }, Uint8Array.of(0xff, 0x00));
    asked.append('t-1', { kind: 'dropped', stream: 'stdout', bytes: 9 });
    asked.append('t-1', { kind: 'outcome', outcome: completed });
    const items = await collect(at.client.stream('task_watch', { task: 't-1' }));
    expect(items.map(({ kind }) => kind)).toEqual(['state', 'output', 'output', 'dropped', 'outcome']);
    expect(items[1]).toMatchObject({ encoding: 'utf8', data: 'hé\n' });
    expect(items[2]).toMatchObject({ encoding: 'base64', data: '/wA=' });
    expect(items[4]).toMatchObject({ outcome: { state: 'completed', ending: { kind: 'exit', exit_code: 0 } } });
  });

  it('delivers each event when it happens', async () => {
    const items = at.client.stream('task_watch', { task: 't-1' });
    const first = items.next();
    await at.node.asked.watched(1);
    at.node.asked.append('t-1', { kind: 'state', state: 'queued' });
    expect((await first).value).toMatchObject({ seq: 1, state: 'queued' });
    await items.return();
  });

  it('starts after the sequence number', async () => {
    at.node.asked.append('t-1', { kind: 'state', state: 'queued' });
    at.node.asked.append('t-1', { kind: 'outcome', outcome: completed });
    const items = await collect(at.client.stream('task_watch', { task: 't-1', after_seq: 1 }));
    expect(items.map(({ seq }) => seq)).toEqual([2]);
  });

  it('is released when the reader leaves', async () => {
    at.node.asked.append('t-1', { kind: 'state', state: 'queued' });
    for await (const _ of at.client.stream('task_watch', { task: 't-1' })) break;
    await at.node.asked.watched(0);
    expect(at.node.asked.watchers).toBe(0);
  });

  it('is released when the signal aborts before the first item', async () => {
    const abort = new AbortController();
    const first = at.client.stream('task_watch', { task: 't-1' }, { signal: abort.signal }).next();
    await at.node.asked.watched(1);
    abort.abort();
    await expect(first).rejects.toMatchObject({ code: 'CANCELLED' });
    await at.node.asked.watched(0);
  });

  it('answers an error before the first item with its status, and one after it as the last line', async () => {
    await expect(collect(at.client.stream('task_watch', { task: 'nothing' }))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    at.node.invites = (async function* () {
      yield { kind: 'proved', peerId: 'wn-x', label: 'x', words: 'a b' } as const;
      throw new RangeError('torn');
    })();
    const seen: StreamItem<'peer_invite'>[] = [];
    const read = async (): Promise<void> => {
      for await (const item of at.client.stream('peer_invite', { profiles: ['query'] })) seen.push(item);
    };
    await expect(read()).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(seen.map(({ kind }) => kind)).toEqual(['invite', 'proved']);
  });

  it('ends with SHUTTING_DOWN when the node stops', async () => {
    at.node.asked.append('t-1', { kind: 'state', state: 'queued' });
    const items = at.client.stream('task_watch', { task: 't-1' });
    await items.next();
    const rest = items.next();
    const [closed] = await Promise.allSettled([at.gateway.close(), rest]);
    expect(closed.status).toBe('fulfilled');
    await expect(rest).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(at.node.asked.watchers).toBe(0);
  });

  it('reads no further than a slow reader has room for', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    const count = 400;
    for (let i = 0; i < count; i++) {
      at.node.asked.append('t-1', { kind: 'output', stream: 'stdout', offset: i * 65_536, length: 65_536 }, chunk);
    }
    at.node.asked.append('t-1', { kind: 'outcome', outcome: completed });
    const response = await openStream('task_watch', { task: 't-1' });
    const taken = await settled(() => at.node.asked.taken);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(count / 4);
    let lines = 0;
    for await (const part of response) lines += String(part).split('\n').length - 1;
    expect(lines).toBe(count + 1);
  });
});

/** A stream whose reader has not begun to read. */
async function openStream(name: string, input: unknown): Promise<Socket> {
  const outgoing = request({
    socketPath: at.socketPath,
    agent: false,
    method: 'POST',
    path: `/v1/${name}`,
    headers: { authorization: `Bearer ${HOST_TOKEN}` },
  });
  outgoing.end(JSON.stringify(input));
  const [response] = await once(outgoing, 'response');
  return response;
}

/** A count once it has stood still over many turns of the event loop. */
async function settled(count: () => number): Promise<number> {
  for (let last = -1, still = 0; ; ) {
    await new Promise((resolve) => setImmediate(resolve));
    still = count() === last ? still + 1 : 0;
    last = count();
    if (still === 2000) return last;
  }
}

describe('task_log', () => {
  it('streams the transcript as it is, whole, and ends', async () => {
    const bytes = Buffer.alloc(200_000, 0xfe);
    at.node.asked.transcripts.set('t-1', { bytes, end: true });
    const items = await collect(at.client.stream('task_log', { task: 't-1' }));
    expect(Buffer.concat(items.map(({ data }) => Buffer.from(data, 'base64'))).equals(bytes)).toBe(true);
    expect(items.at(-1)).toMatchObject({ next: 200_000, end: true });
    expect(items.length).toBe(4);
  });

  it('starts at the offset, and without follow ends where the transcript ends now', async () => {
    at.node.asked.transcripts.set('t-1', { bytes: Buffer.from('abcdef'), end: false });
    const items = await collect(at.client.stream('task_log', { task: 't-1', offset: 4 }));
    expect(items).toEqual([{ offset: 4, data: Buffer.from('ef').toString('base64'), next: 6, end: false }]);
  });

  it('follows a task that runs to its end', async () => {
    const { executing } = at.node;
    executing.records.set('t-2', fakeTask('t-2'));
    executing.transcripts.set('t-2', { bytes: Buffer.from('one'), end: false });
    const items = at.client.stream('task_log', { task: 't-2', follow: true });
    expect((await items.next()).value).toMatchObject({ offset: 0, next: 3 });
    await executing.watched(1);
    executing.transcripts.set('t-2', { bytes: Buffer.from('onetwo'), end: false });
    executing.append('t-2', { kind: 'output', stream: 'stdout', offset: 3, length: 3 });
    expect((await items.next()).value).toMatchObject({ offset: 3, next: 6 });
    executing.transcripts.set('t-2', { bytes: Buffer.from('onetwo'), end: true });
    executing.append('t-2', { kind: 'outcome', outcome: completed });
    expect((await items.next()).value).toMatchObject({ next: 6, end: true });
    expect((await items.next()).done).toBe(true);
  });
});
