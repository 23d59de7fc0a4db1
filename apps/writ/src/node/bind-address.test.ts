import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../local-mesh/free-port.ts';
import { type ComposedNode, startComposedNode } from '../testing/composed-node.ts';

let taken: number;
let node: ComposedNode;
let other: Server | undefined;
beforeEach(async () => {
  taken = await freePort();
  node = await startComposedNode(`[gateway]\nlisten = "127.0.0.1:${taken}"\n[telemetry]\nmetrics = "127.0.0.1:0"\n`);
});
afterEach(async () => {
  await node.remove();
  await new Promise<void>((resolve) => (other ? other.close(() => resolve()) : resolve()));
  other = undefined;
});

function write(from: string, to: string): void {
  writeFileSync(node.home.configFile, readFileSync(node.home.configFile, 'utf8').replace(from, to));
}

/** Another program takes the port of the node while it is down. */
async function takePort(): Promise<void> {
  other = createServer();
  await new Promise<void>((resolve) => other?.listen(taken, '127.0.0.1', resolve));
}

const httpAddress = async (): Promise<unknown> => (await node.control.call('node_status', {})).http_address;

it('an address that was changed while the node was down waits, and the accepted one is served', async () => {
  await node.restart(async () => write(`:${taken}`, ':0'));
  expect(await httpAddress()).toBe(`127.0.0.1:${taken}`);
  expect((await node.control.call('policy_status', {})).parked).toEqual([
    { subject: 'node', effect: 'gains', what: 'serves MCP and events on `127.0.0.1:0`' },
  ]);
  expect(await node.control.call('policy_reload', { accept: true })).toMatchObject({
    ...{ parked: [], restart_needed: ['gateway.listen'] },
  });
  await node.restart();
  expect(await httpAddress()).not.toBe(`127.0.0.1:${taken}`);
});

it('one that waits while the accepted one is taken keeps no node from starting, so that a person can say yes', async () => {
  await node.restart(async () => {
    await takePort();
    write(`:${taken}`, ':0');
  });
  expect(await httpAddress()).toBeUndefined();
  await node.control.call('policy_reload', { accept: true });
  await node.restart();
  expect(await httpAddress()).toMatch(/^127\.0\.0\.1:\d+$/);
});

it('one that is taken and is the only one keeps the node from starting', async () => {
  await expect(node.restart(takePort)).rejects.toMatchObject({ code: 'PORT_IN_USE' });
});
