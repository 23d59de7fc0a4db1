import { get, type IncomingMessage } from 'node:http';
import type { StreamItem } from '@writ/gateway/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ComposedNode, startComposedNode } from '../testing/composed-node.ts';

let node: ComposedNode;

beforeEach(async () => {
  node = await startComposedNode('[gateway]\nlisten = "127.0.0.1:0"\n');
});
afterEach(() => node.remove());

type Item = StreamItem<'events'>;

async function openEvents(lastEventId?: number): Promise<IncomingMessage> {
  const { http_address: address } = await node.control.call('node_status', {});
  const authorization = `Bearer ${node.hostToken}`;
  const headers = { authorization, ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }) };
  return new Promise((resolve, reject) => {
    get(`http://${address}/v1/events`, { agent: false, headers }, resolve).on('error', reject);
  });
}

/** Reads events until one with this action has come. */
async function readUntil(response: IncomingMessage, action: string): Promise<Item[]> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    const whole = text.slice(0, text.lastIndexOf('\n\n') + 1);
    const items: Item[] = [...whole.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ''));
    if (items.some((item) => item.action === action)) return items;
  }
  throw new Error(`the stream ended without ${action}`);
}

describe('the events of a node', () => {
  it('come over HTTP when they are committed, and go on behind the last one after a restart of the node', async () => {
    const live = await openEvents();
    await node.control.call('policy_reload', {});
    const before = await readUntil(live, 'policy.reloaded');
    const last = before.at(-1)?.seq ?? 0;
    await node.control.call('session_start', { agent: 'fixer' });
    await node.restart();

    const after = await readUntil(await openEvents(last), 'node.started');
    expect(after[0]).toMatchObject({ seq: last + 1, action: 'session.started' });
    expect(after.map(({ seq }) => seq)).toEqual(after.map((_, n) => last + 1 + n));
  });

  it('are the same on the control socket', async () => {
    await node.control.call('session_start', { agent: 'fixer' });
    const onSocket: Item[] = [];
    for await (const item of node.control.stream('events', { after: 0, follow: false })) onSocket.push(item);
    const overHttp = await readUntil(await openEvents(0), 'session.started');
    expect(overHttp).toEqual(onSocket.slice(0, overHttp.length));
    expect(onSocket[0]?.seq).toBe(1);
  });
});
