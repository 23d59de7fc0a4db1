import { sha256Hex } from '@writ/core';
import { type Init, loadServices, type UploadInputRequest } from '@writ/wire';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { ending, openRawClient } from '../testing/raw-client.ts';
import type { TestNode } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const signal = new AbortController().signal;
const MIB = 1024 * 1024;
const UPLOAD = '/writ.mesh.v1.MeshService/UploadInput';

/** A loaded machine takes its time. */
const WAIT = { timeout: 10_000 };

type Limits = Parameters<(typeof nodes)['pair']>[0];

/** Two nodes, the first with workspace `app` of the second, and what asks the second. */
async function startWithWorkspace(limits?: Limits, profiles: readonly string[] = ['repo-dev']) {
  const { alpha, beta } = await nodes.pair(limits);
  await beta.configure([{ label: 'alpha', id: alpha.id, profiles, workspaces: ['app'] }]);
  const raw = openRawClient(beta, alpha.identity);
  nodes.closeLater(() => raw.close());
  return { alpha, beta, raw, client: alpha.clients.client(beta.id) };
}

function message(content: Init<UploadInputRequest>): Uint8Array {
  return loadServices().mesh.UploadInput.requestSerialize(content);
}

async function* parts(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

function inputOf(data: Uint8Array, workspace = 'app') {
  return { workspace, sha256: sha256Hex(data), bytes: data.length };
}

/** An upload whose bytes are as long as it likes, and the executor only counts. */
function countBytes(node: TestNode): { bytes: number; isOver: boolean } {
  const seen = { bytes: 0, isOver: false };
  node.executor.drink = async (data) => {
    try {
      for await (const part of data) seen.bytes += part.length;
    } finally {
      seen.isOver = true;
    }
  };
  return seen;
}

describe('a workspace', () => {
  it('tells its commits to a peer that may use it, by a name in any letter case', async () => {
    const { beta, client } = await startWithWorkspace();
    beta.executor.commits = ['a'.repeat(40), 'b'.repeat(64)];
    expect(await client.workspaceCommits('app')).toEqual(beta.executor.commits);
    expect(await client.workspaceCommits('APP')).toEqual(beta.executor.commits);
  });

  it('that the caller may not use looks like one that is none, over every method', async () => {
    const { beta, client } = await startWithWorkspace();
    beta.executor.workspaceCommits = async () => {
      throw new Error('was asked');
    };
    const data = Buffer.from('bundle');
    const attempts = [
      (name: string) => client.workspaceCommits(name),
      (name: string) => client.upload(inputOf(data, name), parts(data), signal),
    ];
    for (const attempt of attempts) {
      const [real, none] = await Promise.all(
        ['lib', 'xyz'].map((name) => attempt(name).catch((error: unknown) => error)),
      );
      expect(real).toMatchObject({ code: 'NOT_FOUND' });
      expect(String(real).replace('lib', 'X')).toBe(String(none).replace('xyz', 'X'));
    }
    expect(beta.executor.inputs).toEqual([]);
  });

  it('is nobody’s to use who has no profile for it', async () => {
    const { alpha, beta, client } = await startWithWorkspace({}, []);
    await expect(client.workspaceCommits('app')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const narrow =
      '\n[profiles.elsewhere]\ncapabilities = ["read_repo"]\nrunner = "shell"\nworkspaces = ["lib"]\nisolation = "none"\n';
    const entry = { label: 'alpha', id: alpha.id, workspaces: ['app'] };
    await beta.configure([{ ...entry, profiles: ['elsewhere'] }], narrow);
    await expect(client.workspaceCommits('app')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await beta.configure([{ ...entry, profiles: ['elsewhere', 'query'] }], narrow);
    expect(await client.workspaceCommits('app')).toEqual([]);
  });

  it('is refused where the answer holds something else than ids', async () => {
    const { beta, client } = await startWithWorkspace();
    for (const commits of [['main'], ['--all'], ['A'.repeat(40)]]) {
      beta.executor.commits = commits;
      await expect(client.workspaceCommits('app')).rejects.toMatchObject({
        code: 'INTERNAL',
        message: expect.stringContaining('garbage'),
      });
    }
  });
});

describe('an input', () => {
  it('arrives as it was sent, however it is cut', async () => {
    const { alpha, beta, client } = await startWithWorkspace();
    const data = Buffer.alloc(3 * MIB + 5, 'abcdefg');
    const tiny = Array.from({ length: 3000 }, (_, i) => data.subarray(i, i + 1));
    await client.upload(inputOf(data, 'APP'), parts(...tiny, data.subarray(3000)), signal);
    expect(beta.executor.inputs).toHaveLength(1);
    const [taken] = beta.executor.inputs;
    expect(taken).toMatchObject({ sender: alpha.id, input: inputOf(data) });
    expect(Buffer.compare(taken?.data ?? Buffer.alloc(0), data)).toBe(0);
  });

  it('is refused where it is longer, shorter or something else than announced', async () => {
    const { beta, client } = await startWithWorkspace();
    const data = Buffer.alloc(MIB, 'x');
    const announced = inputOf(data);
    const wrong = [
      [{ ...announced, bytes: MIB - 1 }, 'is longer than the announced'],
      [{ ...announced, bytes: MIB + 1 }, `ends after ${MIB} of ${MIB + 1} bytes`],
      [{ ...announced, sha256: sha256Hex('y') }, 'is not what was announced'],
      [{ ...announced, sha256: 'x' }, 'is no digest'],
      [{ ...announced, bytes: 0 }, 'head.bytes: is missing'],
      [{ ...announced, bytes: 2 ** 40 }, 'head.bytes'],
      [{ ...announced, workspace: '' }, 'head.workspace: is missing'],
    ] as const;
    for (const [input, why] of wrong) {
      const error: unknown = await client.upload(input, parts(data), signal).catch((thrown: unknown) => thrown);
      expect(error, why).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining(why) });
      expect(String(error)).not.toContain('owner');
    }
    expect(beta.executor.inputs).toEqual([]);
  });

  it('is taken no faster than it is kept, and no further than it is announced', async () => {
    const { beta, client } = await startWithWorkspace();
    let wake: () => void = () => {};
    const stuck = new Promise<void>((resolve) => {
      wake = resolve;
    });
    beta.executor.drink = async (data) => {
      for await (const _ of data) await stuck;
    };
    let given = 0;
    const pieces = 1000;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; given < pieces; given++) yield Buffer.alloc(256 * 1024);
    }
    const done = client.upload({ ...inputOf(Buffer.from('x')), bytes: 100 * 256 * 1024 }, endless(), signal);
    const refused = expect(done).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    let before = -1;
    await expect
      .poll(
        () => {
          const still = given === before;
          before = given;
          return still;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
    expect(given).toBeLessThan(60);
    wake();
    await refused;
    expect(given).toBeLessThan(pieces / 2);
  });

  it('is let go of where its sender leaves, and where the sender cannot read it', async () => {
    const { beta, client, alpha } = await startWithWorkspace();
    const seen = countBytes(beta);
    const leaving = new AbortController();
    async function* hanging(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(256 * 1024);
      await new Promise(() => undefined);
    }
    const left = client.upload({ ...inputOf(Buffer.from('x')), bytes: MIB }, hanging(), leaving.signal);
    await expect.poll(() => seen.bytes, WAIT).toBe(256 * 1024);
    const why = new Error('enough');
    leaving.abort(why);
    await expect(left).rejects.toBe(why);
    await expect.poll(() => seen.isOver, WAIT).toBe(true);

    const fault = new Error('bad disk');
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(256 * 1024);
      throw fault;
    }
    await expect(client.upload({ ...inputOf(Buffer.from('x')), bytes: MIB }, broken(), signal)).rejects.toBe(fault);
    expect(alpha.clients.links()[0]?.lastError).toBeUndefined();
  });

  it('ends where nothing more of it comes', async () => {
    const { beta, raw } = await startWithWorkspace({ stallMs: 100 });
    const seen = countBytes(beta);
    const head = message({ head: { ...inputOf(Buffer.from('x')), bytes: 10 } });
    const end = await raw.send(UPLOAD, [head, message({ data: Buffer.from('abc') })], false);
    expect(ending(end)).toBe('DEADLINE_EXCEEDED TIMED_OUT');
    await expect.poll(() => seen.isOver, WAIT).toBe(true);
    expect(ending(await raw.open(UPLOAD))).toBe('DEADLINE_EXCEEDED TIMED_OUT');
  });

  it('is refused where its messages are out of order, or nothing but messages', async () => {
    const { beta, raw } = await startWithWorkspace();
    const whole = Buffer.alloc(100, 'x');
    const head = message({ head: inputOf(whole) });
    const data = message({ data: Buffer.from('x') });
    const wrong: readonly (readonly Uint8Array[])[] = [
      [],
      [data],
      [head, head],
      [head, data, head],
      [head, message({})],
      [head, ...Array.from({ length: 100 }, () => message({ data: Buffer.alloc(0) })), message({ data: whole })],
      [head, ...Array.from({ length: 100 }, () => data)],
      [Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3])],
      [head, Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3])],
    ];
    for (const [i, messages] of wrong.entries()) {
      expect(ending(await raw.send(UPLOAD, messages, true)), String(i)).toBe('INVALID_ARGUMENT BAD_REQUEST');
    }
    expect(beta.executor.inputs).toEqual([]);
  });

  it('goes with the trust of its sender', async () => {
    const { alpha, beta, raw } = await startWithWorkspace({ revokedGraceMs: 60_000 });
    const seen = countBytes(beta);
    const head = message({ head: { ...inputOf(Buffer.from('x')), bytes: 10 } });
    const end = raw.send(UPLOAD, [head, message({ data: Buffer.from('abc') })], false);
    await expect.poll(() => seen.bytes, WAIT).toBe(3);
    await beta.pins.remove(alpha.id);
    expect(ending(await end)).toBe('PERMISSION_DENIED TRUST_REVOKED');
    await expect.poll(() => seen.isOver, WAIT).toBe(true);
  });
});
