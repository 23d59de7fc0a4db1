/** Time between two looks at a process group, milliseconds. */
const PAUSE_MS = 20;

/**
 * Ends a process group on a machine without a `/proc`: TERM, up to `graceMs`, KILL. Children that left the group are out
 * of reach there.
 */
export async function endGroup(leader: number, graceMs: number, pause: (ms: number) => Promise<void>): Promise<void> {
  let alive = signalGroup(leader, 'SIGTERM');
  for (let waitedMs = 0; alive && waitedMs < graceMs; waitedMs += PAUSE_MS) {
    await pause(PAUSE_MS);
    alive = signalGroup(leader, 0);
  }
  while (alive) {
    alive = signalGroup(leader, 'SIGKILL');
    if (alive) await pause(PAUSE_MS);
  }
}

/** KILLs a process group once; 1 where it had a member. */
export function killGroup(leader: number): number {
  return signalGroup(leader, 'SIGKILL') ? 1 : 0;
}

/** False where the group has no member that this user may signal. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}
