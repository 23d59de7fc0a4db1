/** Most processes and threads of one run. */
const PROCESSES = 4096;
const OPEN_FILES = 65_536;
const GIB = 1024 ** 3;
/** Largest single file. */
const FILE_BYTES = 64 * GIB;

/** What decides the limits of a run. */
export interface LimitsSpec {
  /** Longest that the run may take, milliseconds. */
  readonly timeoutMs: number;
  readonly cpus: number;
  /** Of the machine, bytes. */
  readonly memoryBytes: number;
  /** Text of `/proc/self/limits`: nothing can be raised over what this process has. */
  readonly own: string;
}

interface Limit {
  /** As `prlimit` names it. */
  readonly option: string;
  /** As `/proc/self/limits` names it. */
  readonly kernel: string;
  readonly value: number;
}

/** Options of `prlimit` for the processes of a run: each may use what the machine has, and not more. */
export function limitOptions(spec: LimitsSpec): readonly string[] {
  return limitsOf(spec).map(
    ({ option, kernel, value }) => `--${option}=${Math.min(value, ownLimit(spec.own, kernel))}`,
  );
}

function limitsOf({ timeoutMs, cpus, memoryBytes }: LimitsSpec): readonly Limit[] {
  return [
    { option: 'core', kernel: 'Max core file size', value: 0 },
    { option: 'cpu', kernel: 'Max cpu time', value: Math.ceil(timeoutMs / 1000) * cpus },
    { option: 'data', kernel: 'Max data size', value: memoryBytes },
    { option: 'fsize', kernel: 'Max file size', value: FILE_BYTES },
    { option: 'nofile', kernel: 'Max open files', value: OPEN_FILES },
    { option: 'nproc', kernel: 'Max processes', value: PROCESSES },
  ];
}

/** The hard limit of this process; infinite where it has none. */
function ownLimit(text: string, kernel: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${kernel} `)) ?? '';
  const [, hard] = line.slice(kernel.length).trim().split(/\s+/);
  const value = Number(hard);
  return Number.isFinite(value) ? value : Number.POSITIVE_INFINITY;
}

/** What `limitOptions` limits, for a person. */
export const LIMITED = ['processor time', 'data', 'file size', 'open files', 'processes'] as const;
