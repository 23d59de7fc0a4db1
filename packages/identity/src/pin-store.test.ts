import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemRandom, silentLogger } from '@writ/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPinStore } from './pin-store.ts';
import { createTestNodes, type TestNodes } from './testing/nodes.ts';
import type { PublicIdentity } from './types.ts';

describe('the pinned identity certificates', () => {
  const random = createSystemRandom();
  let peers: TestNodes;
  let home: string;
  let dir: string;
  let a: PublicIdentity;
  let b: PublicIdentity;
  beforeAll(async () => {
    peers = await createTestNodes(2);
    [a, b] = peers.nodes.map((node) => node.identity.public) as [PublicIdentity, PublicIdentity];
  });
  afterAll(() => peers.remove());
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'writ-pins-'));
    dir = join(home, 'pins');
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('are kept across a restart, one private file a peer', async () => {
    const store = createPinStore(dir, random, silentLogger);
    await Promise.all([store.put(a), store.put(b)]);
    const again = createPinStore(dir, random, silentLogger);
    expect(again.list()).toEqual([a, b].sort((x, y) => (x.id < y.id ? -1 : 1)));
    expect(again.get(a.id.toUpperCase())).toEqual(a);
    expect(readdirSync(dir).sort()).toEqual([`${a.id}.pem`, `${b.id}.pem`].sort());
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, `${a.id}.pem`)).mode & 0o777).toBe(0o600);
  });

  it('refuse a certificate under the id of another', async () => {
    const store = createPinStore(dir, random, silentLogger);
    await expect(store.put({ id: b.id, certificatePem: a.certificatePem })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    expect(store.list()).toEqual([]);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('refuse to load a file whose certificate was exchanged', async () => {
    await createPinStore(dir, random, silentLogger).put(a);
    writeFileSync(join(dir, `${a.id}.pem`), b.certificatePem);
    expect(() => createPinStore(dir, random, silentLogger)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('refuse a folder that others can enter', () => {
    createPinStore(dir, random, silentLogger);
    chmodSync(dir, 0o750);
    expect(() => createPinStore(dir, random, silentLogger)).toThrow(expect.objectContaining({ code: 'HOME_INSECURE' }));
  });

  it('are gone at once when removed, and removing twice says so', async () => {
    const store = createPinStore(dir, random, silentLogger);
    await store.put(a);
    const seen: number[] = [];
    const stop = store.onChange(() => seen.push(store.list().length));
    expect(await store.remove(a.id)).toBe(true);
    expect(await store.remove(a.id)).toBe(false);
    expect(existsSync(join(dir, `${a.id}.pem`))).toBe(false);
    await store.put(b);
    stop();
    await store.remove(b.id);
    expect(seen).toEqual([0, 1]);
  });

  it('are put and removed whole, and told of, where one who is told fails', async () => {
    const failures: string[] = [];
    const store = createPinStore(dir, random, { ...silentLogger, error: (message) => failures.push(message) });
    store.onChange(() => {
      throw new Error('not today');
    });
    const seen: number[] = [];
    store.onChange(() => seen.push(store.list().length));
    await store.put(a);
    expect(await store.remove(a.id)).toBe(true);
    expect(seen).toEqual([1, 0]);
    expect(existsSync(join(dir, `${a.id}.pem`))).toBe(false);
    expect(failures).toHaveLength(2);
  });
});
