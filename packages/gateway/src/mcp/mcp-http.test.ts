import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Client } from '@modelcontextprotocol/client';
import type { HostPort } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOST_TOKEN, SESSION_CREDENTIAL, TASK_TOKEN } from '../testing/fake-node.ts';
import { fakeMirror } from '../testing/fake-records.ts';
import { type Listening, startListening } from '../testing/listening.ts';
import { callTool, ERAS, type Era, httpTransport, mcpClient } from '../testing/mcp-clients.ts';

let at: Listening;
let bound: HostPort;
const open: Client[] = [];

beforeEach(async () => {
  at = await startListening();
  bound = await at.gateway.listenHttp('127.0.0.1:0');
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
  await at.stop();
});

async function connect(era: Era, headers: Record<string, string> = {}, name?: string): Promise<Client> {
  const client = mcpClient(era, {}, name);
  open.push(client);
  await client.connect(httpTransport(bound, headers));
  return client;
}

const ACCEPT = 'application/json, text/event-stream';
const PROOF = { authorization: `Bearer ${HOST_TOKEN}`, accept: ACCEPT, 'content-type': 'application/json' };
const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
};

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly path?: string;
}

function send({ method = 'POST', headers = PROOF, body, path = '/mcp' }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: bound.host, port: bound.port, agent: false, method, path, headers });
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.end(body);
  });
}

async function initialize(): Promise<string> {
  const response = await send({ body: JSON.stringify(INITIALIZE) });
  expect(await text(response)).toContain('"serverInfo"');
  return String(response.headers['mcp-session-id']);
}

describe.each(ERAS)('MCP over HTTP, %s', (era) => {
  it('offers the same tools as on standard input and output, and calls them', async () => {
    const client = await connect(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      at.gateway.registry.tools({ kind: 'host' }, []).map(({ name }) => name),
    );
    expect(await callTool(client, 'whoami')).toMatchObject({ failed: false, value: { name: 'alpha' } });
  });

  it('offers the sets that its header names', async () => {
    const { tools } = await (await connect(era, { 'writ-toolsets': 'commands' })).listTools();
    expect(tools.map(({ name }) => name)).toContain('run');
    await expect(connect(era, { 'writ-toolsets': 'nothing' })).rejects.toThrow();
  });

  it('takes the session of a credential, and has none of another', async () => {
    const client = await connect(era, { 'writ-session': SESSION_CREDENTIAL });
    expect((await callTool(client, 'whoami')).value).toMatchObject({ session: 'cli-1', agent: 'cli' });
    await expect(connect(era, { 'writ-session': 'garbage' })).rejects.toThrow();
    expect(at.node.sessions).toEqual([]);
  });

  it('ends a wait that the client cancels, and never the task', async () => {
    const client = await connect(era);
    at.node.asked.records.set('t-0', fakeMirror('t-0'));
    const abort = new AbortController();
    const waiting = client.callTool({ name: 'wait', arguments: { task: 't-0' } }, { signal: abort.signal });
    await at.node.asked.watched(1);
    abort.abort();
    await expect(waiting).rejects.toThrow();
    await at.node.asked.watched(0);
    expect(at.node.asked.cancelled).toEqual([]);
  });

  it('ends with the node, whatever is under way', async () => {
    const client = await connect(era);
    at.node.asked.records.set('t-0', fakeMirror('t-0'));
    const waiting = client.callTool({ name: 'wait', arguments: { task: 't-0' } });
    waiting.catch(() => {});
    await at.node.asked.watched(1);
    await at.gateway.close();
    await at.node.asked.watched(0);
  });
});

describe('sessions of older clients over HTTP', () => {
  it('are one session of work each, of the agent that the client says it is', async () => {
    const [one, two] = [await connect('2025-11-25', {}, 'Codex'), await connect('2025-11-25')];
    for (const client of [one, one, two]) await callTool(client, 'delegate', { to: 'beta', argv: ['true'] });
    expect(at.node.delegated.map(({ session, agent }) => [session, agent])).toEqual([
      ['s-1', 'codex'],
      ['s-1', 'codex'],
      ['s-2', 'test-client-1'],
    ]);
  });

  it('are told apart from requests of the current revision, which have a session each', async () => {
    const client = await connect('2026-07-28', {}, 'Codex');
    for (const _ of [1, 2]) await callTool(client, 'delegate', { to: 'beta', argv: ['true'] });
    expect(at.node.delegated.map(({ session, agent }) => [session, agent])).toEqual([
      ['s-1', 'codex'],
      ['s-2', 'codex'],
    ]);
  });

  it('are no session to another credential, and none once they are ended', async () => {
    const id = await initialize();
    const ping = { body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' }) };
    const headers = { ...PROOF, 'mcp-session-id': id };
    expect((await send({ ...ping, headers })).statusCode).toBe(200);
    const other = await send({ ...ping, headers: { ...headers, 'writ-session': SESSION_CREDENTIAL } });
    expect(other.statusCode).toBe(404);
    expect((await send({ method: 'DELETE', headers })).statusCode).toBe(200);
    expect((await send({ ...ping, headers })).statusCode).toBe(404);
  });

  it('end after half an hour without a word', async () => {
    const id = await initialize();
    await at.node.clock.armed(1_800_000);
    at.node.clock.advance(1_800_000);
    const headers = { ...PROOF, 'mcp-session-id': id };
    expect((await send({ headers, body: '{"jsonrpc":"2.0","id":2,"method":"ping"}' })).statusCode).toBe(404);
    expect(at.node.clock.timers).toBe(0);
  });

  it('are at most sixty-four: one that is idle makes room, and with none idle nobody is let in', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 64; count += 1) ids.push(await initialize());
    const streams = await Promise.all(
      ids.slice(1).map((id) => send({ method: 'GET', headers: { ...PROOF, 'mcp-session-id': id } })),
    );
    const last = await initialize();
    streams.push(await send({ method: 'GET', headers: { ...PROOF, 'mcp-session-id': last } }));
    const gone = { ...PROOF, 'mcp-session-id': ids[0] ?? '' };
    expect((await send({ headers: gone, body: '{"jsonrpc":"2.0","id":2,"method":"ping"}' })).statusCode).toBe(404);
    expect((await send({ body: JSON.stringify(INITIALIZE) })).statusCode).toBe(429);
    for (const stream of streams) stream.destroy();
  });
});

describe('what MCP over HTTP refuses', () => {
  const body = JSON.stringify(INITIALIZE);

  it.each([
    ['no token', { headers: { accept: ACCEPT, 'content-type': 'application/json' } }, 401],
    ['garbage for a token', { headers: { ...PROOF, authorization: 'Bearer nothing' } }, 401],
    [
      "a task's token: it has a socket of its own",
      { headers: { ...PROOF, authorization: `Bearer ${TASK_TOKEN}` } },
      401,
    ],
    ['a name that was bound anew', { headers: { ...PROOF, host: 'evil.example' } }, 403],
    ['a page of another origin', { headers: { ...PROOF, origin: 'https://evil.example' } }, 403],
    ['a page without an origin', { headers: { ...PROOF, origin: 'null' } }, 403],
    ['a page of another site', { headers: { ...PROOF, 'sec-fetch-site': 'cross-site' } }, 403],
    ['what a form can send', { headers: { ...PROOF, 'content-type': 'text/plain' } }, 400],
    ['what is no JSON', { body: '{' }, 400],
    ['a message without a session', { body: '{"jsonrpc":"2.0","id":2,"method":"ping"}' }, 400],
    ['a session that is none', { headers: { ...PROOF, 'mcp-session-id': 'x' } }, 404],
    ['more than 4 MiB', { body: JSON.stringify({ ...INITIALIZE, padding: 'x'.repeat(5 * 1024 * 1024) }) }, 400],
    [
      'more values than anybody sends',
      { body: JSON.stringify({ ...INITIALIZE, padding: Array(10_000).fill(0) }) },
      400,
    ],
    ['another method', { method: 'PUT' }, 405],
    ['a method of browsers', { method: 'OPTIONS' }, 405],
    ['a method that no fetch has', { method: 'TRACE' }, 405],
  ] as const)('%s', async (_, sent, status) => {
    const response = await send({ body, ...sent });
    expect(response.statusCode).toBe(status);
    expect(JSON.parse(await text(response))).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    expect(at.node.sessions).toEqual([]);
  });

  it.each([
    ['{', null, -32_700, 'the body is no JSON'],
    [
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":null}',
      7,
      -32_602,
      'Invalid params: params: they are no object',
    ],
    [
      '{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"whoami","arguments":[]}}',
      ...(['x', -32_602, 'Invalid params: params.arguments: Invalid input: expected record, received array'] as const),
    ],
    [
      `[${Array(33).fill('{"jsonrpc":"2.0","id":2,"method":"ping"}').join(',')}]`,
      null,
      -32_600,
      'Invalid Request: a batch has at most 32 messages',
    ],
  ])('%s is answered in the codes of the protocol, in one sentence', async (sent, id, code, message) => {
    const session = await initialize();
    const response = await send({ body: sent, headers: { ...PROOF, 'mcp-session-id': session } });
    expect(response.statusCode).toBe(400);
    expect(JSON.parse(await text(response))).toMatchObject({ jsonrpc: '2.0', id, error: { code, message } });
  });

  it('tells nobody the token that came', async () => {
    await send({ body, headers: { ...PROOF, authorization: 'Bearer secret-that-is-wrong' } });
    expect(at.node.logged.join('\n')).not.toContain('secret-that-is-wrong');
  });
});

it('a connection that is to close after the answer closes, whatever the answer is', async () => {
  for (const connection of ['close', 'keep-alive']) {
    const response = await send({ headers: { ...PROOF, connection }, body: JSON.stringify(INITIALIZE) });
    expect(response.headers['content-type']).toContain('text/event-stream');
    expect(response.headers.connection).toBe(connection);
    await text(response);
  }
});
