import { nextTurn } from '@writ/core';

/** No system has longer paths, bytes. */
const PATH_BYTES = 4096;
/** Of all names together, written out. */
const NAMES_BYTES = 256 * 1024 * 1024;
const HEADER_BYTES = 12;
/** Of an entry before its object id: times, place, mode, owner, size. */
const STAT_BYTES = 40;
const FLAGS_BYTES = 2;
/** Of the flags: how long the name is, where it is short enough to be said there. */
const LENGTH_MASK = 0xfff;
const EXTENDED = 0x4000;
/** The version in which a name says how much of the one before it is left out, and what is put on instead. */
const COMPRESSED = 4;
/** Entries that are looked at in one turn. */
const AT_ONCE = 50_000;

/**
 * Why git should not read an index: its names come to more than there can be once they are written out, which takes a few
 * bytes for each entry in version 4. Undefined where they do not, and for what git refuses by itself.
 */
export async function namesThatCannotBe(index: Buffer, format: 'sha1' | 'sha256'): Promise<string | undefined> {
  if (index.length < HEADER_BYTES || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  const flagsAt = STAT_BYTES + (format === 'sha256' ? 32 : 20);
  let [at, before, total] = [HEADER_BYTES, 0, 0];
  for (let seen = 0; seen < count; seen++) {
    const entry = entryAt(index, { at, flagsAt, version, before });
    if (entry === undefined) return 'is broken off';
    if (entry.length > PATH_BYTES) return `has a name of more than ${PATH_BYTES} bytes`;
    total += entry.length;
    if (total > NAMES_BYTES) return `has names of more than ${NAMES_BYTES} bytes together`;
    [at, before] = [entry.next, entry.length];
    if (seen % AT_ONCE === AT_ONCE - 1) await nextTurn();
  }
  return undefined;
}

interface Where {
  readonly at: number;
  readonly flagsAt: number;
  readonly version: number;
  /** Length of the name before. */
  readonly before: number;
}

/** How long the name of an entry is, written out, and where the next one begins; undefined where it does not end. */
function entryAt(
  index: Buffer,
  { at, flagsAt, version, before }: Where,
): { readonly length: number; readonly next: number } | undefined {
  if (at + flagsAt + FLAGS_BYTES > index.length) return undefined;
  const flags = index.readUInt16BE(at + flagsAt);
  const nameAt = at + flagsAt + FLAGS_BYTES + ((flags & EXTENDED) === 0 ? 0 : FLAGS_BYTES);
  const said = flags & LENGTH_MASK;
  if (version !== COMPRESSED) {
    const length = said === LENGTH_MASK ? index.indexOf(0, nameAt) - nameAt : said;
    // Filled up with zeros, one at least, to a multiple of eight.
    return length < 0 ? undefined : { length, next: at + ((nameAt - at + length + 8) & ~7) };
  }
  const left = numberAt(index, nameAt);
  if (left === undefined || left.value > before) return undefined;
  const kept = before - left.value;
  const length = said === LENGTH_MASK ? kept + index.indexOf(0, left.next) - left.next : said;
  return length < kept ? undefined : { length, next: left.next + length - kept + 1 };
}

/** A number of seven bits in each byte, the highest first, as git writes them; undefined where it does not end. */
function numberAt(index: Buffer, from: number): { readonly value: number; readonly next: number } | undefined {
  let value = 0;
  for (let at = from; at < index.length && value < PATH_BYTES * 128; at++) {
    const byte = index[at] ?? 0;
    value = at === from ? byte & 0x7f : (value + 1) * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, next: at + 1 };
  }
  return undefined;
}
