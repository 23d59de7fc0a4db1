import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWritError } from '@writ/core';
import { createWitness, fingerprint, HOSTILE_REPOSITORIES, ownersState, type Witness } from '@writ/testkit/hostile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from '../testing/harness.ts';
import { makeRepository, ownersGit } from '../testing/repository.ts';

let harness: Harness;
let witness: Witness;
let good: string;
beforeAll(async () => {
  harness = await createHarness({
    storage: {
      rules: () => ({ failedMs: 1, orphanedMs: 1, budgetBytes: 1024 ** 3 }),
      isTimeBelieved: () => true,
      ready: () => 1,
    },
  });
  witness = createWitness(harness.folder, '/usr/local/bin:/usr/bin:/bin');
  good = join(harness.folder, 'good');
  mkdirSync(join(good, 'folder'), { recursive: true });
  writeFileSync(join(good, 'folder', 'inner.txt'), 'i\n');
  makeRepository(good, { 'plain.txt': 'one\n' });
});
afterAll(async () => {
  await harness.runner.close();
  expect(await harness.leftovers()).toEqual([]);
  await harness.close();
});

/** Clones it and looks at the clone; undefined where it is refused. */
async function headOf(path: string): Promise<string | undefined> {
  try {
    const argv = ['git', 'rev-parse', 'HEAD'];
    const { stdout } = await harness.run(argv, { workspace: { name: 'app', path } });
    return stdout.trim();
  } catch (error) {
    expect(isWritError(error) ? error.code : String(error)).toBe('GIT_FAILED');
    return undefined;
  }
}

/** `all`: each of them twice, so that one of those is taken that are made ahead; else that is done for every third. */
const isWhole = process.env.WRIT_TEST_HOSTILE === 'all';

describe('a workspace that is a repository of a hostile owner’s runs nothing and reaches nothing', () => {
  it.each(HOSTILE_REPOSITORIES.map((one, at) => [one.name, one, at] as const))('with %s', async (_, { plant }, at) => {
    const path = join(harness.folder, `hostile-${at}`);
    cpSync(good, path, { recursive: true });
    plant(witness.ground(path));
    const outside = fingerprint(witness.outside);
    const before = ownersState(path);
    const first = await headOf(path);
    // Where it could be cloned, this one is of those that are made ahead, and the same.
    if (isWhole || at % 3 === 0) expect(await headOf(path)).toBe(first);
    expect(witness.marks()).toEqual([]);
    expect(fingerprint(witness.outside)).toBe(outside);
    expect(ownersState(path)).toBe(before);
  });
});

describe('a clone that stands ready', () => {
  it('is poisoned by nothing that its source becomes', async () => {
    const path = join(harness.folder, 'changing');
    cpSync(good, path, { recursive: true });
    const head = ownersGit(path, 'rev-parse', 'HEAD');
    expect(await headOf(path)).toBe(head);
    for (const { name, plant } of HOSTILE_REPOSITORIES.filter((one) => /^(hooks|filters|included)/.test(one.name))) {
      plant(witness.ground(path));
      const found = await harness.run(['sh', '-c', 'git config --local --list; ls -A .git/hooks 2>/dev/null; true'], {
        workspace: { name: 'app', path },
      });
      expect(found.stdout, name).not.toMatch(/evil|hook|include|fsmonitor/);
      expect(witness.marks()).toEqual([]);
    }
  });
});
