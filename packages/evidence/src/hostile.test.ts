import { cpSync, lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { isWritError } from '@writ/core';
import {
  createWitness,
  fingerprint,
  HOSTILE_REPOSITORIES,
  type HostileRepository,
  ownersState,
  type Witness,
} from '@writ/testkit/hostile';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Applied, applyResult } from './apply.ts';
import { collectEvidence } from './collect.ts';
import type { Result } from './result-schema.ts';
import { receiveShipped, shipWorkingTree } from './ship.ts';
import { shipTaskFiles } from './ship-task.ts';
import { BUNDLE_LIMITS, createFixture, type Fixture, LIMITS, NODE_ID, TASK } from './testing/fixture.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';
import type { Changes } from './types.ts';
import { verifyEnvelope } from './verify.ts';

type Changed = Extract<Changes, { kind: 'changed' }>;

/** What may be said of a repository that is refused. */
const REFUSED = ['BAD_REQUEST', 'CONFLICT', 'EVIDENCE_FAILED', 'EVIDENCE_INVALID', 'GIT_FAILED'];

let nodes: EvidenceNodes;
let f: Fixture;
let witness: Witness;
let base: string;
/** A repository of the owner's that is hostile, and a clone of the good one in which a task has made it so. */
let hostile: string;
/** A result that is as it should be. */
let good: Changed;
let template: Fixture;
beforeAll(async () => {
  nodes = await createEvidenceNodes(2);
  template = createFixture();
  template.write(template.owner, { 'plain.txt': 'one\n', 'folder/inner.txt': 'i\n' });
  base = template.commit(template.owner);
  template.clone();
  cpSync(template.owner, join(template.root, 'hostile'), { recursive: true });
  createWitness(template.root, process.env.PATH ?? '');
  template.clone('done');
  template.write(join(template.root, 'done'), { 'new.txt': 'n\n' });
  good = (await collectEvidence(template.request(base, { workspaceDir: join(template.root, 'done') }))) as Changed;
});
afterAll(() => {
  nodes.remove();
  template.remove();
});
beforeEach(() => {
  f = createFixture({ from: template });
  witness = createWitness(f.root, process.env.PATH ?? '');
  hostile = join(f.root, 'hostile');
});
afterEach(() => f.remove());

/** What a step comes to; undefined where it is refused, which has to be by one of the codes for that. */
async function orRefused<T>(step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    expect(isWritError(error) ? REFUSED : [], String(error)).toContain(isWritError(error) ? error.code : '');
    return undefined;
  }
}

async function apply(changes: Changed, repository: string): Promise<Applied> {
  const signed = nodes.sign(nodes.nodes, { changes: changes as Result['changes'] });
  const [origin, executor] = nodes.nodes;
  if (origin === undefined || executor === undefined) throw new Error('there are two nodes');
  const { result } = verifyEnvelope({
    envelope: signed.envelope,
    expected: { task: 'task-1', nonce: '1'.repeat(32) },
    trust: nodes.trust(origin, executor),
    nowMs: nodes.clock.nowMs(),
  });
  const bundleFile = await f.store.pathOf(changes.bundle.sha256);
  return applyResult({
    ...f.gitWork,
    guard: f.guard,
    result,
    bundleFile,
    repository,
    check: false,
    checkout: false,
    limits: BUNDLE_LIMITS,
  });
}

/** What git itself lets into no repository: a branch cannot be made of it. */
const REFUSED_BY_GIT = ['submodules'];
/** A file of the base that the task changes, whatever it plants, and one that it adds. */
const [TRACKED, ADDED] = ['folder/inner.txt', 'witness.txt'];

/** Collecting, verifying, applying what a task has made of its clone, and sending it along. */
async function fromTask({ name, plant }: HostileRepository, isSentAlong: boolean): Promise<void> {
  plant(witness.ground(f.work));
  f.write(f.work, { [ADDED]: 'seen\n' });
  if (lstatSync(join(f.work, 'folder'), { throwIfNoEntry: false })?.isDirectory())
    f.write(f.work, { [TRACKED]: 'seen\n' });
  const changes = await orRefused(collectEvidence(f.request(base)));
  // Whatever it says about itself, the change is seen, or nothing is claimed.
  expect(changes?.kind).not.toBe('none');
  if (isSentAlong) await orRefused(shipTaskFiles({ ...f.request(base), base, platform: process.platform }));
  if (changes?.kind !== 'changed') return;
  const paths = changes.files.map(({ path }) => path);
  expect([ADDED, TRACKED].filter((path) => paths.includes(path))).not.toEqual([]);
  const applied = await orRefused(apply(changes, f.owner));
  expect(applied?.kind).toBe(REFUSED_BY_GIT.includes(name) ? undefined : 'applied');
}

/** Applying a good result to a hostile repository of the owner's, and sending its working tree along. */
async function fromOwner({ plant }: HostileRepository): Promise<void> {
  plant(witness.ground(hostile));
  const before = ownersState(hostile);
  await orRefused(apply(good, hostile));
  const shipping = {
    repository: hostile,
    peerHas: [base],
    nodeId: NODE_ID,
    task: TASK,
    store: f.store,
    limits: LIMITS,
  };
  const shipped = await orRefused(shipWorkingTree({ ...f.gitWork, guard: f.guard, ...shipping }));
  expect(ownersState(hostile)).toBe(before);
  if (shipped?.bundle === undefined) return;
  const { commit, bundle } = shipped;
  const bundleFile = await f.store.pathOf(bundle.sha256);
  const receiving = { bundleFile, repository: f.owner, commit, sha256: bundle.sha256, limits: BUNDLE_LIMITS };
  const received = await orRefused(receiveShipped({ ...f.gitWork, ...receiving }));
  await received?.remove();
}

/** `all`: each repository on every path; else each on every other, so that both together are short. */
const isWhole = process.env.WRIT_TEST_HOSTILE === 'all';

describe('a repository of a task’s or of an owner’s runs nothing, reaches nothing and hides nothing', () => {
  it.each(HOSTILE_REPOSITORIES.map((one, at) => [one.name, one, at] as const))('with %s', async (_, repository, at) => {
    const outside = fingerprint(witness.outside);
    const owner = ownersState(f.owner);
    if (isWhole || at % 2 === 0) await fromTask(repository, isWhole || at % 4 === 0);
    expect(witness.marks()).toEqual([]);
    if (isWhole || at % 2 === 1) await fromOwner(repository);
    expect(witness.marks()).toEqual([]);
    expect(fingerprint(witness.outside)).toBe(outside);
    expect(ownersState(f.owner)).toBe(owner);
  });
});

describe('the corpus', () => {
  it('leaves marks where git is let run in it', () => {
    const found = HOSTILE_REPOSITORIES.filter(({ name }) => /^(hooks|file system monitor|filters)$/.test(name));
    for (const { plant } of found) {
      renameSync(hostile, `${hostile}-before`);
      cpSync(f.owner, hostile, { recursive: true });
      plant(witness.ground(hostile));
      f.write(hostile, { 'plain.txt': 'changed\n', 'x.evil': 'y\n' });
      f.git(hostile, 'add', '--all');
      f.git(hostile, 'commit', '--quiet', '--no-verify', '-m', 'x');
      renameSync(hostile, `${hostile}-${witness.marks().length}`);
      renameSync(`${hostile}-before`, hostile);
    }
    for (const mark of ['hook-post-commit', 'fsmonitor', 'clean']) expect(witness.marks()).toContain(mark);
  });
});
