import { inflate } from 'node:zlib';
import { type Clock, WritError } from '@writ/core';
import type { BundleLimits } from './types.ts';

const HEADER_BYTES = 12;
const OFFSET_DELTA = 6;
const REF_DELTA = 7;
/** Types of objects in a pack: commit, tree, blob, tag and the two deltas. */
const TYPES = [1, 2, 3, 4, OFFSET_DELTA, REF_DELTA];

/**
 * Looks through a pack before git does: how many objects, how large each and all together would become. Git itself would
 * unpack a bomb first and count afterwards. Throws EVIDENCE_INVALID.
 */
export async function scanPack(pack: Buffer, hashBytes: 20 | 32, limits: BundleLimits, clock: Clock): Promise<void> {
  const untilMs = clock.monotonicMs() + limits.timeoutMs;
  if (pack.length < HEADER_BYTES + hashBytes || pack.toString('latin1', 0, 4) !== 'PACK')
    throw refuse('it holds no pack');
  const count = pack.readUInt32BE(8);
  if (count > limits.maxObjects) throw refuse(`it holds more than ${limits.maxObjects} objects`);
  const end = pack.length - hashBytes;
  let at = HEADER_BYTES;
  let total = 0;
  const grow = (bytes: number): void => {
    total += bytes;
    if (bytes > limits.maxObjectBytes) throw refuse(`it holds an object of more than ${limits.maxObjectBytes} bytes`);
    if (total > limits.maxUnpackedBytes) throw refuse(`it unpacks to more than ${limits.maxUnpackedBytes} bytes`);
  };
  for (let i = 0; i < count; i++) {
    if (clock.monotonicMs() > untilMs) throw refuse('it takes too long to look at');
    const entry = readEntry(pack.subarray(at, end), hashBytes);
    grow(entry.size);
    const { content, used } = await inflateOne(pack.subarray(at + entry.headBytes, end), entry.size);
    if (entry.isDelta) grow(readVarint(content, readVarint(content, 0).next).value);
    at += entry.headBytes + used;
  }
  if (at !== end) throw refuse('something stands behind its last object');
}

interface Entry {
  readonly isDelta: boolean;
  /** Unpacked size as it is claimed, bytes. */
  readonly size: number;
  readonly headBytes: number;
}

function readEntry(rest: Buffer, hashBytes: number): Entry {
  const first = byteAt(rest, 0);
  const type = (first >> 4) & 7;
  if (!TYPES.includes(type)) throw refuse('it holds an object of unknown type');
  let size = first & 15;
  let at = 1;
  for (let factor = 16, byte = first; byte & 0x80; factor *= 128) {
    byte = byteAt(rest, at++);
    size += (byte & 0x7f) * factor;
    if (size > Number.MAX_SAFE_INTEGER) throw refuse('it holds an object of impossible size');
  }
  if (type === REF_DELTA) at += hashBytes;
  if (type === OFFSET_DELTA) while (byteAt(rest, at++) & 0x80);
  return { isDelta: type === REF_DELTA || type === OFFSET_DELTA, size, headBytes: at };
}

/** A number as deltas write it: seven bits a byte, the lowest first. */
function readVarint(content: Buffer, from: number): { readonly value: number; readonly next: number } {
  let value = 0;
  let at = from;
  for (let factor = 1, byte = 0x80; byte & 0x80; factor *= 128) {
    byte = byteAt(content, at++);
    value += (byte & 0x7f) * factor;
    if (value > Number.MAX_SAFE_INTEGER) throw refuse('it holds an object of impossible size');
  }
  return { value, next: at };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw refuse('it is cut off');
  return byte;
}

/** One compressed object of exactly `size` bytes at the start of `rest`, and how many bytes it took. */
function inflateOne(rest: Buffer, size: number): Promise<{ readonly content: Buffer; readonly used: number }> {
  return new Promise((resolve, reject) => {
    // One byte more than allowed is enough to see that it is too long; none at all is no length for zlib.
    inflate(rest, { info: true, maxOutputLength: size + 1 }, (error, result) => {
      const told = result as unknown as { buffer: Buffer; engine: { bytesWritten: number } } | undefined;
      if (error !== null || told === undefined || told.buffer.length !== size)
        reject(refuse('an object in it is broken'));
      else resolve({ content: told.buffer, used: told.engine.bytesWritten });
    });
  });
}

function refuse(why: string): WritError {
  return new WritError('EVIDENCE_INVALID', `the bundle is refused: ${why}`, { details: { check: 'bundle' } });
}
