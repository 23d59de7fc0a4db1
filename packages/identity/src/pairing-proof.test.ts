import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSameMac, type PairingTranscript, pairingKey, pairingMac } from './pairing-proof.ts';
import { identityWords, shortWords } from './short-words.ts';
import { createTestNodes, type TestNodes } from './testing/nodes.ts';

describe('the proofs and words of a pairing', () => {
  let nodes: TestNodes;
  let transcript: PairingTranscript;
  beforeAll(async () => {
    nodes = await createTestNodes(3);
    const [a, b] = nodes.nodes.map((node) => node.identity.public);
    if (!a || !b) throw new Error('no nodes');
    transcript = {
      invite: randomUUID(),
      inviter: { ...a, nonce: randomBytes(32) },
      joiner: { ...b, nonce: randomBytes(32), label: 'laptop', address: 'laptop:1' },
    };
  });
  afterAll(() => nodes.remove());
  const key = pairingKey(randomBytes(16));

  /** The transcript with each of its fields changed, one at a time. */
  const altered = (): readonly PairingTranscript[] => {
    const other = nodes.nodes[2]?.identity.public;
    if (!other) throw new Error('no node');
    const { invite, inviter, joiner } = transcript;
    return [
      { invite: randomUUID(), inviter, joiner },
      { invite, inviter: { ...inviter, id: other.id }, joiner },
      { invite, inviter: { ...inviter, certificatePem: other.certificatePem }, joiner },
      { invite, inviter: { ...inviter, nonce: randomBytes(32) }, joiner },
      { invite, inviter, joiner: { ...joiner, id: other.id } },
      { invite, inviter, joiner: { ...joiner, certificatePem: other.certificatePem } },
      { invite, inviter, joiner: { ...joiner, nonce: randomBytes(32) } },
      { invite, inviter, joiner: { ...joiner, label: 'laptop2' } },
      { invite, inviter, joiner: { ...joiner, address: 'laptop:2' } },
      { invite, inviter, joiner: { ...joiner, label: 'laptopl', address: 'aptop:1' } },
      { invite, inviter: joiner, joiner: { ...joiner, ...inviter } },
    ];
  };

  it('fit only the same key, role and transcript', () => {
    const mac = pairingMac(key, 'joiner', transcript);
    expect(isSameMac(mac, pairingMac(key, 'joiner', structuredClone(transcript)))).toBe(true);
    expect(isSameMac(mac, pairingMac(key, 'inviter', transcript))).toBe(false);
    expect(isSameMac(mac, pairingMac(pairingKey(randomBytes(16)), 'joiner', transcript))).toBe(false);
    for (const other of altered()) expect(isSameMac(mac, pairingMac(key, 'joiner', other))).toBe(false);
    expect(isSameMac(mac, mac.subarray(1))).toBe(false);
    expect(isSameMac(mac, new Uint8Array())).toBe(false);
  });

  it('give the same words to both ends, and other words for any other transcript', () => {
    const words = shortWords(transcript);
    expect(words).toMatch(/^[a-z]{4}(-[a-z]{4}){3}$/);
    expect(shortWords(structuredClone(transcript))).toBe(words);
    const all = altered().map(shortWords);
    expect(all).not.toContain(words);
    expect(new Set(all).size).toBe(all.length);
  });

  it('give each identity words of its own', () => {
    const ids = Array.from({ length: 2000 }, (_, i) => identityWords(`wn-${i}`));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids.flatMap((words) => words.split('-'))).size).toBeGreaterThan(3000);
  });
});
