import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signReceipt } from './receipt.ts';
import { signSessionEnd, verifySessionEnd } from './session-end.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';

const INVALID = expect.objectContaining({ code: 'EVIDENCE_INVALID' });

let bench: EvidenceNodes;
beforeAll(async () => {
  bench = await createEvidenceNodes(2);
});
afterAll(() => bench.remove());

function identityOf(node: number) {
  const identity = bench.nodes[node];
  if (!identity) throw new Error('no such node');
  return identity;
}

describe('the signed end of a session', () => {
  it('names the session, and its signer is where that began', () => {
    const envelope = signSessionEnd(identityOf(0), { session: 's1', agent: 'agent' });
    expect(verifySessionEnd(envelope, bench.clock.nowMs())).toEqual({
      ...{ origin: identityOf(0).public.id, session: 's1', agent: 'agent' },
    });
  });

  it('is refused with any one bit flipped, as something else, under another name, and with a blank in it', () => {
    const envelope = signSessionEnd(identityOf(0), { session: 's1', agent: 'agent' });
    for (let at = 0; at < envelope.length; at += 7) {
      const flipped = Uint8Array.from(envelope);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      expect(() => verifySessionEnd(flipped, bench.clock.nowMs())).toThrow(INVALID);
    }
    const receipt = signReceipt(identityOf(0), { task: 't', result: 'a'.repeat(64), receivedAtMs: 1 });
    expect(() => verifySessionEnd(receipt, bench.clock.nowMs())).toThrow('it is none');
    const mine = JSON.parse(Buffer.from(envelope).toString());
    mine.signatures[0].keyid = identityOf(1).public.id;
    expect(() => verifySessionEnd(Buffer.from(JSON.stringify(mine)), bench.clock.nowMs())).toThrow(INVALID);
    for (const session of ['', 'a b', 'x'.repeat(257)]) {
      const blank = signSessionEnd(identityOf(0), { session, agent: 'agent' });
      expect(() => verifySessionEnd(blank, bench.clock.nowMs())).toThrow('names no session');
    }
  });
});
