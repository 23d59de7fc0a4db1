import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signReceipt, verifyReceipt } from './receipt.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';

const INVALID = expect.objectContaining({ code: 'EVIDENCE_INVALID' });

let bench: EvidenceNodes;
beforeAll(async () => {
  bench = await createEvidenceNodes(2);
});
afterAll(() => bench.remove());

function receiptOf(node = 0) {
  const identity = bench.nodes[node];
  if (!identity) throw new Error('no such node');
  const receipt = { task: 'task-1', result: 'a'.repeat(64), receivedAtMs: bench.clock.nowMs() };
  return { identity, receipt, envelope: signReceipt(identity, receipt) };
}

describe('a receipt', () => {
  it('says who signed it for which result', () => {
    const { identity, receipt, envelope } = receiptOf();
    expect(verifyReceipt(envelope, bench.clock.nowMs())).toEqual({ signer: identity.public.id, receipt });
  });

  it('is refused with any one bit flipped', () => {
    const { envelope } = receiptOf();
    for (let at = 0; at < envelope.length; at += 7) {
      const flipped = Uint8Array.from(envelope);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      expect(() => verifyReceipt(flipped, bench.clock.nowMs())).toThrow(INVALID);
    }
  });

  it('is no result, and a result is no receipt', () => {
    const [node] = bench.nodes;
    const { envelope } = bench.sign(node ? [node] : []);
    expect(() => verifyReceipt(envelope, bench.clock.nowMs())).toThrow('it is none');
  });

  it('is worth nothing under the name of another node', () => {
    const mine = JSON.parse(Buffer.from(receiptOf(0).envelope).toString());
    const other = JSON.parse(Buffer.from(receiptOf(1).envelope).toString());
    mine.signatures[0].keyid = other.signatures[0].keyid;
    const forged = Buffer.from(JSON.stringify(mine));
    expect(() => verifyReceipt(forged, bench.clock.nowMs())).toThrow(INVALID);
  });
});
