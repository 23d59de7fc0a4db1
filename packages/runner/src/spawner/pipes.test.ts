import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPipePool, dropPipes, type RunPipes } from './pipes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-pipes-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the pool of pipes', () => {
  it('has left nothing in its folder once no more are under way', async () => {
    const pool = createPipePool(folder, 'own');
    const taken: RunPipes[] = [];
    // As many as it takes until the next ones are made ahead: their folder is there while that runs.
    while (readdirSync(folder).length === 0) {
      const pipes = pool.take();
      if (pipes === undefined) throw new Error('no pipes');
      taken.push(pipes);
    }
    await pool.settled();
    expect(readdirSync(folder)).toEqual([]);
    for (const pipes of taken) dropPipes(pipes);
  });

  it('is settled where none were ever asked for', async () => {
    await createPipePool(folder, 'own').settled();
    expect(readdirSync(folder)).toEqual([]);
  });
});
