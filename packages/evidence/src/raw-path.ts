import type { RepoPath } from './types.ts';

/** The path that git wrote as bytes. */
export function toRepoPath(bytes: Uint8Array): RepoPath {
  try {
    const path = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, encoding: 'utf8' };
  } catch {
    return { path: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
  }
}

/** The parts of a list that git separates by NUL. */
export function splitNul(list: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  while (from < list.length) {
    const found = list.indexOf(0, from);
    const to = found === -1 ? list.length : found;
    parts.push(list.subarray(from, to));
    from = to + 1;
  }
  return parts;
}

/** A list for git, separated by NUL. */
export function joinNul(parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(parts.flatMap((part) => [part, Buffer.of(0)]));
}
