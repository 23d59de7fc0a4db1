import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** One live process; zombies are left out everywhere. */
export interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  /** With the pid the identity of a process: pids are used again. */
  readonly startTicks: string;
  /** Arguments, joined with spaces. */
  readonly command: string;
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function look(pid: string): SeenProcess | undefined {
  const fields = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
    .split(') ')
    .at(-1)
    ?.split(' ');
  if (fields === undefined || fields.length < 20 || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const command = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    .replaceAll('\0', ' ')
    .trim();
  return { pid: Number(pid), parent: Number(fields[1]), startTicks: fields[19] ?? '', command };
}

/** Every live process but this one. */
export function allProcesses(): readonly SeenProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(look)
    .filter((found) => found !== undefined);
}

/** Live processes whose command line holds `mark`. */
export function processesWith(mark: string): readonly SeenProcess[] {
  return allProcesses().filter(({ command }) => command.includes(mark));
}

/**
 * Live processes of the mesh in `dir`: nodes and spawners by their command lines, processes of tasks by the marker of
 * their attempt beside a folder of the mesh, or by the folder that they stand in.
 */
export function processesOf(dir: string): readonly SeenProcess[] {
  return allProcesses().filter(({ pid, command }) => {
    if (command.includes(dir)) return true;
    const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    if (environment.includes('WRIT_ATTEMPT=') && environment.includes(dir)) return true;
    return attempt(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(`${dir}/`);
  });
}

/** `pids` and all that descend from them. */
export function withDescendants(pids: readonly number[]): readonly SeenProcess[] {
  const all = allProcesses();
  const found = new Map(all.filter(({ pid }) => pids.includes(pid)).map((one) => [one.pid, one]));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const one of all) if (found.has(one.parent)) found.set(one.pid, one);
  }
  return [...found.values()];
}

/** True while this very process lives. */
export function isAlive(seen: SeenProcess): boolean {
  return look(String(seen.pid))?.startTicks === seen.startTicks;
}
