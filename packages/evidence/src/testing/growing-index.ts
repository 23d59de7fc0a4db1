import { createHash } from 'node:crypto';

/**
 * An index of version 4 whose names grow by one letter from entry to entry, up to `longest` letters, and then are as long as
 * the one before: each takes some 65 bytes, whatever its length.
 */
export function growingIndex(longest: number, count = longest): Buffer {
  const head = Buffer.alloc(12);
  head.write('DIRC');
  head.writeUInt32BE(4, 4);
  head.writeUInt32BE(count, 8);
  const entries = Array.from({ length: count }, (_, at) => {
    const entry = Buffer.alloc(62);
    entry.writeUInt32BE(0o100644, 24);
    entry.fill(1, 40, 60);
    const isLonger = at < longest;
    entry.writeUInt16BE(Math.min(isLonger ? at + 1 : longest, 0xfff), 60);
    return Buffer.concat([entry, Buffer.from(isLonger ? '\0a\0' : '\x01a\0', 'latin1')]);
  });
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}
