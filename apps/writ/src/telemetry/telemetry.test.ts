import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSystemRandom, type Logger } from '@writ/core';
import { createFakeClock } from '@writ/testkit/clock';
import { afterEach, expect, it, vi } from 'vitest';
import { openTelemetry } from './telemetry.ts';

const ended: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

/** A node that sends to a collector which answers like this, and what it logs. */
async function traced(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const asked: IncomingMessage[] = [];
  const collector = createServer((request, response) => {
    request.resume();
    asked.push(request);
    answer(response, request);
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  ended.push(async () => {
    collector.closeAllConnections();
    collector.close();
    await once(collector, 'close');
  });
  const clock = createFakeClock(1_700_000_000_000);
  const logged: unknown[] = [];
  const write = (message: string, fields?: object): void => void logged.push({ message, ...fields });
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const { port } = collector.address() as AddressInfo;
  const telemetry = openTelemetry({
    config: { traces: `http://127.0.0.1:${port}/v1/traces` },
    node: { id: 'n', version: '1' },
    ...{ clock, random: createSystemRandom(), logger },
  });
  if (telemetry === undefined) throw new Error('nothing is traced');
  return { telemetry, clock, logged, asked, collector };
}

function call(telemetry: NonNullable<ReturnType<typeof openTelemetry>>): void {
  telemetry.tracing.start('call', { kind: 'server', fields: {} }).end('OK');
}

it('a collector that never answers is given up on, and a node that closes ends well', async () => {
  const { telemetry, clock, logged, asked } = await traced(() => {});
  call(telemetry);
  const closed = telemetry.close();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  clock.advance(5000);
  await closed;
  expect(logged).toEqual([{ message: 'traces do not arrive', reason: 'no whole answer within 5000 ms' }]);
});

it('one that sends a byte now and then is given up on all the same, and keeps no connection', async () => {
  const { telemetry, clock, logged, asked, collector } = await traced((response) => {
    response.writeHead(200, { 'content-length': '100000' });
    response.write('x');
  });
  call(telemetry);
  const closed = telemetry.close();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  const [request] = asked;
  clock.advance(5000);
  await closed;
  expect(logged).toEqual([{ message: 'traces do not arrive', reason: 'no whole answer within 5000 ms' }]);
  await vi.waitFor(() => expect(request?.socket.destroyed).toBe(true));
  expect(collector.listening).toBe(true);
});

it('one that answers costs no timer that waits on', async () => {
  const { telemetry, clock, logged } = await traced((response) => response.end('{}'));
  call(telemetry);
  await telemetry.close();
  await vi.waitFor(() => expect(clock.pendingTimers()).toBe(0));
  expect(logged).toEqual([]);
});
