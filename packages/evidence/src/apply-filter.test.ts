import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyResult } from './apply.ts';
import { collectEvidence } from './collect.ts';
import type { Result } from './result-schema.ts';
import { BUNDLE_LIMITS, createFixture, type Fixture, TASK } from './testing/fixture.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';
import type { Changes } from './types.ts';

type Changed = Extract<Changes, { kind: 'changed' }>;
const BRANCH = `writ/${TASK}`;

let f: Fixture;
let nodes: EvidenceNodes;
beforeAll(async () => {
  nodes = await createEvidenceNodes(2);
});
afterAll(() => nodes.remove());
beforeEach(() => {
  f = createFixture();
  f.write(f.owner, { '.gitattributes': '*.bin filter=lfs\n', 'x.bin': 'pointer\n', 'a.txt': 'a\n' });
  f.commit(f.owner);
  f.clone();
  // As `git lfs install` does, for everything that the owner has; the task has no such program.
  f.git(f.owner, 'config', '--global', 'filter.lfs.clean', 'echo pointer; cat >/dev/null');
  f.git(f.owner, 'config', '--global', 'filter.lfs.smudge', 'echo real content; cat >/dev/null');
  f.write(f.owner, { 'x.bin': 'real content\n' });
  utimesSync(join(f.owner, 'x.bin'), 1_600_000_000, 1_600_000_000);
  f.git(f.owner, 'add', 'x.bin');
});
afterEach(() => f.remove());

/** What a task has done. */
async function done(
  files: Readonly<Record<string, string>>,
): Promise<(checkout: boolean) => ReturnType<typeof applyResult>> {
  f.write(f.work, files);
  const changes = (await collectEvidence(f.request(f.git(f.owner, 'rev-parse', 'HEAD')))) as Changed;
  const { result } = nodes.sign(nodes.nodes, { task: TASK, changes: changes as Result['changes'] });
  const bundleFile = await f.store.pathOf(changes.bundle.sha256);
  const about = { ...f.gitWork, guard: f.guard, result, bundleFile, repository: f.owner, limits: BUNDLE_LIMITS };
  return (checkout) => applyResult({ ...about, check: false, checkout });
}

describe('a repository whose files go through a program that its owner has configured for all', () => {
  it('is not switched where one of them would be written, whichever attributes say so', async () => {
    for (const attributes of ['*.bin filter=lfs\n', '*.bin filter=lfs\n*.new filter=other\n']) {
      const isOther = attributes.includes('other');
      const name = isOther ? 'b.new' : 'x.bin';
      const apply = await done({
        'x.bin': isOther ? 'pointer\n' : 'another pointer\n',
        [name]: 'pointer two\n',
        '.gitattributes': attributes,
      });
      await expect(apply(true)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(
          `puts \`${name}\` through a program (filter \`${isOther ? 'other' : 'lfs'}\`)`,
        ),
        nextSteps: [expect.stringContaining('git switch'), expect.anything()],
      });
      expect(f.git(f.owner, 'branch', '--list', BRANCH)).toBe('');
      expect(readFileSync(join(f.owner, 'x.bin'), 'utf8')).toBe('real content\n');
    }
  });

  it('is not switched where the repository’s own attributes say so', async () => {
    const apply = await done({ 'a.txt': 'changed\n' });
    f.write(f.owner, { '.git/info/attributes': '*.txt filter=mine\n' });
    await expect(apply(true)).rejects.toMatchObject({ message: expect.stringContaining('filter `mine`') });
  });

  it('is switched where none of them is written, and where one goes', async () => {
    const apply = await done({ 'a.txt': 'changed\n' });
    expect(await apply(true)).toMatchObject({ kind: 'applied', checkedOut: true });
    expect(readFileSync(join(f.owner, 'a.txt'), 'utf8')).toBe('changed\n');
    expect(readFileSync(join(f.owner, 'x.bin'), 'utf8')).toBe('real content\n');
    expect(f.git(f.owner, 'status', '--porcelain')).toBe('');
  });

  it('is told to have git look where it has not since such a file was written', async () => {
    const apply = await done({ 'a.txt': 'changed\n' });
    utimesSync(join(f.owner, 'x.bin'), 1_700_000_000, 1_700_000_000);
    await expect(apply(true)).rejects.toMatchObject({
      code: 'CONFLICT',
      nextSteps: [expect.stringContaining('git status'), expect.anything()],
    });
    f.git(f.owner, 'status');
    expect(await apply(true)).toMatchObject({ kind: 'applied', checkedOut: true });
  });
});
