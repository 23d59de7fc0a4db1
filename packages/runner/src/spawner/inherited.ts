import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** `O_CLOEXEC` in the octal flags of `/proc/self/fdinfo` (Linux). */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes what this process was started with beyond `kept`: whoever started the node may have had a folder of theirs open, and
 * every program of every task would inherit it, sandbox or not.
 */
// INVARIANT: 1 what a run reaches is what was granted, and no descriptor that nobody thought of.
export function closeInherited(kept: readonly number[]): void {
  for (const name of openDescriptors()) {
    const fd = Number(name);
    if (fd <= 2 || kept.includes(fd) || !isInherited(fd)) continue;
    try {
      closeSync(fd);
    } catch {
      // It is closed already.
    }
  }
}

function openDescriptors(): readonly string[] {
  try {
    return readdirSync('/proc/self/fd');
  } catch {
    // No Linux: nothing can be told.
    return [];
  }
}

/** What is passed on to programs: everything of this runtime's own is closed then. */
function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
