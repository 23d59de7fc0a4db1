import { quote } from '@writ/core';
import { bubblewrapArgv } from './bubblewrap.ts';
import { assembleFilter, machineOf } from './filter/call-filter.ts';
import { LIMITED } from './limits.ts';
import { findProgram } from './program.ts';
import type { SystemView } from './system-view.ts';
import type { SandboxReport } from './types.ts';

/** How a program that was run to its end went. `said` is the end of its standard error. */
export interface Executed {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly said: string;
}

/** What a sandbox is tried with. */
export interface ProbeParts {
  readonly view: SystemView;
  /** Where programs are looked for. */
  readonly path: string;
  /** What Node.js calls this machine (`process.arch`). */
  readonly arch: string;
  /** Runs an argv to its end, with these bytes on `TOLD_FD`; never rejects. */
  readonly execute: (argv: readonly string[], filter: Uint8Array) => Promise<Executed>;
}

/** What is looked at inside: the program has no capability and can get none, and its system calls are filtered. */
const INSIDE = ['grep', '-E', '^(CapEff|NoNewPrivs|Seccomp):', '/proc/self/status'];
const CONFINED = /^CapEff:\s+0+\nNoNewPrivs:\s+1\nSeccomp:\s+2\n?$/;

/** Looks what a sandbox of this machine can do, by starting one: that bubblewrap is installed says little. */
export async function probeSandbox(parts: ProbeParts): Promise<SandboxReport> {
  const { view, path, arch, execute } = parts;
  const machine = machineOf(arch);
  if (machine === undefined) {
    return unavailable(`no filter of system calls is known for ${quote(arch)}`, [
      'hand it to a node on another kind of machine (x64 or arm64)',
    ]);
  }
  const filter = assembleFilter(machine);
  const program = await findProgram('bwrap', path);
  if (program === undefined) return unavailable('bubblewrap is not installed', [INSTALL]);
  let said = '';
  for (const sealed of [true, false]) {
    const argv = bubblewrapArgv({ program, sealed }, view, { cwd: '/', mounts: [] }, INSIDE);
    const tried = await execute(argv, filter);
    if (tried.exitCode === 0 && CONFINED.test(tried.stdout)) {
      const [bridge, limits] = await Promise.all([findProgram('socat', path), findProgram('prlimit', path)]);
      return {
        available: true,
        features: {
          ...{ kind: 'bubblewrap', program, sealed, filter },
          ...(bridge === undefined ? {} : { bridge }),
          ...(limits === undefined ? {} : { limiter: limits }),
          limits: limits === undefined ? [] : LIMITED,
        },
      };
    }
    said ||= tried.said.trim().split('\n').at(-1) ?? '';
  }
  return unavailable(`bubblewrap starts no sandbox here: ${quote(said)}`, NAMESPACES);
}

const INSTALL =
  'install bubblewrap (and socat, for a network) on the executing node, such as: sudo apt-get install bubblewrap socat';

/** Mostly it is the kernel, or its security module, that lets nobody make user namespaces. */
const NAMESPACES: readonly string[] = [
  'see on the executing node, as the node’s user, what keeps it: bwrap --unshare-all --ro-bind / / true',
  'let that user make user namespaces there: sysctl user.max_user_namespaces kernel.apparmor_restrict_unprivileged_userns',
];

function unavailable(reason: string, mend: readonly string[]): SandboxReport {
  return {
    available: false,
    reason,
    nextSteps: [
      ...mend,
      'or, on the executing node, write isolation = "none" in the profile: its tasks run as the node’s own user then, and can read and change whatever that user can',
    ],
  };
}
