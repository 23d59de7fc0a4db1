import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { parseNodeId } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, nodeIdFromFingerprint, nodeIdOf } from './node-id.ts';

const newId = (): string => nodeIdFromFingerprint(randomBytes(20));

describe('a node id', () => {
  it('is made from the key alone, lower case, with the prefix and a checksum', () => {
    const spki = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' });
    expect(nodeIdOf(spki)).toMatch(/^wn-[a-z2-7]{36}$/);
    expect(nodeIdOf(spki)).toBe(nodeIdOf(Buffer.from(spki)));
  });

  it('is read in any letter case and kept in lower case', () => {
    const id = newId();
    expect(parseNodeId(id)).toBe(id);
    expect(parseNodeId(id.toUpperCase())).toBe(id);
    expect(parseNodeId(`WN-${id.slice(3)}`)).toBe(id);
    expect(nodeIdFromFingerprint(fingerprintOf(id))).toBe(id);
  });

  it('is refused with any one character changed, left out, doubled or swapped with its neighbour', () => {
    const id = newId();
    let refused = 0;
    let tried = 0;
    for (let i = 3; i < id.length; i++) {
      const swapped = `${id.slice(0, i)}${id[i + 1] ?? ''}${id[i]}${id.slice(i + 2)}`;
      const wrongs = [
        `${id.slice(0, i)}${id[i] === 'a' ? 'b' : 'a'}${id.slice(i + 1)}`,
        `${id.slice(0, i)}${id.slice(i + 1)}`,
        `${id.slice(0, i)}${id[i]}${id.slice(i)}`,
        swapped === id ? 'x' : swapped,
      ];
      for (const wrong of wrongs) {
        tried++;
        if (parseNodeId(wrong) === undefined) refused++;
      }
    }
    // A checksum of twenty bits lets one in a million through.
    expect(refused).toBeGreaterThanOrEqual(tried - 1);
  });

  it.each([
    '',
    'wn-',
    'laptop',
    ' ',
    `${newId()} `,
    ` ${newId()}`,
    `${newId()}\n`,
    newId().replace('wn-', 'wm-'),
    newId().replace(/^(...)./, '$1\u212A'),
    'x'.repeat(65_536),
  ])('is not %j', (text) => expect(parseNodeId(text)).toBeUndefined());
});
