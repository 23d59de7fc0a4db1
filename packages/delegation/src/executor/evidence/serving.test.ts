import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemRandom, sha256Hex } from '@writ/core';
import { createResultSigner, type Receipt, signReceipt } from '@writ/evidence';
import type { NodeIdentity } from '@writ/identity';
import { NODE_IDS, openTestIdentity } from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEvidenceBench, type EvidenceBench } from '../../testing/evidence-bench.ts';

const NOT_FOUND = expect.objectContaining({ code: 'NOT_FOUND' });
const INVALID = expect.objectContaining({ code: 'EVIDENCE_INVALID' });

let bench: EvidenceBench;
beforeEach(async () => {
  bench = await createEvidenceBench();
});
afterEach(() => bench.close());

async function run(task: string, text: string): Promise<void> {
  await bench.node.executor.submit(bench.foreign(task));
  const started = await bench.runner.runOf(task);
  writeFileSync(join(started.files.dir, 'a.txt'), text);
  started.exit(0);
  expect((await bench.ended(task)).state).toBe('completed');
}

const other = (id: string): Promise<NodeIdentity> =>
  openTestIdentity(id, { dir: join(bench.root, id), clock: bench.clock, random: createSystemRandom() });

describe('what is served of a task', () => {
  const read = (task: string, sha256: string): Promise<Uint8Array> =>
    bench.node.executor.readContent(task, sha256, 0, 100);

  it('is what its result names, and nothing of another task', async () => {
    await run('t1', 'two\n');
    await run('t2', 'three\n');
    const changes = bench.resultOf('t2').changes;
    if (changes.kind !== 'changed') throw new Error('nothing has changed');
    const digests = [changes.bundle.sha256, changes.patch.sha256, bench.node.executor.result('t2')?.sha256 ?? ''];
    for (const sha256 of digests) {
      expect((await read('t2', sha256)).length).toBeGreaterThan(0);
      await expect(read('t1', sha256)).rejects.toEqual(NOT_FOUND);
    }
    const kept = await bench.node.evidence.content.putBytes(Buffer.from('of nobody'));
    await expect(read('t1', kept.sha256)).rejects.toEqual(NOT_FOUND);
    await expect(read('t1', '../../writ.db')).rejects.toEqual(NOT_FOUND);
    await expect(read('none', digests[0] ?? '')).rejects.toEqual(NOT_FOUND);
    expect(() => bench.node.executor.result('none')).toThrow(NOT_FOUND);
  });

  it('is nothing before it is over', async () => {
    await bench.node.executor.submit(bench.foreign('t1'));
    const started = await bench.runner.runOf('t1');
    expect(bench.node.executor.result('t1')).toBeUndefined();
    await expect(read('t1', sha256Hex(''))).rejects.toEqual(NOT_FOUND);
    started.exit(0);
    await bench.ended('t1');
  });

  it('holds the results of what it handed on, and those nested in them', async () => {
    const { node } = bench;
    const signer = createResultSigner({ identity: await other(NODE_IDS.gamma), clock: bench.clock });
    await run('leaf', 'leaf\n');
    const { version: _, node: by, times, ...leaf } = bench.resultOf('leaf');
    const signed = (task: string, children: typeof leaf.children) =>
      signer.sign({ ...leaf, task, times, chain: [NODE_IDS.alpha], children });
    expect(by).toBe(NODE_IDS.beta);
    const { nonce } = leaf;
    const deep = signed('deep', []);
    const child = signed('child', [{ task: 'deep', node: NODE_IDS.gamma, nonce, envelope: deep.sha256 }]);
    await node.executor.submit(bench.foreign('parent'));
    const started = await bench.runner.runOf('parent');
    node.database.withWriteTx((tx) => {
      const { results } = node.evidence;
      const handedOn = { id: 'child', peer: NODE_IDS.gamma, peerLabel: 'gamma', parent: 'parent', session: 's1' };
      const spec = { input: { kind: 'argv', argv: ['true'] } } as const;
      node.mirrors.insert(tx, { ...handedOn, agent: 'tester', idempotencyKey: 'child', spec });
      for (const { sha256, envelope } of [deep, child]) results.putEnvelope(tx, sha256, envelope);
      results.putDelivery(tx, { task: 'child', peer: NODE_IDS.gamma, result: child.sha256, standing: 'pinned' });
    });
    started.exit(0);
    await bench.ended('parent');
    const named = [{ task: 'child', node: NODE_IDS.gamma, nonce, envelope: child.sha256 }];
    expect(bench.resultOf('parent').children).toEqual(named);
    expect(await node.executor.readContent('parent', deep.sha256, 0, 1_000_000)).toEqual(Buffer.from(deep.envelope));
    expect((await read('parent', child.sha256)).length).toBe(100);
    await expect(read('leaf', deep.sha256)).rejects.toEqual(NOT_FOUND);
  });
});

describe('a receipt', () => {
  const receiptAudits = (): number =>
    bench.node.database.auditTail(100).filter(({ action }) => action === 'task.result-received').length;
  const signed = (by: NodeIdentity, more: Partial<Receipt> = {}): Uint8Array => {
    const result = bench.node.executor.result('t1')?.sha256 ?? '';
    return signReceipt(by, { task: 't1', result, receivedAtMs: bench.clock.nowMs(), ...more });
  };
  beforeEach(() => run('t1', 'two\n'));

  it('of the sender is stored with its audit row, once', () => {
    const { executor } = bench.node;
    expect(executor.result('t1')?.receiptAtMs).toBeUndefined();
    executor.acknowledge('t1', signed(bench.alpha));
    const atMs = bench.clock.nowMs();
    bench.clock.advance(1000);
    executor.acknowledge('t1', signed(bench.alpha));
    expect(executor.result('t1')?.receiptAtMs).toBe(atMs);
    expect(receiptAudits()).toBe(1);
  });

  it('of somebody else, for another task or another result is refused', async () => {
    const { executor } = bench.node;
    await run('t2', 'three\n');
    const result = executor.result('t2')?.sha256 ?? '';
    const bad = [
      signed(await other(NODE_IDS.gamma)),
      signed(bench.node.identity),
      signed(bench.alpha, { task: 't2' }),
      signed(bench.alpha, { task: 't2', result }),
      signed(bench.alpha, { result }),
      Buffer.from('{}'),
    ];
    for (const receipt of bad) expect(() => executor.acknowledge('t1', receipt)).toThrow(INVALID);
    expect(() => executor.acknowledge('none', signed(bench.alpha))).toThrow(NOT_FOUND);
    expect([executor.result('t1')?.receiptAtMs, receiptAudits()]).toEqual([undefined, 0]);
  });
});
