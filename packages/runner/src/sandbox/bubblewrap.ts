import { TOLD_FD } from '../spawner/first-process.ts';
import type { SystemView } from './system-view.ts';
import type { Confinement, Mount, SandboxFeatures } from './types.ts';

/** Largest that what is written to `/tmp` may become, bytes: it lies in memory. TMPDIR lies on the disk. */
const TMP_BYTES = 1024 ** 3;
/** The same of shared memory. */
const SHM_BYTES = 256 * 1024 ** 2;
/** Where the first process of the namespace shows itself. */
const FIRST_PROCESS = '/proc/1';

/**
 * Namespaces of its own for users, processes, the network, IPC, host name and control groups; no capability, no new
 * privileges, no terminal; everything is killed when whoever started it ends.
 */
const NAMESPACES = [
  ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--hostname', 'sandbox', '--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
  ...['--seccomp', String(TOLD_FD)],
];

/**
 * The argument vector that runs `argv` in a bubblewrap sandbox. What is not named is not there: the root is an empty,
 * read-only file system. Later mounts cover earlier ones, so the order is what decides. `more` are further options.
 */
export function bubblewrapArgv(
  { program, sealed }: Pick<SandboxFeatures, 'program' | 'sealed'>,
  view: SystemView,
  confinement: Confinement,
  argv: readonly string[],
  more: readonly string[] = [],
): readonly string[] {
  const { cwd, mounts } = confinement;
  return [
    program,
    ...NAMESPACES,
    ...more,
    ...(sealed ? ['--disable-userns'] : []),
    ...view.folders.flatMap((path) => ['--ro-bind', path, path]),
    ...view.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...['--proc', '/proc'],
    // The first process keeps the others and ends with whoever started it: its memory is written to by nobody inside.
    ...['--perms', '0555', '--tmpfs', FIRST_PROCESS, '--remount-ro', FIRST_PROCESS],
    // A node that runs as root owns these files, and bubblewrap covers them only where the mode says so.
    ...view.kernel.flatMap((path) => ['--ro-bind', path, path]),
    ...['--dev', '/dev', '--perms', '1777', '--size', String(SHM_BYTES), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--perms', '1777', '--size', String(TMP_BYTES), '--tmpfs', '/tmp'],
    ...mounts.flatMap(mountOptions),
    // Only now: until here, later mounts make their places in them.
    ...mounts.flatMap(({ path, as }) => (as === 'empty' ? ['--remount-ro', path] : [])),
    ...['--remount-ro', '/', '--chdir', cwd, '--'],
    ...argv,
  ];
}

function mountOptions({ path, as }: Mount): readonly string[] {
  if (as === 'empty') return ['--perms', '0755', '--tmpfs', path];
  return [as === 'read' ? '--ro-bind' : '--bind', path, path];
}
