import { once } from 'node:events';
import { request } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOST_TOKEN, TASK_TOKEN } from '../testing/fake-node.ts';
import { completed, fakeMirror, fakeTask } from '../testing/fake-records.ts';
import { fakeReceived, fakeResult } from '../testing/fake-results.ts';
import { type Listening, startListening } from '../testing/listening.ts';
import { type Called, callTool, ERAS, pipeTransport } from '../testing/mcp-clients.ts';
import { speakInLines } from '../testing/mcp-lines.ts';

const LENT = { peer: 'self', profile: 'repo-dev', durationMs: 3_600_000, issuedBy: 'person' };

let at: Listening;
const open: Client[] = [];

beforeEach(async () => {
  at = await startListening();
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
  await at.stop();
});

async function connect(token = HOST_TOKEN, name = 'Test Client/1', toolsets?: string): Promise<Client> {
  const client = new Client({ name, version: '1' });
  open.push(client);
  await client.connect(pipeTransport(at.clientWith(token), toolsets));
  return client;
}

/** Calls a tool; what it answers as data is what it says in text. */
async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Called> {
  const { value, failed, structured } = await callTool(client, name, input);
  if (!failed) expect(structured).toEqual(value);
  return { value, failed, structured };
}

const speak = (revision: string) => speakInLines(at.client, revision);

describe('MCP over the control socket', () => {
  it('calls every tool that it advertises, and each answers in its schema', async () => {
    const client = await connect(HOST_TOKEN, 'Test Client/1', 'all');
    at.node.asked.records.set('t-0', fakeMirror('t-0', { state: 'completed', outcome: completed }));
    at.node.asked.transcripts.set('t-0', { bytes: Buffer.from('out'), end: true });
    const artifacts = [{ name: 'out.txt', ...at.node.results.keep('text') }];
    at.node.results.received.set('t-0', fakeReceived(fakeResult('t-0', { artifacts })));
    at.node.leases.set('l-1', { ...at.node.ports.authority.grantLease(LENT), id: 'l-1', peer: 'self', session: 's-1' });
    const inputs: Record<string, Record<string, unknown>> = {
      whoami: {},
      list_peers: {},
      list_profiles: { peer: 'beta' },
      profile_validate: { name: 'x', capabilities: ['edit_repo'], require_explicit: true, require_lease: true },
      describe_peer: { peer: 'beta' },
      list_workspaces: { peer: 'beta' },
      ping_peer: { peer: 'beta' },
      repair_peers: {},
      check_policy: { to: 'beta', profile: 'query' },
      explain_decision: { profile: 'repo-dev' },
      delegate: { to: 'beta', argv: ['true'] },
      status: { task: 't-0' },
      wait: { task: 't-0' },
      transcript: { task: 't-0' },
      cancel: { task: 't-0' },
      list_tasks: {},
      run: { to: 'self', argv: ['true'] },
      propose_plan: { to: 'self', title: 'x', steps: [{ argv: ['true'] }] },
      execution: { execution: 'x-1' },
      list_executions: {},
      result: { task: 't-0' },
      list_artifacts: { task: 't-0' },
      artifact: { task: 't-0', name: 'out.txt' },
      verify_result: { task: 't-0' },
      apply_result: { task: 't-0', repository: '/src/app' },
      request_lease: { peer: 'beta', profile: 'repo-dev', duration: '1h' },
      list_leases: {},
      release_lease: { lease: 'l-1' },
      reply: { task: 't-0', text: 'main', question: '1.1' },
      policy_status: {},
      list_approvals: {},
      list_windows: {},
    };
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(inputs));
    for (const { name } of tools) expect(await call(client, name, inputs[name]), name).toMatchObject({ failed: false });
  });

  it('dispatches nothing that is not advertised', async () => {
    const client = await connect();
    for (const name of ['lease_grant', 'peer_remove', 'policy_reload', 'node_stop', 'task_watch', 'toString', '']) {
      const { value, failed } = await call(client, name, { lease: 'l-1' });
      expect(failed, name).toBe(true);
      expect(value).toMatchObject({ error: { code: 'NOT_FOUND' } });
    }
    expect(at.node.stops).toBe(0);
  });

  it('takes nothing of a person’s shell from an agent', async () => {
    const client = await connect();
    const shell = { git: ['GIT_CONFIG_GLOBAL=/dev/null'] };
    const ship = { to: 'beta', argv: ['true'], workspace: 'app', ship: '/src/app', shell };
    const checkout = { task: 't-0', repository: '/src/app', checkout: true, shell };
    for (const [name, input] of [
      ['delegate', ship],
      ['apply_result', checkout],
    ] as const) {
      const error = { code: 'BAD_REQUEST', message: 'unknown key `shell`' };
      expect(await call(client, name, input)).toMatchObject({ failed: true, value: { error } });
    }
    expect(at.node.delegated).toEqual([]);
    // The same by a person's own command.
    await at.client.call('delegate', ship);
    expect(at.node.delegated).toMatchObject([{ shell: { variables: { GIT_CONFIG_GLOBAL: '/dev/null' } } }]);
    const program = at.client.call('delegate', { ...ship, shell: { git: ['GIT_SSH_COMMAND=x'] } });
    await expect(program).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('is one session a connection, of the agent that the client says it is, whatever a call says', async () => {
    const one = await connect();
    const two = await connect(HOST_TOKEN, 'Codex');
    await call(one, 'delegate', { to: 'beta', argv: ['true'], _session_id: 's-2' });
    await call(one, 'delegate', { to: 'beta', argv: ['true'] });
    await call(two, 'delegate', { to: 'beta', argv: ['true'] });
    expect(at.node.delegated.map(({ session, agent }) => [session, agent])).toEqual([
      ['s-1', 'test-client-1'],
      ['s-1', 'test-client-1'],
      ['s-2', 'codex'],
    ]);
    expect((await call(one, 'whoami')).value).toMatchObject({ session: 's-1', agent: 'test-client-1' });
    await call(one, 'cancel', { task: 't-1' });
    expect(at.node.asked.cancelled).toEqual([{ id: 't-1', by: 'self' }]);
  });

  it('answers a refusal of policy as a result, and a fault as an error that says what to do', async () => {
    const client = await connect();
    const denied = await call(client, 'delegate', { to: 'beta', argv: ['true'], profile: 'repo-dev' });
    expect(denied).toMatchObject({ failed: false, value: { accepted: false, decided: { code: 'LEASE_REQUIRED' } } });
    const wrong = await call(client, 'status', { tsk: 'x' });
    expect(wrong.failed).toBe(true);
    expect(JSON.stringify(wrong.value)).toContain('did you mean `task`?');
  });

  it('has so many streams of changes and no more, whatever they follow', async () => {
    const lines = await speak('2026-07-28');
    const listen = (id: number): string => {
      const request = JSON.parse(lines.request(id, 'subscriptions/listen'));
      const notifications = { resourceSubscriptions: [`writ://task/${id}${'x'.repeat(60)}`] };
      return JSON.stringify({ ...request, params: { ...request.params, notifications } });
    };
    for (let id = 1; id <= 128; id += 1) expect(await lines.ask(listen(id)), String(id)).not.toHaveProperty('error');
    expect(await lines.ask(listen(129))).toMatchObject({ id: 129, error: { message: 'Subscription limit reached' } });
    lines.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }));
    expect(await lines.ask(listen(130))).not.toHaveProperty('error');
    await lines.end();
  });

  it('ends a wait that the client cancels', async () => {
    const client = await connect();
    at.node.asked.records.set('t-0', fakeMirror('t-0'));
    const abort = new AbortController();
    const waiting = client.callTool({ name: 'wait', arguments: { task: 't-0' } }, { signal: abort.signal });
    await at.node.asked.watched(1);
    abort.abort();
    await expect(waiting).rejects.toThrow();
    await at.node.asked.watched(0);
  });

  it('takes what a call that was cancelled ends with for no fault of the node', async () => {
    const client = await connect(HOST_TOKEN, 'Test Client/1', 'all');
    let [asked, ended] = [0, 0];
    Object.assign(at.node.ports.describe, {
      describe: async (_id: string, signal: AbortSignal) => {
        asked += 1;
        await once(signal, 'abort');
        ended += 1;
        throw new Error('Connection closed');
      },
    });
    const abort = new AbortController();
    const waiting = client.callTool({ name: 'list_profiles', arguments: { peer: 'beta' } }, { signal: abort.signal });
    await expect.poll(() => asked).toBe(1);
    abort.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => ended).toBe(1);
    // Answered after it: whatever the first one said is said.
    await call(client, 'whoami', {});
    expect(at.node.logged.join()).not.toContain('failed unexpectedly');
  });

  it('lets go of everything when the client went away, after five seconds in which it may still be answered', async () => {
    const client = await connect();
    at.node.asked.records.set('t-0', fakeMirror('t-0'));
    const waiting = client.callTool({ name: 'wait', arguments: { task: 't-0' } });
    waiting.catch(() => {});
    await at.node.asked.watched(1);
    const closed = client.close();
    await at.node.clock.armed(5000);
    at.node.clock.advance(4999);
    expect(at.node.asked.watchers).toBe(1);
    at.node.clock.advance(1);
    await closed;
    await at.node.asked.watched(0);
  });

  it('answers what it was asked before its input ended, and then ends', async () => {
    at.node.asked.records.set('t-0', fakeMirror('t-0'));
    const line = await speak('2025-11-25');
    const answers = line.answers(3);
    line.write(line.request(6, 'tools/list'));
    const wait = { name: 'wait', arguments: { task: 't-0' } };
    line.write(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: wait }));
    line.write(JSON.stringify({ jsonrpc: '2.0', id: 8, method: 'tools/call', params: wait }));
    await at.node.asked.watched(2);
    const ended = line.end();
    await at.node.clock.armed(5000);
    at.node.asked.records.set('t-0', fakeMirror('t-0', { state: 'completed', outcome: completed }));
    at.node.asked.append('t-0', { kind: 'outcome', outcome: completed });
    expect((await answers).map(({ id }) => id).sort()).toEqual([6, 7, 8]);
    await ended;
    expect(await line.piped).toBe('client');
  });

  it('shows a task token only the tools of its subtree, in the session of its task', async () => {
    const client = await connect(TASK_TOKEN);
    at.node.executing.records.set('t-root', fakeTask('t-root'));
    at.node.executing.records.set('t-other', fakeTask('t-other'));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['whoami', 'delegate', 'status', 'wait', 'transcript', 'cancel', 'list_tasks'],
      ...['result', 'artifact', 'ask', 'reply'],
    ]);
    expect((await call(client, 'status', { task: 't-other' })).failed).toBe(true);
    expect((await call(client, 'whoami')).value).toMatchObject({ session: 's-9', agent: 'other' });
    await call(client, 'delegate', { to: 'beta', argv: ['true'] });
    expect(at.node.sessions).toEqual([]);
    expect(at.node.delegated).toMatchObject([{ parent: 't-root', session: 's-9', agent: 'other' }]);
  });

  it('is refused without the token, as everything is', async () => {
    await expect(at.clientWith('nonsense').mcpPipe(new PassThrough(), new PassThrough())).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
  });

  it('upgrades to nothing else and nowhere else', async () => {
    for (const [path, upgrade] of [
      ['/v1/mcp', 'websocket'],
      ['/v1/whoami', 'mcp'],
    ]) {
      const outgoing = request({
        socketPath: at.socketPath,
        path: path ?? '',
        agent: false,
        headers: { authorization: `Bearer ${HOST_TOKEN}`, connection: 'Upgrade', upgrade: upgrade ?? '' },
      });
      outgoing.end();
      const [response] = await once(outgoing, 'response');
      expect(response.statusCode).toBe(404);
      expect(await text(response)).toContain('NOT_FOUND');
    }
  });

  describe.each(ERAS)('line by line, in %s,', (era) => {
    it('answers what is no message with the error of the protocol, and goes on', async () => {
      const line = await speak(era);
      const wrong = [
        ['this is no json', -32_700, null],
        ['{"jsonrpc":"2.0","id":3,"method"', -32_700, null],
        ['[{"jsonrpc":"2.0","id":3,"method":"ping"}]', -32_600, null],
        ['[]', -32_600, null],
        ['7', -32_600, null],
        ['null', -32_600, null],
        ['{}', -32_600, null],
        ['{"id":3,"method":"ping"}', -32_600, 3],
        ['{"jsonrpc":"1.0","id":"x","method":"ping"}', -32_600, 'x'],
        ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600, null],
        ['{"jsonrpc":"2.0","id":4,"method":5}', -32_600, 4],
        ['{"jsonrpc":"2.0","id":5,"method":"ping","params":null}', -32_602, 5],
        ['{"jsonrpc":"2.0","id":6,"method":"tools/call","params":[1]}', -32_602, 6],
      ] as const;
      for (const [sent, code, id] of wrong) {
        expect(await line.ask(sent), sent).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
      }
      expect(await line.ask(line.request(9, 'nonsense'))).toMatchObject({ id: 9, error: { code: -32_601 } });
      expect(await line.ask(line.request(10, 'tools/list'))).toHaveProperty('result.tools');
      await line.end();
      expect(await line.piped).toBe('client');
    });

    it('says in a sentence what is wrong with the parameters of a request', async () => {
      const line = await speak(era);
      const wrong = [
        [
          'tools/call',
          { name: 'whoami', arguments: null },
          'params.arguments: Invalid input: expected record, received null',
        ],
        ['tools/call', { name: 5 }, 'params.name: Invalid input: expected string, received number'],
        ['resources/read', {}, 'params.uri: Invalid input: expected string, received undefined'],
        ['prompts/get', { name: 'x', arguments: { a: 5 } }, /^params\.arguments\.a: Invalid input: /],
        [
          'tools/call',
          { name: 'whoami', _meta: { progressToken: 'x'.repeat(257) } },
          'params._meta.progressToken: longer than 256 characters',
        ],
        ['tools/list', { cursor: 5 }, 'params.cursor: Invalid input: expected string, received number'],
      ] as const;
      for (const [method, more, why] of wrong) {
        const request = JSON.parse(line.request(7, method));
        const said = await line.ask(JSON.stringify({ ...request, params: { ...request.params, ...more } }));
        expect(said, method).toMatchObject({ id: 7, error: { code: -32_602 } });
        expect(said?.error?.message.replace('Invalid params: ', ''), method).toMatch(why);
      }
      await line.end();
    });

    it('answers no answer, not even one that is none', async () => {
      const line = await speak(era);
      line.write('{"jsonrpc":"2.0","id":null,"error":{}}');
      line.write('{"jsonrpc":"2.0","id":{},"result":5}');
      expect(await line.ask(line.request(10, 'tools/list'))).toMatchObject({ id: 10 });
      await line.end();
    });

    it('answers a message with more values than anybody sends with what to do, and goes on', async () => {
      const line = await speak(era);
      const keys = Object.fromEntries(Array.from(Array(10_000).keys(), (key) => [key, 0]));
      const sent = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'whoami', arguments: keys } };
      const { id, ...others } = sent;
      for (const message of [sent, { ...others, id }, { ...others, id: 'x-3' }]) {
        expect(await line.ask(JSON.stringify(message))).toMatchObject({
          id: message.id,
          error: { code: -32_600, message: expect.stringMatching(/holds more than 10000 values; send less at once/) },
        });
      }
      expect(await line.ask(line.request(10, 'tools/list'))).toHaveProperty('result.tools');
      await line.end();
    });

    it('says of a message of 30 MB that it is too long, and ends', async () => {
      const line = await speak(era);
      const answer = line.ask(`{"jsonrpc":"2.0","id":3,"method":"${'x'.repeat(30 * 1024 * 1024)}"}`);
      expect(await answer).toMatchObject({
        id: null,
        error: { code: -32_600, message: expect.stringContaining('4194304') },
      });
      expect(await line.piped).toBe('node');
    });
  });

  it('takes several messages in one line in the one revision that has that', async () => {
    const line = await speak('2025-03-26');
    const answers = line.answers(3);
    line.write(
      JSON.stringify([{ jsonrpc: '2.0', id: 3, method: 'ping' }, 7, { jsonrpc: '2.0', id: 4, method: 'ping' }]),
    );
    const told = new Map((await answers).map(({ id, error }) => [id, error?.code]));
    expect(told).toEqual(
      new Map<unknown, number | undefined>([
        [3, undefined],
        [4, undefined],
        [null, -32_600],
      ]),
    );
    const ping = { jsonrpc: '2.0', id: 9, method: 'ping' };
    expect(await line.ask(JSON.stringify(Array(33).fill(ping)))).toMatchObject({
      error: { message: 'Invalid Request: a batch has at most 32 messages' },
    });
    await line.end();
  });

  it('ends when the node stops', async () => {
    const client = await connect();
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    await at.gateway.close();
    await closed;
  });
});
