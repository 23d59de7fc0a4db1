import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemRandom, sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createContentStore } from './content-store.ts';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'writ-content-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true });
});

describe('a content store', () => {
  it('has made file and folders durable when it says that something is stored', async () => {
    const probe = await open(dir);
    const synced = vi.spyOn(Object.getPrototypeOf(probe), 'sync');
    await probe.close();
    const store = createContentStore({ dir, random: createSystemRandom() });
    const bytes = new TextEncoder().encode('content');
    expect(await store.putBytes(bytes)).toMatchObject({ sha256: sha256Hex(bytes), bytes: 7 });
    // The file, the folder that names it, and the folder that names that one, which is new.
    expect(synced).toHaveBeenCalledTimes(3);
    await store.putBytes(bytes);
    expect(synced).toHaveBeenCalledTimes(5);
  });
});
