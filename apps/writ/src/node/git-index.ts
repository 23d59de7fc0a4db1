import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasErrno } from '@writ/core';

/** Largest index that is looked at, bytes. */
const MOST_BYTES = 64 * 1024 * 1024;
const HEADER_BYTES = 12;
/** Of one entry: what stands in front of its flags, with a SHA-1. */
const FLAGS_AT = 60;
const MODE_AT = 24;
const CHECKSUM_BYTES = 20;
const KIND_OF_GITLINK = 0o16;
const EXTENDED = 0x4000;
/** Extensions that mean that entries stand elsewhere, or for whole folders. */
const ELSEWHERE = ['link', 'sdir'];

/**
 * Whether the index of the repository in `root` is known to hold no repository inside it (a gitlink): git looks into those for a status
 * or a difference, and obeys their own configuration there. What cannot be read, or may stand elsewhere, is not known.
 */
export function hasNoGitlinks(root: string): boolean {
  try {
    const path = join(gitDirOf(root), 'index');
    return statSync(path).size <= MOST_BYTES && isFree(readFileSync(path));
  } catch (error) {
    // Without an index nothing is tracked.
    return hasErrno(error, 'ENOENT') && isRepository(root);
  }
}

function isRepository(root: string): boolean {
  try {
    return statSync(join(gitDirOf(root), 'HEAD')).isFile();
  } catch {
    return false;
  }
}

/** A folder, or the file of a linked working tree that names one. */
function gitDirOf(root: string): string {
  const path = join(root, '.git');
  if (statSync(path).isDirectory()) return path;
  const named = /^gitdir: (.+)\n?$/.exec(readFileSync(path, 'utf8'))?.[1];
  if (named === undefined) throw new Error('no repository');
  return resolve(root, named);
}

/** https://git-scm.com/docs/index-format, versions 2 to 4 with SHA-1; anything else is not understood. */
function isFree(index: Buffer): boolean {
  const end = index.length - CHECKSUM_BYTES;
  if (end < HEADER_BYTES || index.toString('latin1', 0, 4) !== 'DIRC') return false;
  const sum = createHash('sha1').update(index.subarray(0, end)).digest();
  if (!sum.equals(index.subarray(end))) return false;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return false;
  let at = HEADER_BYTES;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    if (index.readUInt32BE(at + MODE_AT) >>> 12 === KIND_OF_GITLINK) return false;
    at = nextEntry(index, at, version);
    if (at > end) return false;
  }
  return isWithoutOthers(index, at, end);
}

/** Where the entry behind the one at `start` begins. */
function nextEntry(index: Buffer, start: number, version: number): number {
  const isExtended = version >= 3 && (index.readUInt16BE(start + FLAGS_AT) & EXTENDED) !== 0;
  let name = start + FLAGS_AT + (isExtended ? 4 : 2);
  // Version 4 leaves out what a name has in common with the one before: how much, in bytes of seven bits.
  if (version === 4) {
    while ((index.readUInt8(name) & 0x80) !== 0) name += 1;
    name += 1;
  }
  const nul = index.indexOf(0, name);
  if (nul < 0) return Number.POSITIVE_INFINITY;
  if (version === 4) return nul + 1;
  // One to eight NULs, up to a multiple of eight.
  return start + (Math.floor((nul - start) / 8) + 1) * 8;
}

function isWithoutOthers(index: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at + 8 <= end) {
    if (ELSEWHERE.includes(index.toString('latin1', at, at + 4))) return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}
