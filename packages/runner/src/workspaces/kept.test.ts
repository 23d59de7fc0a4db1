import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from '../testing/harness.ts';
import { makeRepository } from '../testing/repository.ts';
import type { Run } from '../types.ts';
import type { Fate, Removal } from './types.ts';

const DAY_MS = 86_400_000;
let harness: Harness;
let path: string;
let rules: { doneMs?: number; failedMs: number; orphanedMs: number; budgetBytes: number };
let ready: number;
let isBelieved: boolean;
let nextOnes: Harness[];
const storage = { rules: () => rules, isTimeBelieved: () => isBelieved, ready: () => ready };
beforeEach(async () => {
  rules = { failedMs: DAY_MS, orphanedMs: DAY_MS, budgetBytes: 1024 ** 3 };
  ready = 0;
  isBelieved = true;
  nextOnes = [];
  harness = await createHarness({ storage });
  path = makeRepository(join(harness.folder, 'source'), { 'file.txt': 'one\n' });
});
afterEach(async () => {
  for (const one of nextOnes) await one.close();
  await harness.close();
});

const workspaces = (): string => join(harness.folder, 'workspaces');

/** Another node on the same folders. */
async function nextNode(): Promise<Harness> {
  const of = (name: string): string => join(harness.folder, name);
  const root = {
    ...{ transcripts: of('t'), outputs: of('o'), sockets: of('n2'), secrets: of('s') },
    workspaces: workspaces(),
  };
  const next = await createHarness({ root, storage });
  nextOnes.push(next);
  return next;
}

/** A run in a clone, over, with `made` in its clone and something in its HOME; its files are still there. */
async function finished(over: Harness = harness): Promise<Run> {
  const script = 'echo x > made; echo token > "$HOME/token"; echo y > "$TMPDIR/y"';
  const run = await over.start(over.spec(['sh', '-c', script], { workspace: { name: 'app', path } }));
  await run.done;
  return run;
}

async function released(fate: Fate): Promise<Run> {
  const run = await finished();
  run.release(fate);
  await until(() => !existsSync(run.files.dir));
  return run;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const keptOf = async (of: Harness = harness) => (await of.runner.storage.list()).kept;
const untilKept = (count: number): Promise<void> => until(async () => (await keptOf()).length === count);
const sweep = (of: Harness = harness, holdsWork = async () => false) =>
  of.runner.storage.sweep({ holdsWork, transcriptsBeforeMs: 0, mayForget: () => false });

describe('the clone of a run that is over', () => {
  it('is not kept where the task is done and the rules keep nothing of that', async () => {
    await released({ state: 'done', unbundled: 'none' });
    await harness.runner.close();
    expect(await harness.leftovers()).toEqual([]);
  });

  it('is kept for its time, without HOME and TMPDIR, and says for which task and why', async () => {
    const run = await released({ state: 'failed', unbundled: 'none' });
    await untilKept(1);
    const [kept] = await keptOf();
    expect(kept).toMatchObject({
      record: { workspace: 'app', clone: run.files.clone },
      end: { state: 'failed', unbundled: 'none' },
      dueAtMs: (kept?.end.atMs ?? 0) + DAY_MS,
    });
    expect(kept?.bytes).toBeGreaterThan(1000);
    expect(readFileSync(join(kept?.dir ?? '', 'made'), 'utf8')).toBe('x\n');
    expect(readdirSync(join(kept?.dir ?? '', '..')).sort()).toEqual(['attempt.json', 'work']);
    expect((await sweep()).workspaces).toBe(0);
    rules.failedMs = -1;
    expect((await sweep()).workspaces).toBe(1);
    await harness.runner.close();
    expect(await harness.leftovers()).toEqual([]);
  });

  it('is kept while the time is not believed, but for the budget', async () => {
    rules.failedMs = -1;
    isBelieved = false;
    await released({ state: 'failed', unbundled: 'none' });
    await untilKept(1);
    expect((await sweep()).workspaces).toBe(0);
    rules.budgetBytes = 0;
    expect((await sweep()).workspaces).toBe(1);
  });

  it('is kept over a restart, with what is known of it', async () => {
    await released({ state: 'failed', unbundled: 'none' });
    await untilKept(1);
    const before = await keptOf();
    await harness.runner.close();
    expect(await keptOf(await nextNode())).toEqual(before);
  });

  it('is kept until a person says so where its work is kept nowhere else', async () => {
    const run = await released({ state: 'done', unbundled: 'unknown' });
    await untilKept(1);
    Object.assign(rules, { failedMs: -1, orphanedMs: -1, budgetBytes: 0 });
    expect((await sweep(harness, async () => true)).workspaces).toBe(0);
    const [kept] = await keptOf();
    expect(kept).toMatchObject({ end: { unbundled: 'some' } });
    expect(kept?.dueAtMs).toBeUndefined();
    const told: string[] = [];
    const remove = (removal: Omit<Removal, 'removed'>) =>
      harness.runner.storage.remove({ ...removal, removed: (gone) => void told.push(...gone.map(({ id }) => id)) });
    expect(await remove({ unbundled: false })).toEqual([]);
    await expect(remove({ which: [kept?.id ?? ''], unbundled: false })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(remove({ which: ['other'], unbundled: true })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(existsSync(kept?.dir ?? '')).toBe(true);
    const task = kept?.record?.task ?? '';
    expect(await remove({ which: [task], unbundled: true })).toMatchObject([{ id: kept?.id }]);
    expect(told).toEqual([kept?.id]);
    expect(existsSync(run.files.dir)).toBe(false);
    expect(await keptOf()).toEqual([]);
  });

  it('is looked at once where nobody knows what it holds, and stays where that cannot be established', async () => {
    await released({ state: 'failed', unbundled: 'unknown' });
    await untilKept(1);
    rules.failedMs = -1;
    await sweep(harness, () => Promise.reject(new Error('cannot look')));
    expect(await keptOf()).toMatchObject([{ end: { unbundled: 'unknown' } }]);
    expect((await sweep()).workspaces).toBe(1);
  });

  it('is looked at no more after two looks in vain, over a restart too, and one that was cut short is none', async () => {
    await released({ state: 'failed', unbundled: 'unknown' });
    await untilKept(1);
    let looks = 0;
    const inVain = async (): Promise<never> => {
      looks += 1;
      throw new Error('it took too long');
    };
    const cut = new AbortController();
    const cutShort = (): Promise<never> => {
      cut.abort();
      return inVain();
    };
    const order = { transcriptsBeforeMs: 0, mayForget: () => false };
    await harness.runner.storage.sweep({ ...order, holdsWork: cutShort, signal: cut.signal });
    await sweep(harness, inVain);
    await harness.runner.close();
    const next = await nextNode();
    for (let again = 0; again < 3; again += 1) await sweep(next, inVain);
    expect(looks).toBe(3);
    expect(await keptOf(next)).toMatchObject([{ end: { unbundled: 'unknown', looks: 2 } }]);
  });

  it('is looked at behind what has had its time, and no further once that takes too long', async () => {
    const clock = createSystemClock();
    let laterMs = 0;
    const own = await createHarness({ storage, clock: { ...clock, monotonicMs: () => clock.monotonicMs() + laterMs } });
    nextOnes.push(own);
    for (const unbundled of ['none', 'unknown', 'unknown'] as const) {
      (await finished(own)).release({ state: 'failed', unbundled });
    }
    await until(async () => (await keptOf(own)).length === 3);
    rules = { ...rules, failedMs: 0 };
    const seen: number[] = [];
    const slow = async (): Promise<never> => {
      seen.push((await keptOf(own)).length);
      laterMs += 300_000;
      throw new Error('it took too long');
    };
    await sweep(own, slow);
    expect(seen).toEqual([2]);
    // Those come first that were not looked at.
    await sweep(own, slow);
    expect((await keptOf(own)).map(({ end }) => end.looks)).toEqual([1, 1]);
  });

  it('goes before its time where it is over the budget, oldest first', async () => {
    await released({ state: 'failed', unbundled: 'none' });
    await untilKept(1);
    const [{ bytes, id } = { bytes: 0, id: '' }] = await keptOf();
    rules.budgetBytes = Math.floor(bytes * 1.5);
    await released({ state: 'failed', unbundled: 'none' });
    await until(async () => (await keptOf()).every((one) => one.id !== id) && (await keptOf()).length === 1);
  });

  it('keeps more from being made for whoever has a share of the budget full of work that is kept nowhere else', async () => {
    await released({ state: 'failed', unbundled: 'unknown' });
    await untilKept(1);
    const [{ bytes } = { bytes: 0 }] = await keptOf();
    rules.budgetBytes = 2 * bytes;
    expect(harness.runner.storage.held()).toEqual([{ sender: 'self', bytes, shareBytes: bytes }]);
    await harness.run(['true'], { workspace: { name: 'app', path } });
    rules.budgetBytes -= 2;
    await expect(harness.run(['true'], { workspace: { name: 'app', path } })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      nextSteps: expect.arrayContaining([expect.stringContaining('writ workspace list')]),
    });
    expect((await harness.run(['echo', 'fine'])).stdout).toBe('fine\n');
    // Nobody else pays for it.
    await harness.run(['true'], { workspace: { name: 'app', path }, sender: 'wn-other' });
  });
});

it('what stands ready takes of the room that is shared', async () => {
  ready = 1;
  await released({ state: 'failed', unbundled: 'unknown' });
  const { runner } = harness;
  await until(async () => (await runner.storage.list()).ready.length === 1 && (await keptOf()).length === 1);
  const [clone] = (await runner.storage.list()).ready;
  const roomBytes = rules.budgetBytes - (clone?.bytes ?? 0);
  expect(runner.storage.held()).toMatchObject([{ shareBytes: Math.floor(roomBytes / 2) }]);
});

describe('a node that ends while a clone is in use', () => {
  it('keeps it as an orphan, which the next one looks at before its time begins to matter', async () => {
    await finished();
    await harness.runner.close();
    const next = await nextNode();
    expect(await keptOf(next)).toMatchObject([{ end: { state: 'orphaned', unbundled: 'unknown' } }]);
    await sweep(next, async () => true);
    expect(await keptOf(next)).toMatchObject([{ end: { unbundled: 'some' } }]);
  });

  /** What a node leaves that is killed at each step of a clone's way: the folder is put as it is then. */
  const steps: readonly [string, (run: string) => void, string][] = [
    ['before the clone is whole', (run) => makeRepository(join(run, 'work'), { x: 'x' }), 'gone'],
    ['while it runs', (run) => recorded(run), 'kept'],
    [
      'while the record of its end is written',
      (run) => {
        recorded(run);
        writeFileSync(join(run, '.attempt.json.1234.tmp'), '{"task"');
      },
      'kept',
    ],
    ['behind the record of its end', (run) => recorded(run, { state: 'failed', atMs: 5, unbundled: 'none' }), 'kept'],
    [
      'behind its new name',
      (run) => {
        recorded(run, { state: 'failed', atMs: 5, unbundled: 'none' });
        renameSync(run, run.replace('run-', 'kept-'));
      },
      'kept',
    ],
    [
      'while it is removed',
      (run) => {
        recorded(run);
        renameSync(run, run.replace('run-', 'trash-'));
      },
      'gone',
    ],
    [
      'by a task that wrote over the record',
      (run) => {
        recorded(run);
        writeFileSync(join(run, 'attempt.json'), '{"task":1}');
      },
      'kept',
    ],
    [
      'by a task that put a link in its place',
      (run) => {
        makeRepository(join(run, 'work'), { x: 'x' });
        symlinkSync('/etc/passwd', join(run, 'attempt.json'));
      },
      'kept',
    ],
  ];

  function recorded(run: string, end?: object): void {
    makeRepository(join(run, 'work'), { x: 'x' });
    mkdirSync(join(run, 'home'));
    const clone = { objectFormat: 'sha1', source: path };
    const record = { task: 't', workspace: 'app', clone, preparedAtMs: 1, ...(end === undefined ? {} : { end }) };
    writeFileSync(join(run, 'attempt.json'), JSON.stringify(record));
  }

  it.each(steps)('by force, %s: it is kept whole or gone', async (_, leave, fate) => {
    await harness.runner.close();
    const run = join(workspaces(), 'run-00112233445566778899');
    mkdirSync(join(run, 'secrets'), { recursive: true });
    writeFileSync(join(run, 'secrets', 'tok'), 'secret');
    leave(run);
    const next = await nextNode();
    const kept = await keptOf(next);
    expect(kept).toHaveLength(fate === 'kept' ? 1 : 0);
    for (const one of kept) expect(readdirSync(join(one.dir, '..')).sort()).toEqual(['attempt.json', 'work']);
    await next.runner.close();
    const names = readdirSync(workspaces()).filter((name) => /^(run|trash|ready)-/.test(name));
    expect(names).toEqual([]);
  });
});

describe('transcripts', () => {
  it('go when they are old and nobody needs them any more', async () => {
    const spec = harness.spec(['echo', 'said']);
    const run = await harness.start(spec);
    await run.done;
    run.release();
    const asked: (string | undefined)[] = [];
    const order = (transcriptsBeforeMs: number, may: boolean) => ({
      ...{ holdsWork: async () => false, transcriptsBeforeMs },
      mayForget: ({ task }: { readonly task?: string }) => {
        asked.push(task);
        return may;
      },
    });
    const removedBy = async (beforeMs: number, may: boolean): Promise<number> =>
      (await harness.runner.storage.sweep(order(beforeMs, may))).transcripts;
    expect(await removedBy(0, true)).toBe(0);
    expect(asked).toEqual([]);
    expect(await removedBy(Number.MAX_SAFE_INTEGER, false)).toBe(0);
    expect(asked).toEqual([spec.task]);
    expect(await removedBy(Number.MAX_SAFE_INTEGER, true)).toBe(1);
    expect(await harness.runner.readTranscript(spec.task, 0, 10)).toHaveLength(0);
  });
});
