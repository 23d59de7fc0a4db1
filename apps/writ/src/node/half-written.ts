import { statSync } from 'node:fs';
import type { Clock } from '@writ/core';

/** A file that is written in place is taken for whole once it has stood still for so long, milliseconds. */
const STILL_MS = 250;
/** One that never stands still is taken as it is after so long, milliseconds. */
const LONGEST_MS = 10_000;

/** What a file is like at a moment; another one after every change. */
export interface FileMark {
  readonly inode: bigint;
  /** Its inode, size and times. */
  readonly text: string;
  /** It got its name after its last byte: nobody writes it any more. */
  readonly isReplaced: boolean;
}

/** The mark of now, where links lead; undefined where there is no file. */
export function markOf(path: string): FileMark | undefined {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return { inode: ino, text: [ino, size, mtimeNs, ctimeNs].join(' '), isReplaced: ctimeNs > mtimeNs };
  } catch {
    return undefined;
  }
}

/**
 * Resolves when nobody seems to be in the middle of writing a file, with its mark of that moment. A file that was put in place by a
 * rename is whole at once. Of one that is written in place (`scp`, `cat >`, many editors) the first part may well load, and grant next to
 * nothing: it is whole when it stands still.
 */
export async function untilWhole(path: string, clock: Clock): Promise<FileMark | undefined> {
  const sinceMs = clock.monotonicMs();
  let mark = markOf(path);
  while (mark !== undefined && !mark.isReplaced && clock.monotonicMs() - sinceMs < LONGEST_MS) {
    await new Promise<void>((resolve) => clock.setTimer(STILL_MS, resolve));
    const now = markOf(path);
    // Another file under the name may be written in place as well.
    if (now?.text === mark.text) return now;
    mark = now;
  }
  return mark;
}
