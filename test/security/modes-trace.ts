/** What a trace of system calls says about the modes of what was made below one folder. */
export interface Made {
  /** Files, folders and sockets that were made, without the folder's own path. */
  readonly paths: ReadonlySet<string>;
  /** Each call that gave somebody else something, at any moment: what and how. */
  readonly exposed: readonly string[];
}

const CALL = /^(\d+) +(\w+)\((.*)$/;
const QUOTED = /"((?:[^"\\]|\\.)*)"/g;
const MODE = /, (0[0-7]*)(?:\)| <unfinished)/;

/** System calls that a trace has to hold. */
export const TRACED =
  'open,openat,creat,mkdir,mkdirat,chmod,fchmod,fchmodat,bind,mknod,mknodat,umask,unlink,unlinkat,rename,renameat,renameat2';

/**
 * Reads what `strace -f` wrote of those calls, made below `folder` under a umask that takes nothing away. `there`: what lay below
 * it before; opening such a file makes nothing, whatever mode is named (SQLite names one at each open).
 */
export function readTrace(trace: string, folder: string, there: readonly string[] = []): Made {
  const paths = new Set<string>();
  const exposed: string[] = [];
  const existing = new Set(there);
  const umasks = new Map<string, number>();
  for (const line of trace.split('\n')) {
    const [, pid = '', call = '', rest = ''] = CALL.exec(line) ?? [];
    if (call === 'umask') umasks.set(pid, Number.parseInt(rest, 8));
    const [path] = pathsIn(rest, folder);
    if (call.startsWith('unlink') || call.startsWith('rename')) move(existing, pathsIn(rest, folder));
    // A descriptor has no path here: what it leads to was opened with a mode of its own, and may only lose by this.
    if (path === undefined && call !== 'fchmod') continue;
    const mode = modeOf(call, rest, umasks.get(pid) ?? 0);
    if (mode === undefined || (call.startsWith('open') && existing.has(path ?? ''))) continue;
    if (path !== undefined) paths.add(path);
    if (path !== undefined) existing.add(path);
    if ((mode & 0o077) !== 0) exposed.push(`${call} ${path ?? 'a descriptor'} ${mode.toString(8)}`);
  }
  return { paths, exposed };
}

/** Paths below the folder, and the folder itself as nothing, in the order of the arguments. */
function pathsIn(rest: string, folder: string): readonly string[] {
  return [...rest.matchAll(QUOTED)]
    .map(([, path = '']) => path)
    .filter((path) => path === folder || path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1));
}

/** What is taken away or named anew, as far as it succeeded; a failure only makes the reading stricter. */
function move(existing: Set<string>, [from, to]: readonly string[]): void {
  if (from !== undefined) existing.delete(from);
  if (to !== undefined) existing.add(to);
}

/** Mode that a call gives; undefined where it makes and changes nothing. A call without a readable mode gives all. */
function modeOf(call: string, rest: string, umask: number): number | undefined {
  if (call.startsWith('open') && !rest.includes('O_CREAT')) return undefined;
  if (call === 'bind') return 0o777 & ~umask;
  if (['umask', 'unlink', 'unlinkat', 'rename', 'renameat', 'renameat2'].includes(call)) return undefined;
  const mode = MODE.exec(rest)?.[1];
  return mode === undefined ? 0o777 : Number.parseInt(mode, 8);
}
