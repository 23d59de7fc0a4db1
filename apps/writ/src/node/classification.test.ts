import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '@writ/core';
import { createPolicyEngine } from '@writ/policy';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installedGrammar } from '../testing/installed-grammar.ts';
import { createNodeClassifier, type NodeClassifier, placeOf, toolClassifier } from './classification.ts';

const TEXT = 'schema = 1\n[node]\nname = "box"\n[workspaces.app]\npath = "."\n';

let dir: string;
let classifier: NodeClassifier;
beforeAll(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'writ-place-')));
  symlinkSync('/etc', join(dir, 'out'));
  const engine = createPolicyEngine({ text: TEXT, clock: createSystemClock(), selfId: 'wn-self' });
  classifier = createNodeClassifier(engine, await installedGrammar());
});
afterAll(() => rmSync(dir, { recursive: true }));

it('is where the directory leads, and in no workspace', () => {
  expect(placeOf({ cwd: dir })).toEqual({ host: 'self', cwd: dir });
  expect(placeOf({ cwd: join(dir, 'out') })).toEqual({ host: 'self', cwd: '/etc' });
  expect(placeOf({ cwd: join(dir, 'none') })).toEqual({ host: 'self', cwd: join(dir, 'none') });
});

it.each([
  // In the root of a workspace `out` may lead to the settings of the machine, and nothing holds what writes there.
  { argv: ['tee', 'out/passwd'] },
  { argv: ['cp', 'a', 'out/passwd'] },
  { argv: ['git', 'switch', 'main'] },
  { argv: ['sh', '-c', 'echo a > out/passwd'] },
])('writes outside of a workspace, wherever it runs: $argv', ({ argv }) => {
  expect(classifier.classify(argv, placeOf({ cwd: dir }))).toMatchObject({ class: 'destructive' });
  expect(toolClassifier(classifier)(argv, dir)).toMatchObject({ class: 'destructive' });
});

it('says why where nobody can tell what a tool call does, and nothing of that kind where somebody can', () => {
  const tools = toolClassifier(classifier);
  expect(tools(['sh', '-c', '"$X"'], dir).undecided).toEqual(expect.any(String));
  expect(tools(['ls'], dir)).not.toHaveProperty('undecided');
});
