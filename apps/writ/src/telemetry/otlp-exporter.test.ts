import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakeClock } from '@writ/testkit/clock';
import { expect, it, vi } from 'vitest';
import { createOtlpExporter } from './otlp-exporter.ts';

it('few batches are under way, further ones are given up at once', async () => {
  let asked = 0;
  const collector = createServer((request) => {
    request.resume();
    asked += 1;
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const clock = createFakeClock(0);
  const failures: string[] = [];
  const { port } = collector.address() as AddressInfo;
  const exporter = createOtlpExporter(`http://127.0.0.1:${port}/`, {
    clock,
    onFailure: (reason) => failures.push(reason),
  });
  const codes: number[] = [];
  for (let n = 0; n < 10; n++) exporter.export([], ({ code }) => codes.push(code));
  await vi.waitFor(() => expect(failures).toEqual(Array(2).fill('8 batches wait for the collector')));
  await vi.waitFor(() => expect(asked).toBe(8));
  clock.advance(5000);
  await exporter.shutdown();
  expect(codes).toEqual(Array(10).fill(1));
  collector.closeAllConnections();
  collector.close();
});

it('gives a batch up whose collector changes the protocol in place of an answer', async () => {
  const collector = createServer();
  collector.on('upgrade', (_request, socket) => socket.end());
  collector.on('request', (_request, response) => {
    response.writeHead(101, { connection: 'Upgrade', upgrade: 'x' });
    response.end();
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const failures: string[] = [];
  const { port } = collector.address() as AddressInfo;
  const exporter = createOtlpExporter(`http://127.0.0.1:${port}/`, {
    clock: createFakeClock(0),
    onFailure: (reason) => failures.push(reason),
  });
  const code = await new Promise((resolve) => exporter.export([], (result) => resolve(result.code)));
  expect([code, failures]).toEqual([1, ['the collector ended the connection without an answer']]);
  await exporter.shutdown();
  collector.closeAllConnections();
  collector.close();
});
