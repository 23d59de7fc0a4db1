import type { ActionFiles } from '@writ/authority';
import { quote, type TurnLimits, type TurnOf } from '@writ/core';
import type { Asking } from './asking.ts';
import type { CommandFiles } from './types.ts';

/** Commands that are read and hashed at once, before anybody has said yes to them. */
export const PREPARED_AT_ONCE: TurnLimits = { atOnce: 4, each: 2 };
/** Most that wait for that: of one task, and of one peer or all agents of this node. */
const MOST_WAITING_OF_TASK = 16;
const MOST_WAITING = 128;

/** Most that copies take up at once, bytes: of one asker, and of all. What one command may hold fits into the first. */
const MOST_HELD_EACH = 2 * 1024 * 1024 * 1024;
const MOST_HELD = 6 * 1024 * 1024 * 1024;

type Asker = Pick<Asking['asker'], 'requestedBy' | 'task'>;

/** Whose turn it is to have something prepared: a task's, or else that of the peer or of this node, however many sessions it names. */
export function turnOf(asker: Asker, signal: AbortSignal | undefined): TurnOf {
  const mostWaiting = asker.task === undefined ? MOST_WAITING : MOST_WAITING_OF_TASK;
  return { whose: laneOf(asker), mostWaiting, signal };
}

/** Why it is refused to have one more prepared. */
export function tooMany(asker: Asker): { readonly code: 'LIMIT_EXCEEDED'; message: string; nextSteps: string[] } {
  const whose = asker.task === undefined ? asker.requestedBy : `task ${asker.task}`;
  const most = turnOf(asker, undefined).mostWaiting;
  return {
    code: 'LIMIT_EXCEEDED',
    message: `${most} commands of ${quote(whose)} wait already to be looked at, the most for one that asks`,
    nextSteps: ['ask again when some of them are answered'],
  };
}

/** Files of a command that is asked about: nothing is copied, and nothing more is read when nobody waits any more. */
export function filesToLookAt(files: CommandFiles, signal: AbortSignal | undefined): ActionFiles {
  return {
    inspect: (path) => files.inspect(path),
    hold: (path, mostBytes) => files.read(path, mostBytes, signal),
  };
}

/** Room on the disk for what commands hold while they run. */
export interface HeldRoom {
  /** Files of one command of an asker. */
  filesOf(asker: Asker): RoomyFiles;
}

/** Files that are held as long as there is room for them. */
export interface RoomyFiles extends ActionFiles {
  /** Whether something was not held because what else is held leaves no room for it now. */
  lacksRoom(): boolean;
}

export function createHeldRoom(files: CommandFiles, most = { each: MOST_HELD_EACH, all: MOST_HELD }): HeldRoom {
  const held = new Map<string, number>();
  let all = 0;

  function take(lane: string, bytes: number): boolean {
    const own = held.get(lane) ?? 0;
    if (own + bytes > most.each || all + bytes > most.all) return false;
    held.set(lane, own + bytes);
    all += bytes;
    return true;
  }

  function give(lane: string, bytes: number): void {
    const left = (held.get(lane) ?? 0) - bytes;
    if (left > 0) held.set(lane, left);
    else held.delete(lane);
    all -= bytes;
  }

  return {
    filesOf(asker) {
      const lane = laneOf(asker);
      let lacks = false;
      return {
        inspect: (path) => files.inspect(path),
        lacksRoom: () => lacks,
        async hold(path, mostBytes) {
          // By what it says of itself: a file with holes takes none of its own room, and all of it as a copy.
          const size = (await files.inspect(path))?.sizeBytes ?? 0;
          if (size > mostBytes) return undefined;
          if (!take(lane, size)) {
            lacks = true;
            return undefined;
          }
          let isKept = false;
          try {
            const file = await files.hold(path, size);
            if (file === undefined || !file.isCopy) return file;
            isKept = true;
            return { ...file, release: () => file.release().finally(() => give(lane, size)) };
          } finally {
            if (!isKept) give(lane, size);
          }
        },
      };
    },
  };
}

/** Whoever asks is one, in all its sessions, which cost nothing. */
function laneOf({ requestedBy, task }: Asker): string {
  return task === undefined ? `by ${requestedBy}` : `task ${task}`;
}
