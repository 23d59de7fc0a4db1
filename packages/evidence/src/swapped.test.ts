import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isWritError } from '@writ/core';
import { createWitness, fingerprint, ownersState, type Witness } from '@writ/testkit/hostile';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseArtifactPattern } from './artifact-pattern.ts';
import { findFiles } from './artifact-search.ts';
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

/** How often the files of the task are looked at, or have just been, while evidence is collected. */
const LOOKS = 6;
const LOOKING = ['scan', 'index', 'add', 'tree'];
/** A place is swapped at a look, and stays so, or is what it was when git is called again. */
type Shot = readonly [look: number, way: 'there' | 'and back'];

/** Places that a task swaps, where the link that it puts there leads, and when it is swapped unless every shot is asked for. */
const SWAPS: readonly (readonly [place: string, leadsTo: string, shots: readonly Shot[]])[] = [
  [
    'folder',
    '.',
    [
      [0, 'and back'],
      [0, 'there'],
    ],
  ],
  ['folder/deep', 'deep', [[1, 'and back']]],
  ['plain.txt', 'secret', [[2, 'and back']]],
  ['folder/inner.txt', 'secret', [[3, 'there']]],
  ['.git', 'other/.git', [[4, 'there']]],
  ['.git/index', 'other/.git/index', [[5, 'there']]],
];
const EVERY_SHOT = Array.from({ length: LOOKS }, (_, look): Shot[] => [
  [look, 'there'],
  [look, 'and back'],
]).flat();
const isWhole = process.env.WRIT_TEST_HOSTILE === 'all';

function swapOut(place: string, leadsTo: string): void {
  renameSync(join(f.work, place), join(f.root, 'aside'));
  symlinkSync(join(witness.outside, leadsTo), join(f.work, place));
}

function swapIn(place: string): void {
  unlinkSync(join(f.work, place));
  renameSync(join(f.root, 'aside'), join(f.work, place));
}

type Kept = Partial<Pick<Extract<Changes, { kind: 'changed' }>, 'patch' | 'bundle' | 'files' | 'refused'>>;

/** Evidence, with a swap at a look; undefined where it failed. */
async function collected(place: string, leadsTo: string, [at, way]: Shot): Promise<Kept | undefined> {
  let [looks, isOut, wasOut] = [0, false, false];
  const git: CollectRequest['git'] = (order) => {
    if (isOut && way === 'and back') {
      swapIn(place);
      isOut = false;
    }
    if (LOOKING.includes(order.step)) {
      if (looks === at) {
        swapOut(place, leadsTo);
        [isOut, wasOut] = [true, true];
      }
      looks += 1;
    }
    return f.gitWork.git(order);
  };
  const changes = await collectEvidence({ ...f.request(base), git }).catch(untold('EVIDENCE_FAILED'));
  if (isOut) swapIn(place);
  expect(wasOut).toBe(true);
  if (changes === undefined) return undefined;
  expect([changes.kind, looks]).toEqual(['changed', LOOKS]);
  return changes.kind === 'changed' ? changes : {};
}

/** Takes a failure with this code that names nothing of what stands outside. */
function untold(code: string): (error: unknown) => undefined {
  return (error) => {
    expect(isWritError(error) ? error.code : String(error)).toBe(code);
    expect(String(error)).not.toContain(NAME);
  };
}

/** Whether anything of what stands outside came in: content of any object, and names. */
async function assertClean({ patch, bundle, files, refused }: Kept): Promise<void> {
  const outside = new RegExp(`${SECRET}|${NAME}`);
  expect(JSON.stringify([files, refused])).not.toMatch(outside);
  if (patch !== undefined) expect(readFileSync(await f.store.pathOf(patch.sha256), 'utf8')).not.toMatch(outside);
  if (bundle === undefined) return;
  const there = join(f.root, 'received');
  if (!existsSync(there)) f.git(f.root, 'clone', '--quiet', '--bare', f.owner, there);
  f.git(there, 'fetch', '--quiet', await f.store.pathOf(bundle.sha256), '+refs/writ/head:refs/heads/received');
  expect(f.git(there, 'cat-file', '--batch-all-objects', '--batch', '--buffer')).not.toMatch(outside);
}

const mostMs = isWhole ? 600_000 : undefined;
it(
  'nothing behind a place that is swapped for a link while evidence is collected is read, run or told',
  async () => {
    const outside = fingerprint(witness.outside);
    const owners = ownersState(f.owner);
    for (const [place, leadsTo, shots] of SWAPS) {
      let stored = 0;
      for (const shot of isWhole ? EVERY_SHOT : shots) {
        const kept = await collected(place, leadsTo, shot);
        if (kept === undefined) continue;
        stored += 1;
        await assertClean(kept);
      }
      expect(stored, place).toBeGreaterThan(0);
    }
    expect(witness.marks()).toEqual([]);
    expect(fingerprint(witness.outside)).toBe(outside);
    expect(ownersState(f.owner)).toBe(owners);
  },
  mostMs,
);

it('a folder that is open stays the same one, and one that is a link is not opened', async () => {
  const place = join(f.work, 'folder');
  const names = await inFolder(process.platform, place, async ({ path }) => {
    if (process.platform === 'linux') swapOut('folder', '.');
    return readdirSync(path);
  });
  expect(names.toSorted()).toEqual(['deep', 'inner.txt']);
  if (process.platform !== 'linux') swapOut('folder', '.');
  await expect(inFolder(process.platform, place, async () => 'open')).rejects.toMatchObject({ syscall: 'open' });
});

it('a folder that is swapped after it was listed is not searched for artifacts', async () => {
  let isListed = false;
  const pattern = new Proxy(parseArtifactPattern('folder/only-*.txt'), {
    get(target, key) {
      if (isListed && lstatSync(join(f.work, 'folder')).isDirectory()) swapOut('folder', '.');
      return Reflect.get(target, key);
    },
  });
  const refuse = (why: string) => new Error(`refused: ${why}`);
  const finding = findFiles(f.work, [pattern], { ...ARTIFACT_LIMITS, platform: process.platform, refuse });
  // The pattern is looked at next when there are names to match it with.
  isListed = true;
  await expect(finding).rejects.toThrow(
    /^refused: `folder` cannot be read, or is no folder any more \(E(LOOP|NOTDIR)\)$/,
  );
  expect(lstatSync(join(f.work, 'folder')).isSymbolicLink()).toBe(true);
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
  let gone: Promise<unknown>;
  beforeEach(async () => {
    const pairs = SWAPS.filter(([place]) => place !== '.git/index').flatMap(([place, leadsTo]) => [
      join(f.work, place),
      join(witness.outside, leadsTo),
    ]);
    swapper = spawn(process.execPath, ['-e', SWAPPER, join(f.root, 'aside'), ...pairs], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    gone = once(swapper, 'close');
    if (swapper.stdout !== null) await once(swapper.stdout, 'data');
  });
  afterEach(async () => {
    swapper.kill('SIGKILL');
    await gone;
  });
  /** Does the same while places are swapped, then once when all is in its place. */
  const whileSwapped = async <T>(count: number, once: () => Promise<T | undefined>): Promise<T | undefined> => {
    const outside = fingerprint(witness.outside);
    for (let round = 0; round < count; round++) await once();
    swapper.stdin?.end();
    expect(await gone).toEqual([0, null]);
    expect(fingerprint(witness.outside)).toBe(outside);
    return once();
  };

  it('come along from a running task without what is behind them, or not at all', async () => {
    const shipped = await whileSwapped(isWhole ? 20 : 1, async () => {
      const { bundle } = (await shipTaskFiles({ ...f.request(base), base }).catch(untold('GIT_FAILED'))) ?? {};
      if (bundle !== undefined) await assertClean({ bundle });
      return bundle;
    });
    expect(shipped).toBeDefined();
  });

  it('are not looked into', async () => {
    const walk = {
      platform: process.platform,
      maxEntries: 1000,
      refuse: (why: string) => new Error(`refused: ${why}`),
    };
    const walked = await whileSwapped(isWhole ? 1000 : 30, async () => {
      const tree = await walkTree(f.work, walk).catch((error: unknown) => {
        expect(String(error)).toContain('refused: ');
      });
      if (tree === undefined) return undefined;
      const names = [...tree.gitNames.map(String), ...tree.folders];
      expect(names.filter((name) => !['folder', 'folder/deep', 'aside'].includes(name))).toEqual([]);
      return names;
    });
    expect(walked?.toSorted()).toEqual(['folder', 'folder/deep']);
  });

  it('are no artifacts, and their names are not told', async () => {
    const request = {
      ...{
        workspaceDir: f.work,
        store: f.store,
        limits: ARTIFACT_LIMITS,
        declared: ['**/only-*.txt', 'n*.txt', 'plain.txt'],
      },
      ...{ platform: process.platform, open: openBeneath(process.platform) },
    };
    const taken = await whileSwapped(isWhole ? 200 : 10, async () => {
      const found = (await collectArtifacts(request).catch(untold('EVIDENCE_FAILED'))) ?? [];
      for (const { name, sha256 } of found) {
        expect(name).not.toContain(NAME);
        expect(readFileSync(await f.store.pathOf(sha256), 'utf8')).not.toContain(SECRET);
      }
      return found.map(({ name }) => name);
    });
    expect(taken).toEqual(['new.txt', 'plain.txt']);
  });
});
