import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../../../test/support/require.ts';
import { createWitness } from './ground.ts';
import { HOSTILE_REPOSITORIES } from './index.ts';

/** A corpus whose programs never could run would prove nothing. */
describeWith(['git'], 'what a hostile repository names', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'writ-corpus-'));
    const dir = join(root, 'template', 'repository');
    const ground = createWitness(join(root, 'template'), process.env.PATH ?? '').ground(dir);
    ground.write({ 'plain.txt': 'one\n', 'folder/inner.txt': 'i\n' });
    ground.git('init', '--quiet', '--initial-branch=main');
    ground.commit();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const tempting = HOSTILE_REPOSITORIES.flatMap(({ tempt, ...one }) =>
    tempt === undefined ? [] : [{ ...one, tempt }],
  );
  it.each(tempting)('runs under plain git: $name', ({ name, plant, tempt, unproved = [] }) => {
    const own = join(root, name.replaceAll(/[^a-z]/g, '-'));
    const dir = join(own, 'repository');
    // With what lies outside, which is the same for all.
    cpSync(join(root, 'template'), own, { recursive: true });
    const witness = createWitness(own, process.env.PATH ?? '');
    plant(witness.ground(dir));
    expect(witness.marks()).toEqual([]);
    witness.tempt(dir, tempt);
    const wanted = witness.planted().filter((planted) => !unproved.includes(planted));
    expect(wanted.filter((planted) => !witness.marks().includes(planted))).toEqual([]);
    expect(wanted).not.toEqual([]);
  });
});
