import { hasErrno } from '@writ/core';
import type { TreeEnd, TreeTools } from './end-tree.ts';

/** Time between two looks at a process group, milliseconds. */
const PAUSE_MS = 20;
/** After the grace, until a group that does not end is given up, milliseconds. */
const GIVE_UP_MS = 10_000;
/** The same for one that may not be signalled. */
const GIVE_UP_REFUSED_MS = 500;

/** Sends a signal to a process group, or looks with 0; throws as `process.kill` does. */
export type SignalGroup = (leader: number, signal: NodeJS.Signals | 0) => void;

/**
 * Ends a process group on a machine without a `/proc`: TERM, up to `graceMs`, KILL, until it is gone or cannot be ended; then
 * its leader is what is left. Children that left the group are out of reach there.
 */
// INVARIANT: 9 no process outlives its node, and one that cannot be ended is said to be left.
export async function endGroup(
  leader: number,
  graceMs: number,
  { pause, nowMs }: Pick<TreeTools, 'pause' | 'nowMs'>,
  send: SignalGroup = sendToGroup,
): Promise<TreeEnd> {
  const killFromMs = nowMs() + graceMs;
  let state = signalGroup(leader, 'SIGTERM', send);
  const found = state === 'gone' ? 0 : 1;
  while (state !== 'gone') {
    const kills = nowMs() >= killFromMs;
    if (kills) state = signalGroup(leader, 'SIGKILL', send);
    const patienceMs = state === 'refused' ? GIVE_UP_REFUSED_MS : GIVE_UP_MS;
    if (nowMs() >= killFromMs + patienceMs) return { found, refused: [leader], held: false };
    await pause(PAUSE_MS);
    state = signalGroup(leader, 0, send);
  }
  return { found, refused: [], held: false };
}

/** KILLs a process group once; 1 where it had a member. */
export function killGroup(leader: number): number {
  return signalGroup(leader, 'SIGKILL', sendToGroup) === 'sent' ? 1 : 0;
}

function sendToGroup(leader: number, signal: NodeJS.Signals | 0): void {
  process.kill(-leader, signal);
}

/** `refused`: it has members, and this user may signal none of them. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0, send: SignalGroup): 'sent' | 'refused' | 'gone' {
  try {
    send(leader, signal);
    return 'sent';
  } catch (error) {
    return hasErrno(error, 'EPERM') ? 'refused' : 'gone';
  }
}
