import { sha256Hex } from '@writ/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createResultReader } from './result-reader.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';

let nodes: EvidenceNodes;
let envelopes: readonly Uint8Array[];
beforeAll(async () => {
  nodes = await createEvidenceNodes(2);
  envelopes = [nodes.nodes, [...nodes.nodes].reverse()].map((signers) => nodes.sign(signers).envelope);
});
afterAll(() => nodes.remove());

it('reads an envelope once for as long as it is among the last', () => {
  const [one = new Uint8Array(), other = new Uint8Array()] = envelopes;
  const read = createResultReader(Math.max(one.length, other.length));
  const result = read('a', one);
  expect(read('a', Buffer.from(one))).toBe(result);
  read('b', other);
  // That took its place.
  expect(read('a', one)).not.toBe(result);
  expect(read('a', one)).toEqual(result);
});

it('takes no envelope for another one, whatever it is called', () => {
  const [one = new Uint8Array()] = envelopes;
  const read = createResultReader();
  read(sha256Hex(one), one);
  const flipped = Buffer.from(one);
  flipped.writeUInt8(flipped.readUInt8(flipped.length >> 1) ^ 1, flipped.length >> 1);
  expect(() => expect(read(sha256Hex(one), flipped)).toEqual(read(sha256Hex(one), one))).toThrow();
});
