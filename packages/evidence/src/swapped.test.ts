import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isWritError } from '@writ/core';
import { createWitness, fingerprint, ownersState, type Witness } from '@writ/testkit/hostile';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collectArtifacts } from './artifacts.ts';
import { inFolder, openBeneath } from './beneath.ts';
import { collectEvidence } from './collect.ts';
import { shipTaskFiles } from './ship-task.ts';
import { createFixture, type Fixture } from './testing/fixture.ts';
import { walkTree } from './tree-walk.ts';
import type { Changes, CollectRequest } from './types.ts';

/** What stands outside and may be in no evidence: of a file's content, and of a name. */
const [SECRET, NAME] = ['a secret of the owner', 'only-outside'];
const ARTIFACT_LIMITS = {
  ...{ maxArtifacts: 100, maxArtifactBytes: 1_000_000, maxTotalBytes: 1_000_000 },
  ...{ maxEntries: 10_000, maxSteps: 1_000_000 },
};

let f: Fixture;
let template: Fixture;
let witness: Witness;
let base: string;
beforeAll(() => {
  template = createFixture();
  template.write(template.owner, { 'plain.txt': 'one\n', 'folder/inner.txt': 'i\n', 'folder/deep/x.txt': 'x\n' });
  base = template.commit(template.owner);
  template.clone();
});
afterAll(() => template.remove());
beforeEach(() => {
  f = createFixture({ from: template });
  witness = createWitness(f.root, process.env.PATH ?? '');
  f.write(witness.outside, {
    ...{ 'inner.txt': SECRET, 'deep/x.txt': SECRET, 'index/x': SECRET },
    [`deep/${NAME}/.git/config`]: SECRET,
    [`${NAME}.txt`]: SECRET,
  });
  f.write(f.work, { 'plain.txt': 'two\n', 'folder/inner.txt': 'ii\n', 'folder/deep/x.txt': 'xx\n', 'new.txt': 'n\n' });
});
afterEach(() => f.remove());

/** Places that a task swaps, and where the link that it puts there leads. */
const SWAPS: readonly (readonly [place: string, leadsTo: string])[] = [
  ['folder', '.'],
  ['folder/deep', 'deep'],
  ['plain.txt', 'secret'],
  ['folder/inner.txt', 'secret'],
  ['.git', 'other/.git'],
  ['.git/index', 'other/.git/index'],
];

function swapOut([place, leadsTo]: (typeof SWAPS)[number]): void {
  renameSync(join(f.work, place), join(f.root, 'aside'));
  symlinkSync(join(witness.outside, leadsTo), join(f.work, place));
}

function swapIn([place]: (typeof SWAPS)[number]): void {
  unlinkSync(join(f.work, place));
  renameSync(join(f.root, 'aside'), join(f.work, place));
}

type Kept = Partial<Pick<Extract<Changes, { kind: 'changed' }>, 'patch' | 'bundle' | 'files' | 'refused'>>;

/** Evidence, where each call of git is counted and `before` may do something; undefined where it failed. */
async function collected(before: (call: number, step: string) => void): Promise<Kept | undefined> {
  let call = 0;
  const git: CollectRequest['git'] = (order) => {
    before(call, order.step);
    call += 1;
    return f.gitWork.git(order);
  };
  try {
    const changes = await collectEvidence({ ...f.request(base), git });
    expect(changes.kind).toBe('changed');
    return changes.kind === 'changed' ? changes : {};
  } catch (error) {
    expect(isWritError(error) ? error.code : String(error)).toBe('EVIDENCE_FAILED');
    expect(String(error)).not.toContain(NAME);
    return undefined;
  }
}

/** Whether anything of what stands outside came in: content of any object, and names. */
async function assertClean({ patch, bundle, files, refused }: Kept): Promise<void> {
  const outside = new RegExp(`${SECRET}|${NAME}`);
  expect(JSON.stringify([files, refused])).not.toMatch(outside);
  if (patch !== undefined) expect(readFileSync(await f.store.pathOf(patch.sha256), 'utf8')).not.toMatch(outside);
  if (bundle === undefined) return;
  const there = join(f.root, 'received');
  f.git(f.root, 'clone', '--quiet', '--bare', f.owner, there);
  f.git(there, 'fetch', '--quiet', await f.store.pathOf(bundle.sha256), 'refs/writ/head:refs/heads/received');
  expect(f.git(there, 'cat-file', '--batch-all-objects', '--batch', '--buffer')).not.toMatch(outside);
  rmSync(there, { recursive: true });
}

/** `all`: each place at each step, with and without a way back; else every sixth of those, each place at others. */
const isWhole = process.env.WRIT_TEST_HOSTILE === 'all';
/** Steps at which the files of the task are looked at, or have just been. */
const LOOKING = ['scan', 'index', 'add', 'tree'];

describe('a place that is swapped for a link while evidence is collected', () => {
  it.each(SWAPS)('%s, at every step: nothing behind it is read, run or told', async (...swap) => {
    const outside = fingerprint(witness.outside);
    const owners = ownersState(f.owner);
    const steps: number[] = [];
    await collected((call, step) => {
      if (LOOKING.includes(step)) steps.push(call);
    });
    const shots = steps.flatMap((at) => [
      { at, isBack: false },
      { at, isBack: true },
    ]);
    expect(shots.length).toBeGreaterThanOrEqual(2 * SWAPS.length);
    const first = SWAPS.findIndex(([place]) => place === swap[0]);
    for (const { at, isBack } of shots.filter((_, number) => isWhole || number % SWAPS.length === first)) {
      let isOut = false;
      const stored = await collected((call) => {
        const isBackNow = isBack && call === at + 1;
        if (call === at) swapOut(swap);
        if (isBackNow) swapIn(swap);
        isOut = call === at || (isOut && !isBackNow);
      });
      if (isOut) swapIn(swap);
      if (stored !== undefined) await assertClean(stored);
    }
    expect(witness.marks()).toEqual([]);
    expect(fingerprint(witness.outside)).toBe(outside);
    expect(ownersState(f.owner)).toBe(owners);
  });
});

it('a folder that is open stays the same one, and one that is a link is not opened', async () => {
  const place = join(f.work, 'folder');
  const names = await inFolder(process.platform, place, async ({ path }) => {
    if (process.platform === 'linux') swapOut(['folder', '.']);
    return readdirSync(path);
  });
  expect(names.toSorted()).toEqual(['deep', 'inner.txt']);
  if (process.platform !== 'linux') swapOut(['folder', '.']);
  await expect(inFolder(process.platform, place, async () => 'open')).rejects.toMatchObject({ syscall: 'open' });
});

/** Swaps each of its places for a link and back, again and again, until its standard input ends. */
const SWAPPER = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const [aside, ...pairs] = process.argv.slice(1);
let ended = false;
process.stdin.on('end', () => { ended = true; }).resume();
const turn = () => {
  for (let at = 0; at < pairs.length; at += 2) {
    const [place, link] = [pairs[at], pairs[at + 1]];
    renameSync(place, aside);
    symlinkSync(link, place);
    unlinkSync(place);
    renameSync(aside, place);
  }
  if (!ended) setImmediate(turn);
};
turn();
process.stdout.write('swapping');
`;

describe('places that are swapped for links again and again', () => {
  let swapper: ChildProcess;
  beforeEach(async () => {
    const pairs = SWAPS.filter(([place]) => place !== '.git/index').flatMap(([place, leadsTo]) => [
      join(f.work, place),
      join(witness.outside, leadsTo),
    ]);
    swapper = spawn(process.execPath, ['-e', SWAPPER, join(f.root, 'aside'), ...pairs], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (swapper.stdout !== null) await once(swapper.stdout, 'data');
  });
  const end = async (): Promise<void> => {
    const gone = once(swapper, 'close');
    swapper.stdin?.end();
    expect(await gone).toEqual([0, null]);
  };

  it('come along from a running task without what is behind them, or not at all', async () => {
    const outside = fingerprint(witness.outside);
    for (let round = 0; round < 3; round++) {
      const shipped = await shipTaskFiles({ ...f.request(base), base }).catch((error: unknown) => {
        expect(isWritError(error) ? error.code : String(error)).toBe('GIT_FAILED');
      });
      if (shipped?.bundle === undefined) continue;
      await assertClean({ bundle: shipped.bundle });
    }
    await end();
    expect(fingerprint(witness.outside)).toBe(outside);
  });

  it('are not looked into', async () => {
    const walk = {
      platform: process.platform,
      maxEntries: 1000,
      refuse: (why: string) => new Error(`refused: ${why}`),
    };
    for (let round = 0; round < 300; round++) {
      const walked = await walkTree(f.work, walk).catch((error: unknown) => {
        expect(String(error)).toContain('refused: ');
      });
      const names = [...(walked?.gitNames ?? []).map(String), ...(walked?.folders ?? [])];
      expect(names.filter((name) => !['folder', 'folder/deep', 'aside'].includes(name))).toEqual([]);
    }
    await end();
  });

  it('are no artifacts', async () => {
    for (let round = 0; round < 10; round++) {
      const request = {
        workspaceDir: f.work,
        store: f.store,
        limits: ARTIFACT_LIMITS,
        open: openBeneath(process.platform),
      };
      const found = await collectArtifacts({ ...request, declared: ['folder/inner.txt', 'plain.txt'] }).catch(
        (error) => {
          expect(isWritError(error) ? error.code : String(error)).toBe('EVIDENCE_FAILED');
          return [];
        },
      );
      for (const { sha256 } of found) expect(readFileSync(await f.store.pathOf(sha256), 'utf8')).not.toContain(SECRET);
    }
    await end();
  });
});
