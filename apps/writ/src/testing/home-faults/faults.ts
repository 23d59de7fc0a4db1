import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

/** What can be wrong with one file or folder of a home. */
export interface HomeFault {
  readonly name: string;
  /** Root alone can make it so. */
  readonly needsRoot?: boolean;
  /** Makes it so; `aside` is a folder for what is moved away. False where it is none for this path. */
  readonly make: (path: string, world: { readonly aside: string }) => boolean;
}

function mode(bits: number): HomeFault['make'] {
  return (path) => {
    chmodSync(path, bits);
    return true;
  };
}

/** A user of whom nothing else is. */
const ANOTHER = 54322;

/** Each of them is made anew in a home that was well. */
export const HOME_FAULTS: readonly HomeFault[] = [
  { name: 'open to everybody', make: mode(0o755) },
  { name: 'open to the group', make: mode(0o770) },
  { name: 'closed to its user', make: mode(0) },
  {
    name: 'a link',
    make(path, { aside }) {
      const moved = join(aside, basename(path));
      renameSync(path, moved);
      symlinkSync(moved, path);
      return true;
    },
  },
  {
    name: 'a link to itself',
    make(path) {
      rmSync(path, { recursive: true });
      symlinkSync(basename(path), path);
      return true;
    },
  },
  {
    name: 'of another user',
    needsRoot: true,
    make(path) {
      chownSync(path, ANOTHER, ANOTHER);
      return true;
    },
  },
  {
    name: 'a file for a folder, or a folder for a file',
    make(path) {
      const isFolder = lstatSync(path).isDirectory();
      rmSync(path, { recursive: true });
      if (isFolder) writeFileSync(path, 'x', { mode: 0o600 });
      else mkdirSync(path, { mode: 0o700 });
      return true;
    },
  },
  {
    name: 'gone',
    make(path) {
      rmSync(path, { recursive: true });
      return true;
    },
  },
  {
    name: 'empty',
    make(path) {
      if (!lstatSync(path).isFile()) return false;
      writeFileSync(path, '');
      return true;
    },
  },
];

/** Every file and folder below `root`, relative to it, folders before what is in them. */
export function pathsIn(root: string, below = ''): readonly string[] {
  return readdirSync(join(root, below), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(below, entry.name);
      return entry.isDirectory() ? [path, ...pathsIn(root, path)] : [path];
    });
}
