import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemRandom, silentLogger } from '@writ/core';
import { createFakeClock } from '@writ/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeptWorkspaces, type KeptWorkspaces } from './kept.ts';
import type { HoldsWork, WorkspaceEnd, WorkspaceRecord } from './types.ts';

const clock = createFakeClock(0);
let root: string;
/** In which order, and how often, clones were looked at. */
let looked: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-looks-'));
  looked = [];
});
afterEach(() => rmSync(root, { recursive: true }));

function leave(task: string, end: WorkspaceEnd = { state: 'failed', atMs: 0, unbundled: 'unknown' }): void {
  const clone = { objectFormat: 'sha1', source: root } as const;
  const record: WorkspaceRecord = { task, workspace: 'app', preparedAtMs: 0, clone, end };
  mkdirSync(join(root, `kept-${task}`, 'work'), { recursive: true });
  writeFileSync(join(root, `kept-${task}`, 'attempt.json'), `${JSON.stringify(record)}\n`);
}

/** A node that starts on what is there. */
async function node(label: string): Promise<KeptWorkspaces> {
  const kept = createKeptWorkspaces({
    ...{ root: async () => root, label, discard: async (folder) => rmSync(folder, { recursive: true }) },
    rules: () => ({ failedMs: 3_600_000, orphanedMs: 1, budgetBytes: 1024 ** 3 }),
    otherBytes: () => 0,
    ...{ clock, random: createSystemRandom(), logger: silentLogger },
  });
  await kept.adopt();
  return kept;
}

/** A look that takes so long and tells nothing. */
const inVain =
  (ms: number): HoldsWork =>
  async ({ task }) => {
    looked.push(task);
    clock.advance(ms);
    throw new Error('it took too long');
  };
const { signal: stopping } = new AbortController();

describe('a clone that takes long to look at and tells nothing', () => {
  it('is looked at twice, over a restart too, and is a person’s after that', async () => {
    leave('a');
    const first = await node('one');
    await first.sweep({ holdsWork: inVain(60_000), stopping });
    const second = await node('two');
    for (let at = 0; at < 3; at += 1) await second.sweep({ holdsWork: inVain(60_000), stopping });
    expect(looked).toEqual(['a', 'a']);
    expect((await node('three')).list()).toMatchObject([{ end: { unbundled: 'unknown', looks: 2 } }]);
  });

  it('takes no more of a sweep than five minutes, and those that nobody has looked at come first', async () => {
    for (const task of ['a', 'b', 'c', 'd']) leave(task);
    const kept = await node('one');
    for (let at = 0; at < 5; at += 1) await kept.sweep({ holdsWork: inVain(150_000), stopping });
    expect(
      looked
        .map((_, at) =>
          looked
            .slice(at, at + 2)
            .toSorted()
            .join(''),
        )
        .filter((_, at) => at % 2 === 0),
    ).toEqual(['ab', 'cd', 'ab', 'cd']);
  });

  it('keeps nothing waiting that has had its time', async () => {
    leave('a');
    leave('old', { state: 'orphaned', atMs: -10, unbundled: 'none' });
    const kept = await node('one');
    const holdsWork: HoldsWork = async () => {
      looked.push(...kept.list().map(({ id }) => id));
      return true;
    };
    expect(await kept.sweep({ holdsWork, stopping })).toBe(1);
    expect(looked).toEqual(['a']);
  });

  it('is not held against it where the node stops meanwhile, or the look failed at once', async () => {
    leave('a');
    const kept = await node('one');
    const closing = new AbortController();
    const cut: HoldsWork = async (record, dir) => {
      closing.abort();
      return inVain(60_000)(record, dir);
    };
    await kept.sweep({ holdsWork: cut, stopping: closing.signal });
    for (let at = 0; at < 3; at += 1) await kept.sweep({ holdsWork: inVain(100), stopping });
    expect(looked).toHaveLength(4);
    expect(kept.list()[0]?.end.looks).toBeUndefined();
  });
});
