import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { quote, WritError } from '@writ/core';
import { KEEPER_FD } from '../spawner/first-process.ts';
import { bubblewrapArgv } from './bubblewrap.ts';
import { limitOptions } from './limits.ts';
import { type ProbeParts, probeSandbox } from './probe.ts';
import { showsProgram } from './program.ts';
import { readSystemView, type SystemView } from './system-view.ts';
import type { Confinement, SandboxFeatures, SandboxReport } from './types.ts';

/** What runs inside a sandbox. */
export interface Confined {
  readonly argv: readonly string[];
  readonly confinement: Confinement;
  readonly timeoutMs: number;
  /** Puts something around the program, inside. */
  readonly around?: (argv: readonly string[]) => readonly string[];
  /** Of the program, inside. */
  readonly path: string;
  /** Most that each process may keep in memory, bytes, and never more than half of the machine; absent: what the machine has. */
  readonly dataBytes?: number;
}

/** What the spawner is told of a program inside. */
export interface Wrapped {
  readonly argv: readonly string[];
  readonly keeper: true;
  readonly told: string;
}

/** What was found when a sandbox was tried, and the system that it shows. */
export interface LookedAt {
  readonly report: SandboxReport;
  readonly view: SystemView;
}

/** The sandbox of this machine. */
export interface Sandbox {
  /** What it can do; looked at once, and again for whoever asks after it could not. */
  report(): Promise<SandboxReport>;
  /** The same, with the system that it shows. */
  look(): Promise<LookedAt>;
  /** What it can do. Throws ISOLATION_UNAVAILABLE, with what to do, where it cannot. */
  require(asker: string): Promise<SandboxFeatures & { readonly view: SystemView }>;
  /** What runs an argument vector inside; undefined where its program would not be seen there. */
  wrap(confined: Confined): Promise<Wrapped | undefined>;
}

/** A sandbox of bubblewrap; nothing is started before it is asked for. */
export function createSandbox(parts: Omit<ProbeParts, 'view'>): Sandbox {
  let looking: Promise<LookedAt> | undefined;
  const look = async (): Promise<LookedAt> => {
    looking ??= lookAt(parts);
    const mine = looking;
    const looked = await mine;
    // Somebody may install it meanwhile.
    if (!looked.report.available && looking === mine) looking = undefined;
    return looked;
  };
  const demand: Sandbox['require'] = async (asker) => {
    const { report, view } = await look();
    if (report.available) return { ...report.features, view };
    throw new WritError(
      'ISOLATION_UNAVAILABLE',
      `${asker} needs isolation, and this node has no sandbox: ${report.reason}`,
      {
        details: { isolation: 'required' },
        nextSteps: report.nextSteps,
      },
    );
  };
  return {
    report: async () => (await look()).report,
    look,
    require: demand,
    async wrap({ argv, confinement, timeoutMs, path, dataBytes, around = (inner) => inner }) {
      const { view, ...features } = await demand('a run');
      if (!(await showsProgram(argv[0] ?? '', path, confinement, view))) return undefined;
      const inner = around([...(await limited(features, timeoutMs, dataBytes)), ...argv]);
      const wrapped = bubblewrapArgv(features, view, confinement, inner, ['--info-fd', String(KEEPER_FD)]);
      return { argv: wrapped, keeper: true, told: Buffer.from(features.filter).toString('base64') };
    },
  };
}

async function lookAt(parts: Omit<ProbeParts, 'view'>): Promise<LookedAt> {
  const view = await readSystemView((folder) => readdir(folder));
  return { view, report: await probeSandbox({ ...parts, view }) };
}

/** Inside, so that only what is inside counts against the limits. */
async function limited(
  { limiter }: SandboxFeatures,
  timeoutMs: number,
  dataBytes: number | undefined,
): Promise<readonly string[]> {
  if (limiter === undefined) return [];
  const own = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const machine = totalmem();
  const memoryBytes = dataBytes === undefined ? machine : Math.min(dataBytes, Math.floor(machine / 2));
  const spec = { timeoutMs, cpus: availableParallelism(), memoryBytes, own };
  return [limiter, ...limitOptions(spec), '--'];
}

/** For a person: which sandbox tasks run in. */
export function describeSandbox(report: SandboxReport): string {
  if (!report.available) return `none: ${report.reason}`;
  const { kind, sealed, bridge, limits } = report.features;
  return [
    kind,
    ...(sealed ? [] : ['programs inside may make namespaces of their own']),
    bridge === undefined
      ? 'no network inside (socat is not installed)'
      : 'network through a proxy where a profile has one',
    limits.length === 0 ? 'no limits (prlimit is not installed)' : `limited: ${limits.join(', ')}`,
  ].join('; ');
}

/** The message names a runner as its profile does. */
export function askerOf(runner: string): string {
  return `runner ${quote(runner)}`;
}
