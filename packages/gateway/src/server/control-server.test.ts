import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createControlClient } from '../client/index.ts';
import { HOST_TOKEN, SESSION_CREDENTIAL, TASK_TOKEN } from '../testing/fake-node.ts';
import { fakeMirror, fakeTask } from '../testing/fake-records.ts';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;

beforeEach(async () => {
  at = await startListening();
});
afterEach(() => at.stop());

interface Answer {
  readonly status: number;
  readonly body: string;
}

function send(path: string, options: { method?: string; token?: string; body?: string } = {}): Promise<Answer> {
  const { method = 'POST', token = `Bearer ${HOST_TOKEN}`, body = '{}' } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request({
      socketPath: token.includes(TASK_TOKEN) ? at.taskSocketPath : at.socketPath,
      agent: false,
      method,
      path,
      headers: token === '' ? {} : { authorization: token },
    });
    outgoing.on('error', reject);
    outgoing.on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    });
    if (method === 'POST') outgoing.write(body);
    outgoing.end();
  });
}

/** Writes bytes as they are and reads to the end. */
function sendRaw(bytes: string): Promise<string> {
  const socket = connect(at.socketPath);
  socket.write(bytes);
  return text(socket);
}

describe('the control socket', () => {
  it('answers an operation with its output', async () => {
    const { status, body } = await send('/v1/whoami');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ name: 'alpha', unseparated: true, generation: 7, profiles: ['query'] });
  });

  it('answers garbage, empty, foreign and missing tokens in one and the same way', async () => {
    const tokens = [
      '',
      'Bearer',
      'Bearer x',
      `Basic ${HOST_TOKEN}`,
      `Bearer ${HOST_TOKEN}x`,
      `Bearer ${'a'.repeat(600)}`,
    ];
    const answers = await Promise.all(tokens.map((token) => send('/v1/whoami', { token })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, body: expect.stringContaining('TOKEN_INVALID') });
  });

  it('says nothing of what exists to a caller without a token', async () => {
    const [known, unknown] = await Promise.all([
      send('/v1/whoami', { token: '' }),
      send('/elsewhere', { token: '', method: 'GET' }),
    ]);
    expect(unknown).toEqual(known);
  });

  it('slows wrong tokens down after twenty, and never the right one', async () => {
    for (let i = 0; i < 20; i++) expect((await send('/v1/whoami', { token: 'Bearer no' })).status).toBe(401);
    expect((await send('/v1/whoami', { token: 'Bearer no' })).status).toBe(429);
    expect((await send('/v1/whoami')).status).toBe(200);
    at.node.clock.advance(1000);
    expect((await send('/v1/whoami', { token: 'Bearer no' })).status).toBe(401);
  });

  it('answers an unknown route, method and operation as JSON', async () => {
    const cases: [string, string, number, string][] = [
      ['POST', '/', 404, 'there is nothing at `/`'],
      ['POST', '/v1/', 404, 'nothing at'],
      ['POST', '/v1/whoam', 404, 'did you mean `whoami`'],
      ['POST', '/v1/mcp', 404, 'nothing at'],
      ['POST', '/v1/../v1/whoami', 404, 'nothing at'],
      ['GET', '/v1/whoami', 400, 'called with POST'],
    ];
    for (const [method, path, status, message] of cases) {
      const answer = await send(path, { method });
      expect(answer.status, path).toBe(status);
      expect(answer.body).toContain(message);
      expect(JSON.parse(answer.body).error.code).toMatch(/NOT_FOUND|BAD_REQUEST/);
    }
  });

  it('refuses a body that is no JSON, no object, no UTF-8 or too large, and answers that', async () => {
    expect(await send('/v1/status', { body: '{' })).toMatchObject({ status: 400 });
    expect(await send('/v1/status', { body: '[]' })).toMatchObject({ status: 400 });
    expect((await send('/v1/status', { body: `{"task":"${'x'.repeat(5_000_000)}"}` })).body).toContain(
      'larger than 4MiB',
    );
  });

  it('answers what is no HTTP and headers without end with an error, not with silence', async () => {
    expect(await sendRaw('hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*BAD_REQUEST/s);
    expect(await sendRaw(`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
  });

  it('lets the call that has lasted longest make room where all are served, and hears who comes', async () => {
    const most = 128;
    const head = `POST /v1/whoami HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TASK_TOKEN}\r\nexpect: 100-continue\r\n`;
    const calls: Socket[] = [];
    for (let count = 0; count < most; count += 1) {
      const socket = connect(at.taskSocketPath).on('error', () => {});
      calls.push(socket);
      socket.write(`${head}content-length: 2\r\n\r\n`);
      expect(String(await once(socket, 'data'))).toContain('100 Continue');
    }
    const [longest, next] = calls;
    const gone = once(longest as Socket, 'close');
    expect((await send('/v1/whoami', { token: `Bearer ${TASK_TOKEN}` })).status).toBe(200);
    await gone;
    next?.write('{}');
    expect(String(await once(next as Socket, 'data'))).toContain('HTTP/1.1 200');
    for (const socket of calls) socket.destroy();
  });

  it('ends a connection that spoke no HTTP, also where the other side keeps it open and goes on', async () => {
    const socket = connect({ path: at.socketPath, allowHalfOpen: true });
    socket.on('error', () => {});
    socket.write('hello\r\n\r\n');
    await once(socket, 'data');
    await at.node.clock.armed(2000);
    socket.write('and on');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    at.node.clock.advance(2000);
    // A write says that nobody is there any more.
    const talk = (): void => void socket.write('x', (error) => error ?? setImmediate(talk));
    talk();
    await closed;
  });

  it('keeps no more of unfinished calls than four of the largest: what began first makes room, and small calls need none', async () => {
    const begin = (): Socket => {
      // It is cut off while it still sends.
      const socket = connect(at.socketPath).on('error', () => {});
      const head = `POST /v1/status HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${HOST_TOKEN}\r\n`;
      socket.write(`${head}content-length: 4190000\r\n\r\n${'x'.repeat(4_189_999)}`);
      return socket;
    };
    const begun = [begin(), begin(), begin(), begin()];
    const gone = begun.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    try {
      expect(await send('/v1/whoami')).toMatchObject({ status: 200 });
      const large = `{"task":"${'x'.repeat(4_000_000)}"}`;
      for (let more = 0; more < 2; more += 1)
        expect(await send('/v1/status', { body: large })).toMatchObject({ status: 400 });
      await Promise.race(gone);
    } finally {
      for (const socket of begun) socket.destroy();
    }
  });

  it('keeps no more of calls that wait for their answer than eight of the largest, however many connections there are', async () => {
    at.node.executing.records.set('t-root', fakeTask('t-root'));
    const waiting = `{"task":"t-root"${' '.repeat(4_190_000)}}`;
    const wait = (token = `Bearer ${HOST_TOKEN}`) => send('/v1/wait', { body: waiting, token });
    const open: Promise<Answer>[] = [];
    for (let count = 1; count <= 7; count += 1) {
      open.push(wait());
      await at.node.executing.watched(count);
    }
    expect(await wait()).toMatchObject({ status: 429, body: expect.stringContaining('are open') });
    // The person takes back what they gave meanwhile, and a task has room of its own.
    expect(await send('/v1/whoami')).toMatchObject({ status: 200 });
    const ofTask = wait(`Bearer ${TASK_TOKEN}`);
    await at.node.executing.watched(8);
    await at.gateway.close();
    for (const { status } of await Promise.all([ofTask, ...open])) expect(status).not.toBe(429);
  });

  it('never tells a stack trace, and of a fault only the message, to the host only', async () => {
    at.node.executing.records.set('t-root', fakeTask('t-root'));
    const fault = (): never => {
      throw new TypeError('disk of /secret is gone');
    };
    Object.assign(at.node.ports.executor, { readTranscript: fault });
    const body = '{"task":"t-root"}';
    const toHost = await send('/v1/transcript', { body });
    const toTask = await send('/v1/transcript', { body, token: `Bearer ${TASK_TOKEN}` });
    expect(toHost.status).toBe(500);
    expect(toHost.body).toContain('disk of');
    expect(toTask.body).not.toContain('disk of');
    for (const answer of [toHost, toTask]) expect(answer.body).not.toMatch(/at .*\.ts|node_modules/);
    expect(at.node.logged.join()).toContain('disk of');
  });

  it('shows a task token its own task and what that delegated on, and nothing else', async () => {
    const { executing, asked, children } = at.node;
    executing.records.set('t-root', fakeTask('t-root'));
    executing.records.set('t-other', fakeTask('t-other'));
    asked.records.set('t-child', fakeMirror('t-child'));
    asked.records.set('t-grandchild', fakeMirror('t-grandchild'));
    children.set('t-child', 't-root').set('t-grandchild', 't-child');
    const task = at.clientWith(TASK_TOKEN);
    for (const name of ['t-root', 't-child', 't-grandchild']) {
      expect(await task.call('status', { task: name })).toMatchObject({ task: name });
    }
    const sibling = await send('/v1/status', { body: '{"task":"t-other"}', token: `Bearer ${TASK_TOKEN}` });
    const nothing = await send('/v1/status', { body: '{"task":"t-nothin"}', token: `Bearer ${TASK_TOKEN}` });
    expect(sibling.status).toBe(404);
    expect(sibling.body.replace('t-other', '')).toBe(nothing.body.replace('t-nothin', ''));
    const listed = await task.call('list_tasks', {});
    expect(listed.tasks.map((view) => view.task)).toEqual(['t-grandchild', 't-child', 't-root']);
    for (const verb of ['wait', 'transcript', 'cancel'] as const) {
      await expect(task.call(verb, { task: 't-other' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(executing.cancelled).toEqual([]);
  });

  it('has for a task token no operation of a person', async () => {
    const answer = await send('/v1/lease_grant', {
      token: `Bearer ${TASK_TOKEN}`,
      body: '{"peer":"beta","profile":"repo-dev","duration":"8h"}',
    });
    const unknown = await send('/v1/lexxx_grant', { token: `Bearer ${TASK_TOKEN}` });
    expect(answer.status).toBe(404);
    expect(answer.body.replace('lease', '')).toBe(unknown.body.replace('lexxx', ''));
    expect(at.node.leases.size).toBe(0);
  });

  it('takes no more calls once it closes, and leaves no socket', async () => {
    await at.gateway.close();
    await expect(at.client.call('whoami', {})).rejects.toMatchObject({
      code: 'NOT_RUNNING',
      nextSteps: ['writ up'],
    });
  });
});

describe('each socket', () => {
  const whoami = (socketPath: string, token: string) =>
    createControlClient({ socketPath, token })
      .call('whoami', {})
      .then(
        () => 'proved',
        (error: { readonly code: string }) => error.code,
      );

  it('takes its own credential: the host’s nothing of a task, that of a task its own alone', async () => {
    const ofOther = join(dirname(at.taskSocketPath), 't-other.sock');
    const close = await at.gateway.listenTask('t-other', ofOther);
    const proofs = async (path: string) => [await whoami(path, HOST_TOKEN), await whoami(path, TASK_TOKEN)];
    expect(await proofs(at.socketPath)).toEqual(['proved', 'TOKEN_INVALID']);
    expect(await proofs(at.taskSocketPath)).toEqual(['TOKEN_INVALID', 'proved']);
    expect(await proofs(ofOther)).toEqual(['TOKEN_INVALID', 'TOKEN_INVALID']);
    await close();
    expect(existsSync(ofOther)).toBe(false);
    expect(await whoami(at.taskSocketPath, TASK_TOKEN)).toBe('proved');
  });

  it('of a task is made or refused, and then there is none', async () => {
    await expect(at.gateway.listenTask('t-root', at.taskSocketPath)).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
    expect(await whoami(at.taskSocketPath, TASK_TOKEN)).toBe('proved');
    await at.gateway.close();
    expect(existsSync(at.taskSocketPath)).toBe(false);
  });
});

describe('the credential of a session', () => {
  const whoami = (token: string, session: string) => {
    const socketPath = token === TASK_TOKEN ? at.taskSocketPath : at.socketPath;
    return createControlClient({ socketPath, token, session }).call('whoami', {});
  };

  it('says beside the token which session a call belongs to', async () => {
    expect(await whoami(HOST_TOKEN, SESSION_CREDENTIAL)).toMatchObject({ session: 'cli-1', agent: 'cli' });
    expect(await at.client.call('whoami', {})).not.toHaveProperty('session');
  });

  it('opens nothing by itself, nor in place of the token, nor beside that of a task', async () => {
    for (const [token, session] of [
      [SESSION_CREDENTIAL, SESSION_CREDENTIAL],
      [HOST_TOKEN, 'garbage'],
      [HOST_TOKEN, ''],
      [TASK_TOKEN, SESSION_CREDENTIAL],
    ] as const) {
      await expect(whoami(token, session), `${token} ${session}`).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
    }
  });

  it('reads no call with more values than anybody sends', async () => {
    const argv = Array(10_000).fill('x');
    await expect(at.client.call('delegate', { to: 'beta', argv })).rejects.toMatchObject({
      ...{ code: 'BAD_REQUEST', message: 'the message holds more than 10000 values' },
      nextSteps: [expect.stringContaining('send less')],
    });
    expect(at.node.delegated).toEqual([]);
  });
});
