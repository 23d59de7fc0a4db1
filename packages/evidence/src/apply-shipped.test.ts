import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApplyRequest, applyResult } from './apply.ts';
import { collectEvidence } from './collect.ts';
import type { Result } from './result-schema.ts';
import { receiveShipped, type Shipment, shipWorkingTree } from './ship.ts';
import { BUNDLE_LIMITS, createFixture, type Fixture, LIMITS, NODE_ID, TASK } from './testing/fixture.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';
import type { Changes } from './types.ts';

const BRANCH = `writ/${TASK}`;

describe('applying a result of work on a working tree that was sent along', () => {
  let f: Fixture;
  let nodes: EvidenceNodes;
  let base: string;
  let shipment: Shipment;
  let changes: Extract<Changes, { kind: 'changed' }>;
  beforeEach(async () => {
    f = createFixture();
    nodes = await createEvidenceNodes(2);
    f.write(f.owner, { 'a.txt': 'one\n' });
    base = f.commit(f.owner);
    const peer = join(f.root, 'peer');
    f.git(f.root, 'clone', '--quiet', '--no-hardlinks', f.owner, peer);
    f.write(f.owner, { 'a.txt': 'draft\n', 'b.txt': 'new\n' });
    const { store, gitWork } = f;
    const about = { nodeId: NODE_ID, task: TASK, store, limits: LIMITS };
    shipment = await shipWorkingTree({ ...gitWork, guard: f.guard, ...about, repository: f.owner, peerHas: [base] });
    const { commit } = shipment;
    const bundleFile = await sentFile();
    const received = await receiveShipped({ ...gitWork, bundleFile, repository: peer, commit, limits: BUNDLE_LIMITS });
    f.git(f.root, 'clone', '--quiet', '--no-local', '--no-checkout', received.repository, f.work);
    f.git(f.work, 'fetch', '--quiet', 'origin', received.ref);
    f.git(f.work, 'checkout', '--quiet', '--detach', commit);
    f.write(f.work, { 'a.txt': 'final\n' });
    changes = (await collectEvidence(f.request(commit, { baseRepository: received.repository }))) as typeof changes;
    await received.remove();
  });
  afterEach(() => {
    f.remove();
    nodes.remove();
  });

  const sentFile = (): Promise<string> => f.store.pathOf(shipment.bundle?.sha256 ?? '');
  const sent = async (more = {}) => ({
    commit: shipment.commit,
    bundle: { bundleFile: await sentFile(), sha256: shipment.bundle?.sha256 ?? '' },
    ...more,
  });
  const apply = async (more: Partial<ApplyRequest> = {}) =>
    applyResult({
      ...f.gitWork,
      guard: f.guard,
      result: nodes.sign(nodes.nodes, { task: TASK, changes: changes as Result['changes'] }).result,
      bundleFile: await f.store.pathOf(changes.bundle.sha256),
      repository: f.owner,
      check: false,
      checkout: false,
      limits: BUNDLE_LIMITS,
      ...more,
    });

  it('makes a branch of what was sent and what became of it, and leaves the working tree alone', async () => {
    expect(await apply({ shipped: await sent(), check: true })).toMatchObject({
      kind: 'checked',
      fit: { kind: 'ahead' },
    });
    expect(() => f.git(f.owner, 'cat-file', '-e', shipment.commit)).toThrow();
    expect(await apply({ shipped: await sent() })).toMatchObject({ kind: 'applied', base: shipment.commit });
    expect(f.git(f.owner, 'rev-parse', BRANCH, `${BRANCH}~1`, `${BRANCH}~2`)).toBe(
      [changes.head, shipment.commit, base].join('\n'),
    );
    expect(f.git(f.owner, 'show', `${BRANCH}:a.txt`, `${BRANCH}:b.txt`)).toBe('final\nnew');
    expect(readFileSync(join(f.owner, 'a.txt'), 'utf8')).toBe('draft\n');
    f.git(f.owner, 'fsck', '--strict');
    expect(readdirSync(f.gitWork.gitDirRoot)).toEqual([]);
    // Now the repository holds it, and what was sent is needed no more.
    expect(await apply()).toMatchObject({ kind: 'present' });
  });

  it('refuses where what was sent is not here, is of another commit, or is another bundle', async () => {
    await expect(apply()).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(apply({ shipped: await sent({ commit: base }) })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(apply({ shipped: { commit: shipment.commit } })).rejects.toMatchObject({ code: 'CONFLICT' });
    const bundle = { bundleFile: await sentFile(), sha256: '0'.repeat(64) };
    await expect(apply({ shipped: await sent({ bundle }) })).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
    expect(f.git(f.owner, 'branch', '--list', BRANCH)).toBe('');
    expect(readdirSync(f.gitWork.gitDirRoot)).toEqual([]);
  });
});
