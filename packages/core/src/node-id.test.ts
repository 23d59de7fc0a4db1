import { describe, expect, it } from 'vitest';
import { foldId, nodeIdFromBase32, parseNodeId } from './node-id.ts';

const ID = nodeIdFromBase32('abcdefghijklmnopqrstuvwxyz234567');

describe('a node id', () => {
  it('is a prefix, a fingerprint and the first twenty bits of a hash of both', () => {
    // SHA-256 of `wn-abcdefghijklmnopqrstuvwxyz234567`, whose base 32 begins with these four.
    expect(ID).toBe('wn-abcdefghijklmnopqrstuvwxyz234567eq7c');
    expect(parseNodeId(ID)).toBe(ID);
    expect(parseNodeId(ID.toUpperCase())).toBe(ID);
  });

  it('is refused with a wrong checksum, a wrong length or a look-alike letter', () => {
    const other = ID.endsWith('a') ? 'b' : 'a';
    for (const wrong of [`${ID.slice(0, -1)}${other}`, ID.slice(0, -1), `${ID}a`, ID.replace('k', '\u212a'), '']) {
      expect(parseNodeId(wrong)).toBeUndefined();
    }
  });

  it('is folded in ASCII only', () => {
    expect(foldId('WN-AbC\u212a')).toBe('wn-abc\u212a');
  });
});
