/** Machines whose numbers of system calls are known. */
export type Machine = 'x86_64' | 'aarch64';

/** What a refused call fails with. `ENOSYS`: programs go another way, as on a kernel without it. */
export type Refusal = 'EPERM' | 'ENOSYS' | 'EAFNOSUPPORT';

/** What an argument must be for a call to be refused; only its lower 32 bits count, as for the kernel. */
export interface ArgumentTest {
  /** From 0. */
  readonly argument: number;
  /** `any-bit`: has one of these bits · `equal`: is one of these · `other`: is none of these. */
  readonly is: 'any-bit' | 'equal' | 'other';
  readonly values: readonly number[];
}

/** A system call that no task makes. */
export interface RefusedCall {
  readonly name: string;
  /** Its number; absent: that machine does not have it. */
  readonly x86_64?: number;
  readonly aarch64?: number;
  readonly fails: Refusal;
  /** Absent: whatever it is told. */
  readonly when?: ArgumentTest;
}

/** The largest number that was looked at for these lists; a newer call fails as if there were none. */
export const NEWEST_CALL = 466;

/** Each name with its numbers for x86_64 and aarch64; those without the second are x86's own. */
type Numbers = readonly (readonly [name: string, x86_64: number, aarch64?: number])[];

/** Into the memory, registers and descriptors of another process: a task could take over what keeps its sandbox. */
const OTHER_PROCESSES: Numbers = [
  ['ptrace', 101, 117],
  ['process_vm_readv', 310, 270],
  ['process_vm_writev', 311, 271],
  ['kcmp', 312, 272],
  ['pidfd_getfd', 438, 438],
];

/** What is mounted where, and joining namespaces. */
const PLACES: Numbers = [
  ['mount', 165, 40],
  ['umount2', 166, 39],
  ['pivot_root', 155, 41],
  ['chroot', 161, 51],
  ['setns', 308, 268],
  ['open_tree', 428, 428],
  ['move_mount', 429, 429],
  ['fsopen', 430, 430],
  ['fsconfig', 431, 431],
  ['fsmount', 432, 432],
  ['fspick', 433, 433],
  ['mount_setattr', 442, 442],
  ['open_by_handle_at', 304, 265],
];

/** The machine as a whole; most of it takes rights that no task has. */
const WHOLE_MACHINE: Numbers = [
  ['kexec_load', 246, 104],
  ['kexec_file_load', 320, 294],
  ['init_module', 175, 105],
  ['finit_module', 313, 273],
  ['delete_module', 176, 106],
  ['reboot', 169, 142],
  ['swapon', 167, 224],
  ['swapoff', 168, 225],
  ['acct', 163, 89],
  ['quotactl', 179, 60],
  ['quotactl_fd', 443, 443],
  ['settimeofday', 164, 170],
  ['clock_settime', 227, 112],
  ['sethostname', 170, 161],
  ['setdomainname', 171, 162],
  ['syslog', 103, 116],
  ['iopl', 172],
  ['ioperm', 173],
];

/**
 * Not kept apart by namespaces (the keyrings), or parts of the kernel that ordinary work does not need and that have let
 * programs out before. `io_uring` besides makes calls that no filter sees.
 */
const UNNEEDED: Numbers = [
  ['keyctl', 250, 219],
  ['add_key', 248, 217],
  ['request_key', 249, 218],
  ['bpf', 321, 280],
  ['perf_event_open', 298, 241],
  ['userfaultfd', 323, 282],
  ['io_uring_setup', 425, 425],
  ['io_uring_enter', 426, 426],
  ['io_uring_register', 427, 427],
  ['modify_ldt', 154],
  // Its flags lie in memory, where no filter looks; libraries make a `clone` instead.
  ['clone3', 435, 435],
];

/** `CLONE_NEW…`, every one but that of time, whose bit means something else to `clone`. */
const NAMESPACES = 0x7e02_0000;
const TIME_NAMESPACE = 0x80;
/** `AF_UNIX`, `AF_INET`, `AF_INET6`, `AF_NETLINK`: the families that the network namespace keeps apart. `AF_VSOCK` is not. */
const SOCKET_FAMILIES = [1, 2, 10, 16];
/** `TIOCSTI` and `TIOCLINUX`: characters for whoever reads the terminal next. */
const TYPING = [0x5412, 0x541c];

/** Everything that is refused. */
// INVARIANT: 1 what a run reaches is what was granted: these calls lead past the folders and namespaces of its sandbox.
export const REFUSED_CALLS: readonly RefusedCall[] = [
  ...named(OTHER_PROCESSES, 'EPERM'),
  ...named(PLACES, 'EPERM'),
  ...named(WHOLE_MACHINE, 'EPERM'),
  ...named(UNNEEDED, 'ENOSYS'),
  { ...one('clone', 56, 220), fails: 'EPERM', when: { argument: 0, is: 'any-bit', values: [NAMESPACES] } },
  {
    ...one('unshare', 272, 97),
    fails: 'EPERM',
    when: { argument: 0, is: 'any-bit', values: [NAMESPACES + TIME_NAMESPACE] },
  },
  { ...one('ioctl', 16, 29), fails: 'EPERM', when: { argument: 1, is: 'equal', values: TYPING } },
  { ...one('socket', 41, 198), fails: 'EAFNOSUPPORT', when: { argument: 0, is: 'other', values: SOCKET_FAMILIES } },
];

function named(numbers: Numbers, fails: Refusal): readonly RefusedCall[] {
  return numbers.map(([name, x86_64, aarch64]) => ({ ...one(name, x86_64, aarch64), fails }));
}

function one(name: string, x86_64: number, aarch64?: number): Pick<RefusedCall, 'name' | 'x86_64' | 'aarch64'> {
  return { name, x86_64, ...(aarch64 === undefined ? {} : { aarch64 }) };
}
