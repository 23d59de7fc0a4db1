import type { Dirent } from 'node:fs';
import { quote } from '@writ/core';
import { inFolder, listFolder, MOST_NESTED } from './beneath.ts';

/** What a look at the names of a tree found; relative paths. */
export interface WalkedTree {
  /** All folders but the root, as `latin1`: none of them is a link or behind one. What `gitNames` holds is not looked into. */
  readonly folders: ReadonlySet<string>;
  /** Everything that is called `.git`, or what some file system takes for it; the root's own `.git` is not among them. */
  readonly gitNames: readonly Buffer[];
}

const SLASH = Buffer.from('/');
/** Names that git reads by itself wherever they stand, whatever their case. */
const OPENED_BY_GIT = /^\.(gitignore|gitattributes|gitmodules|mailmap)$/i;

/** What a walk goes by. */
export interface Walk {
  readonly platform: NodeJS.Platform;
  readonly maxEntries: number;
  /** The error for a tree that is not looked at. */
  readonly refuse: (why: string) => Error;
}

/** The kernel takes no path of this many bytes: what lies deeper could be seen, and not be looked at. */
const TOO_LONG = 4096;

/**
 * Looks at the names of a whole folder, follows no link (on Linux also none that is swapped in meanwhile), and opens no file. Throws
 * what `refuse` makes of a tree with too many entries or nested too deep, of one that cannot be read, or where git would wait at
 * a pipe.
 */
export async function walkTree(root: string, { platform, maxEntries, refuse }: Walk): Promise<WalkedTree> {
  const [folders, gitNames] = [new Set<string>(), [] as Buffer[]];
  let seen = 0;
  const look = async (from: string | Buffer, folder: Buffer, depth: number): Promise<void> =>
    inFolder(platform, from, async (open) => {
      if (depth > MOST_NESTED) throw refuse(`there are more than ${MOST_NESTED} folders inside each other`);
      const entries = await listFolder(open);
      seen += entries.length;
      if (seen > maxEntries) throw refuse(`there are more than ${maxEntries} files and folders`);
      for (const entry of entries) {
        const path = folder.length === 0 ? entry.name : Buffer.concat([folder, SLASH, entry.name]);
        if (below(root, path).length >= TOO_LONG) throw refuse('folders are nested deeper than a path can name');
        // Git opens what is called so, and would wait there for somebody who writes.
        if (OPENED_BY_GIT.test(entry.name.toString('latin1')) && !isPlain(entry)) {
          throw refuse(`${quote(path.toString())} is a pipe, a socket or a device, and git would read it`);
        }
        if (isGitName(entry.name)) {
          if (folder.length > 0 || entry.name.toString('latin1') !== '.git') gitNames.push(path);
        } else if (entry.isDirectory()) {
          folders.add(path.toString('latin1'));
          await look(below(open.path, entry.name), path, depth + 1);
        }
      }
    }).catch((error) => {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw refuse(`${quote(below(root, folder).toString())} cannot be read: ${error.message}`);
    });
  await look(root, Buffer.alloc(0), 0);
  return { folders, gitNames };
}

/** The path of the folder that something is in; empty: the root. */
export function folderOf(path: Buffer): Buffer {
  return path.subarray(0, Math.max(0, path.lastIndexOf('/')));
}

/** The absolute path of something below `root`, as bytes. */
export function below(root: string | Buffer, path: Uint8Array): Buffer {
  return path.length === 0 ? Buffer.from(root) : Buffer.concat([Buffer.from(root), SLASH, path]);
}

/** Whether any part of a path is called `.git`, or what some file system takes for it. */
export function hasGitName(path: Buffer): boolean {
  // Most paths have nothing of the kind in them.
  if (!/[.~]/.test(path.toString('latin1'))) return false;
  for (let from = 0; from <= path.length; ) {
    const found = path.indexOf(SLASH, from);
    const to = found === -1 ? path.length : found;
    if (isGitName(path.subarray(from, to))) return true;
    from = to + 1;
  }
  return false;
}

/** Bytes of the characters that HFS+ leaves out of a name, as git lists them. All others are part of it, for git too. */
const LEFT_OUT = /\xe2\x80[\x8c-\x8f\xaa-\xae]|\xe2\x81[\xaa-\xaf]|\xef\xbb\xbf/g;

/**
 * True for the names that git refuses where it protects HFS+ and NTFS, for no other, so that git keeps what is not one:
 * other cases, what HFS+ leaves out, trailing dots and blanks, the short name, a stream, a path of Windows.
 */
export function isGitName(name: Uint8Array): boolean {
  // A character for each byte: what is no UTF-8 stays what it is.
  const bytes = Buffer.from(name).toString('latin1');
  if (/(^|.\\)(\.git|git~1)[ .]*([:\\]|$)/is.test(bytes)) return true;
  const seen = bytes.replace(LEFT_OUT, '');
  if (!/^\.git/i.test(seen)) return false;
  // Git reads such a name up to what is no character for it; one that stands for such bytes is one.
  const rest = Buffer.from(seen.slice('.git'.length), 'latin1');
  return /^($|[\ufffd-\uffff])/.test(rest.toString('utf8')) && rest.indexOf('\ufffd') !== 0;
}

function isPlain(entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): boolean {
  return entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
}
