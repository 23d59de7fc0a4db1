import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileTranscripts } from './file-transcripts.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'writ-transcripts-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe('file transcripts', () => {
  it('keeps bytes where they belong, however often they come', async () => {
    const transcripts = createFileTranscripts(join(root, 'new'));
    await transcripts.write('t1', 0, Buffer.from('hello '));
    await transcripts.write('t1', 6, Buffer.from('world'));
    await transcripts.write('t1', 0, Buffer.from('hello '));
    await transcripts.write('t1', 3, Buffer.from('lo wor'));
    expect(text(await transcripts.read('t1', 0, 100))).toBe('hello world');
    expect(text(await transcripts.read('t1', 6, 3))).toBe('wor');
    expect(await transcripts.read('t1', 100, 3)).toHaveLength(0);
    expect(await transcripts.read('t2', 0, 3)).toHaveLength(0);
  });

  it('lets nobody else read them', async () => {
    const dir = join(root, 'new');
    await createFileTranscripts(dir).write('t1', 0, Buffer.from('x'));
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 't1.log'))).mode & 0o777).toBe(0o600);
  });

  it('makes no file for what is no task id', async () => {
    const transcripts = createFileTranscripts(root);
    for (const id of ['../evil', '', '.', 'a/b', '-x', 'a\0b']) {
      await expect(transcripts.write(id, 0, Buffer.from('x'))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      await expect(transcripts.read(id, 0, 1)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    expect(await readdir(root)).toEqual([]);
  });
});
