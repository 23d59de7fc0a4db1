import { type IncomingMessage, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { HostPort } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOST_TOKEN, TASK_TOKEN } from '../testing/fake-node.ts';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;
let bound: HostPort;

beforeEach(async () => {
  at = await startListening();
  bound = await at.gateway.listenHttp('127.0.0.1:0');
});
afterEach(() => at.stop());

interface Options {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const PROOF = { authorization: `Bearer ${HOST_TOKEN}` };

function open({ path = '/v1/events', method = 'GET', headers = PROOF }: Options = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...{ host: bound.host, port: bound.port, agent: false, method, path }, headers });
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.end();
  });
}

async function refusal(options: Options): Promise<readonly [number | undefined, string]> {
  const response = await open(options);
  return [response.statusCode, JSON.parse(await text(response)).error.code];
}

/** Reads until `count` events have come, then leaves. */
async function read(response: IncomingMessage, count: number): Promise<string[]> {
  let all = '';
  for await (const chunk of response.setEncoding('utf8')) {
    all += chunk;
    if (all.split('\n\n').length > count + 1) break;
  }
  return all.split('\n\n').slice(1, count + 1);
}

function add(subject: string): void {
  at.node.trail.add({ kind: 'task', action: 'task.running', actor: 'node', subject });
}

describe('events over HTTP', () => {
  it('are read by one reader at a time, however many there are', async () => {
    for (let n = 0; n < 1000; n += 1) add(`t-${n}`);
    let turn = 0;
    let isOver = false;
    const readIn: number[] = [];
    const count = (): void => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    const { auditAfter } = at.node.trail;
    at.node.trail.auditAfter = (after, limit) => {
      readIn.push(turn);
      return auditAfter(after, limit);
    };
    setImmediate(count);
    const readers = await Promise.all(Array.from({ length: 20 }, () => open({ path: '/v1/events?after=0' })));
    await Promise.all(readers.map((reader) => read(reader, 1001)));
    isOver = true;
    expect(readIn.length).toBeGreaterThanOrEqual(20 * 4);
    expect(new Set(readIn).size).toBe(readIn.length);
  });

  it('come as server-sent events with their numbers, from what the reader has', async () => {
    add('t-1');
    add('t-2\n\nid: 9');
    const response = await open({ headers: { ...PROOF, 'last-event-id': '1' } });
    expect(response.headers['content-type']).toBe('text/event-stream');
    const [first = '', second = ''] = await read(response, 2);
    expect(first.split('\n').slice(0, 2)).toEqual(['id: 2', 'event: task']);
    expect(second.split('\n')).toHaveLength(3);
    expect(JSON.parse(second.split('\n')[2]?.slice('data: '.length) ?? '')).toMatchObject({ subject: 't-2\n\nid: 9' });
  });

  it('go on behind the last number that came, whatever the address says', async () => {
    for (const subject of ['t-1', 't-2', 't-3']) add(subject);
    const [first = ''] = await read(await open({ path: '/v1/events?after=1' }), 1);
    expect(first).toContain('id: 2\n');
    const headers = { ...PROOF, 'last-event-id': '3' };
    const [next = ''] = await read(await open({ path: '/v1/events?after=1', headers }), 1);
    expect(next).toContain('id: 4\n');
  });

  it('come by kind', async () => {
    add('t-1');
    at.node.trail.add({ kind: 'peer', action: 'peer.removed', actor: 'person' });
    const [only = ''] = await read(await open({ path: '/v1/events?after=0&kind=peer' }), 1);
    expect(only).toContain('id: 3\nevent: peer\n');
  });

  it.each([
    ['no token', { headers: {} }, 401, 'TOKEN_INVALID'],
    ['garbage', { headers: { authorization: 'Bearer nothing' } }, 401, 'TOKEN_INVALID'],
    ["a task's token", { headers: { authorization: `Bearer ${TASK_TOKEN}` } }, 401, 'TOKEN_INVALID'],
    ['a name that was bound anew', { headers: { ...PROOF, host: 'evil.example' } }, 400, 'BAD_REQUEST'],
    ['a page of another origin', { headers: { ...PROOF, origin: 'https://evil.example' } }, 400, 'BAD_REQUEST'],
    ['a page without an origin', { headers: { ...PROOF, origin: 'null' } }, 400, 'BAD_REQUEST'],
    ['a page of another site', { headers: { ...PROOF, 'sec-fetch-site': 'cross-site' } }, 400, 'BAD_REQUEST'],
    ['POST', { method: 'POST' }, 400, 'BAD_REQUEST'],
    ['another path', { path: '/v1/delegate' }, 404, 'NOT_FOUND'],
    ['another key', { path: '/v1/events?token=x' }, 400, 'BAD_REQUEST'],
    ['a place that is no number', { headers: { ...PROOF, 'last-event-id': '-1' } }, 400, 'BAD_REQUEST'],
    ['a place that is not there yet', { headers: { ...PROOF, 'last-event-id': '99' } }, 400, 'BAD_REQUEST'],
  ] as const)('are refused to %s', async (_, options, status, code) => {
    expect(await refusal(options)).toEqual([status, code]);
  });

  it('are told under each name of the loopback address, and to a page that came from there', async () => {
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      const host = `${name}:${bound.port}`;
      const response = await open({
        headers: { ...PROOF, host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
      });
      expect(response.statusCode).toBe(200);
      response.destroy();
    }
  });

  it('end with the node, and nobody is left listening', async () => {
    const response = await open();
    expect(at.node.trail.listeners).toBe(1);
    const rest = text(response);
    await at.gateway.close();
    expect(await rest).toBe('retry: 1000\n\n');
    expect(at.node.trail.listeners).toBe(0);
  });
});

describe('where it listens', () => {
  it.each(['0.0.0.0:0', '192.0.2.1:0', 'gpu-box.local:0', '[::]:0'])(
    '%s is refused: it is no loopback address',
    async (address) => {
      const other = await startListening();
      await expect(other.gateway.listenHttp(address)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      await other.stop();
    },
  );

  it('a port that is taken is told as that', async () => {
    const other = await startListening();
    await expect(other.gateway.listenHttp(`127.0.0.1:${bound.port}`)).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    await other.stop();
    // Nothing of it was left in the way.
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    probe.close();
  });
});

it('who connects and sends nothing makes room, and who reads events stays', async () => {
  const reading = await open();
  const silent = connect(bound.port, bound.host);
  await new Promise((resolve) => silent.once('close', resolve));
  add('t-1');
  expect((await read(reading, 1)).join()).toContain('t-1');
}, 30_000);

it('who asks for another protocol is answered in this one', async () => {
  const headers = { ...PROOF, connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  const response = await open({ headers });
  expect(response.statusCode).toBe(200);
  response.destroy();
});
