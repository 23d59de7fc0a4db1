import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadServices } from './services.ts';

const { mesh, health } = loadServices();

describe('services', () => {
  it('has every method that the proto declares, under its path and with its streaming kinds', () => {
    const proto = readFileSync(new URL('../../../proto/writ/mesh/v1/mesh.proto', import.meta.url), 'utf8');
    const declared = [...proto.matchAll(/^ {2}rpc (\w+)\((stream )?\w+\) returns \((stream )?\w+\);/gm)].map(
      ([, name, request, response]) => ({
        path: `/writ.mesh.v1.MeshService/${name}`,
        requestStream: request !== undefined,
        responseStream: response !== undefined,
      }),
    );
    const loaded = Object.values(mesh).map(({ path, requestStream, responseStream }) => ({
      path,
      requestStream,
      responseStream,
    }));
    expect(declared.length).toBeGreaterThan(5);
    expect(loaded).toEqual(declared);
  });

  it('offers the standard health service', () => {
    expect(Object.values(health).map(({ path }) => path)).toEqual([
      '/grpc.health.v1.Health/Check',
      '/grpc.health.v1.Health/Watch',
      '/grpc.health.v1.Health/List',
    ]);
  });

  it('round-trips a message with defaults, a oneof, an enum, bytes and a 64-bit number', () => {
    const { responseSerialize, responseDeserialize } = mesh.Watch;
    const data = new Uint8Array([0, 255]);
    const bytes = responseSerialize({
      seq: 2 ** 40,
      output: { stream: 'OUTPUT_STREAM_STDERR', offset: 7, data },
    });
    const received = responseDeserialize(bytes);
    expect(received).toMatchObject({ seq: 2 ** 40, atMs: 0, epoch: 0, body: 'output' });
    expect(received.output).toEqual({ stream: 'OUTPUT_STREAM_STDERR', offset: 7, data: Buffer.from(data) });
    expect(received).not.toHaveProperty('state');
  });

  it('lets an unknown enum value arrive as its number', () => {
    const { responseSerialize, responseDeserialize } = mesh.Watch;
    expect(responseDeserialize(responseSerialize({ state: { state: 99 } })).state?.state).toBe(99);
  });

  it('lets a 64-bit number beyond 2^53 arrive as one that is no safe integer', () => {
    const field = Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    expect(Number.isSafeInteger(mesh.Watch.requestDeserialize(field).afterSeq)).toBe(false);
  });

  it('throws for bytes that are no message', () => {
    expect(() => mesh.Submit.requestDeserialize(Buffer.from([0x0a, 0xff, 0xff]))).toThrow();
  });
});
