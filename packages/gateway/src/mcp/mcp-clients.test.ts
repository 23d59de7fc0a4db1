import type { Client, ClientOptions, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { HostPort } from '@writ/core';
import type { Turn } from '@writ/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TASK_TOKEN } from '../testing/fake-node.ts';
import { completed, fakeMirror, fakeTask } from '../testing/fake-records.ts';
import { fakeReceived, fakeResult } from '../testing/fake-results.ts';
import { type Listening, startListening } from '../testing/listening.ts';
import { callTool, ERAS, type Era, httpTransport, mcpClient, pipeTransport } from '../testing/mcp-clients.ts';

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

type Way = 'http' | 'pipe';
const WAYS: readonly (readonly [Way, Era])[] = (['http', 'pipe'] as const).flatMap((way) =>
  ERAS.map((era) => [way, era] as const),
);

async function connect(way: Way, era: Era, options: ClientOptions = {}, prepare?: (client: Client) => void) {
  const client = mcpClient(era, options);
  open.push(client);
  prepare?.(client);
  await client.connect(way === 'http' ? httpTransport(bound) : pipeTransport(at.client));
  return client;
}

/** Values that come one by one, for whoever waits for a number of them. */
function createArrivals<T>() {
  const all: T[] = [];
  let check = (): void => {};
  return {
    all,
    add(value: T) {
      all.push(value);
      check();
    },
    until: (count: number) =>
      new Promise<readonly T[]>((resolve) => {
        check = () => void (all.length >= count && resolve(all));
        check();
      }),
  };
}

describe.each(WAYS)('over %s, %s, a client', (way, era) => {
  it('hears how a task goes on that it waits for', async () => {
    const client = await connect(way, era);
    at.node.asked.records.set('t-0', fakeMirror('t-0'));
    const notes = createArrivals<string | undefined>();
    const waiting = client.callTool(
      { name: 'wait', arguments: { task: 't-0' } },
      { onprogress: ({ message }) => notes.add(message) },
    );
    await at.node.asked.watched(1);
    at.node.asked.append('t-0', { kind: 'state', state: 'running' });
    at.node.asked.append('t-0', { kind: 'output', stream: 'stdout', offset: 0, length: 2048 });
    at.node.asked.append('t-0', { kind: 'output', stream: 'stdout', offset: 2048, length: 2048 });
    expect(await notes.until(2)).toEqual(['running', '2KiB of output since the wait began']);
    at.node.asked.records.set('t-0', fakeMirror('t-0', { state: 'completed', outcome: completed }));
    at.node.asked.append('t-0', { kind: 'outcome', outcome: completed });
    expect((await waiting).structuredContent).toMatchObject({ finished: true });
    expect(notes.all).toHaveLength(2);
  });

  it('reads tasks, transcripts and evidence as resources', async () => {
    const client = await connect(way, era);
    at.node.asked.records.set('t-0', fakeMirror('t-0', { state: 'completed', outcome: completed }));
    at.node.asked.transcripts.set('t-0', { bytes: Buffer.from('line one\n'), end: true });
    const artifacts = [
      { name: 'a/out.txt', ...at.node.results.keep('text') },
      { name: 'raw', ...at.node.results.keep(Buffer.from([0xff, 0x00])) },
    ];
    at.node.results.received.set('t-0', fakeReceived(fakeResult('t-0', { artifacts })));
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'writ://task/t-0', name: 't-0' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(4);
    const read = async (uri: string) =>
      (await client.readResource({ uri })).contents[0] as { readonly text?: string; readonly blob?: string };
    expect(JSON.parse(String((await read('writ://task/t-0')).text))).toMatchObject({ task: 't-0', finished: true });
    expect(await read('writ://task/t-0/transcript?offset=5')).toMatchObject({ text: 'one\n', mimeType: 'text/plain' });
    expect(JSON.parse(String((await read('writ://task/t-0/result')).text))).toMatchObject({ task: 't-0' });
    expect(await read('writ://task/t-0/artifact/a%2Fout.txt')).toMatchObject({ text: 'text' });
    expect(await read('writ://task/t-0/artifact/raw')).toMatchObject({ blob: '/wA=' });
    for (const uri of ['writ://task/t-9', 'writ://task/t-0/artifact/none', 'writ://nothing', 'file:///etc/passwd']) {
      await expect(client.readResource({ uri }), uri).rejects.toMatchObject({ code: -32_602, data: { uri } });
    }
  });

  it('hears of the resources that it follows, of no others, and of none that it has left', async () => {
    const updates = createArrivals<string>();
    const client = await connect(way, era, {}, (one) =>
      one.setNotificationHandler('notifications/resources/updated', ({ params }) => updates.add(params.uri)),
    );
    for (const id of ['t-0', 't-1']) at.node.asked.records.set(id, fakeMirror(id));
    const uris = ['writ://task/t-0', 'writ://task/t-0/transcript'];
    const leave = await follow(client, era, uris);
    await at.node.asked.watched(2);
    at.node.asked.append('t-1', { kind: 'state', state: 'running' });
    at.node.asked.append('t-0', { kind: 'output', stream: 'stdout', offset: 0, length: 1 });
    at.node.asked.append('t-0', { kind: 'state', state: 'running' });
    expect([...(await updates.until(2))].sort()).toEqual(uris);
    await leave();
    await at.node.asked.watched(0);
  });

  it('is told nothing of a task that is not there by following it', async () => {
    const client = await connect(way, era);
    if (era === '2025-11-25') {
      await expect(client.subscribeResource({ uri: 'writ://task/t-9' })).rejects.toMatchObject({ code: -32_602 });
    } else {
      const subscription = await client.listen({ resourceSubscriptions: ['writ://task/t-9'] });
      await subscription.close();
    }
    expect(at.node.asked.watchers).toBe(0);
  });

  it('finds prompts for the common jobs, and fills them', async () => {
    const client = await connect(way, era);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['run-tests', 'fix-there', 'review-result', 'why-denied']);
    for (const { name, arguments: given = [] } of prompts) {
      const values = Object.fromEntries(given.map((argument) => [argument.name, `the-${argument.name}`]));
      const { messages } = await client.getPrompt({ name, arguments: values });
      for (const value of Object.values(values)) expect(JSON.stringify(messages)).toContain(value);
      await expect(client.getPrompt({ name, arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    }
    await expect(client.getPrompt({ name: 'none' })).rejects.toMatchObject({ code: -32_602 });
  });
});

async function follow(client: Client, era: Era, uris: readonly string[]): Promise<() => Promise<void>> {
  if (era === '2026-07-28') {
    const subscription = await client.listen({ resourceSubscriptions: [...uris] });
    return () => subscription.close();
  }
  for (const uri of uris) await client.subscribeResource({ uri });
  return async () => {
    for (const uri of uris) await client.unsubscribeResource({ uri });
  };
}

const TURN: Turn = {
  turn: 1,
  sinceMs: 5,
  questions: [
    { id: '1.1', kind: 'input', text: 'Which branch?', choices: ['main', 'next'], askedAtMs: 5 },
    { id: '1.2', kind: 'credential', text: 'token', askedAtMs: 5 },
    { id: '1.3', kind: 'approval', text: 'may I', askedAtMs: 5, approval: 'ap-1' },
  ],
};

describe.each(WAYS)('over %s, %s, a question of a task', (way, era) => {
  const FORMS: ClientOptions = { capabilities: { elicitation: { form: {} } } };

  async function connectPerson(answer: ElicitResult, options: ClientOptions = FORMS) {
    const shown: ElicitRequest['params'][] = [];
    const client = await connect(way, era, options, (one) =>
      one.setRequestHandler('elicitation/create', ({ params }) => {
        shown.push(params);
        return answer;
      }),
    );
    at.node.asked.records.set('t-0', fakeMirror('t-0', { state: 'input_required' }));
    at.node.asked.turns.set('t-0', TURN);
    return { client, shown };
  }

  it('is put to the person at the client, who sees whose words it is', async () => {
    const { client, shown } = await connectPerson({ action: 'accept', content: { answer: 'next' } });
    const { value } = await callTool(client, 'reply', { task: 't-0' });
    expect(value).toEqual({ question: '1.1', state: 'running', open: 0 });
    expect(at.node.asked.replies).toMatchObject([
      { id: 't-0', question: '1.1', content: { kind: 'input', text: 'next' } },
    ]);
    expect(shown).toMatchObject([
      {
        message: expect.stringMatching(/Task t-0 \(beta\) asks, in its own words: Which branch\?/),
        requestedSchema: { properties: { answer: { enum: ['main', 'next'] } } },
      },
    ]);
  });

  it.each([
    ['decline', 'declined'],
    ['cancel', 'cancelled'],
  ] as const)('stays open where the person says %s', async (action, not_answered) => {
    const { client } = await connectPerson({ action });
    const { value, failed } = await callTool(client, 'reply', { task: 't-0', question: '1.1' });
    expect({ value, failed }).toEqual({
      failed: false,
      value: { question: '1.1', state: 'input_required', open: 3, not_answered },
    });
    expect(at.node.asked.replies).toEqual([]);
  });

  it('is put to nobody where it asks for a credential or an approval', async () => {
    const { client, shown } = await connectPerson({ action: 'accept', content: { answer: 'secret' } });
    for (const question of ['1.2', '1.3', '9.9']) {
      const { value, failed } = await callTool(client, 'reply', { task: 't-0', question });
      expect({ value, failed }, question).toMatchObject({ failed: true, value: { error: { code: 'BAD_REQUEST' } } });
    }
    expect(shown).toEqual([]);
    expect(at.node.asked.replies).toEqual([]);
  });

  it('is put to nobody where the client has nobody to ask', async () => {
    at.node.asked.records.set('t-0', fakeMirror('t-0', { state: 'input_required' }));
    at.node.asked.turns.set('t-0', TURN);
    const { value } = await callTool(await connect(way, era), 'reply', { task: 't-0' });
    expect(value).toMatchObject({
      error: { code: 'BAD_REQUEST', next_steps: [expect.any(String), expect.any(String)] },
    });
  });
});

describe('a task at its own socket', () => {
  it.each(ERAS)('reads and follows itself and what it handed on, %s', async (era) => {
    const client = mcpClient(era);
    open.push(client);
    await client.connect(pipeTransport(at.clientWith(TASK_TOKEN)));
    at.node.executing.records.set('t-root', fakeTask('t-root'));
    at.node.asked.records.set('t-child', fakeMirror('t-child'));
    at.node.asked.records.set('t-other', fakeMirror('t-other'));
    at.node.children.set('t-child', 't-root');
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name).sort()).toEqual(['t-child', 't-root']);
    await client.readResource({ uri: 'writ://task/t-child' });
    await expect(client.readResource({ uri: 'writ://task/t-other' })).rejects.toMatchObject({ code: -32_602 });
    await follow(client, era, ['writ://task/t-child']);
    await at.node.asked.watched(1);
    await follow(client, era, ['writ://task/t-other']).catch(() => {});
    await client.listPrompts();
    expect(at.node.asked.watchers).toBe(1);
  });
});
