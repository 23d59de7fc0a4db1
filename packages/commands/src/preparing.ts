import { type ActionFiles, isOfPeer, laneOf, type WhoAsks, whoseTurn } from '@writ/authority';
import { quote, type TurnLimits, type TurnOf } from '@writ/core';
import type { CommandFiles } from './types.ts';

/** Commands that are read and hashed at once, before anybody has said yes to them. */
export const PREPARED_AT_ONCE: TurnLimits = { atOnce: 4, each: 2 };
/** Most that wait for that: of one task, and of one peer or all agents of this node. */
const MOST_WAITING_OF_TASK = 16;
const MOST_WAITING = 128;

/** Most that copies take up at once, bytes: of one lane, and of all peers. What one command may hold fits into the first. */
const MOST_HELD_EACH = 2 * 1024 * 1024 * 1024;
const MOST_HELD_OF_PEERS = 2 * MOST_HELD_EACH;

/** The turn in which something is prepared: a task's, or else that of its lane. */
export function preparingTurn(asker: WhoAsks, signal: AbortSignal | undefined): TurnOf {
  return { whose: whoseTurn(asker), mostWaiting: mostWaitingOf(asker), signal };
}

function mostWaitingOf({ task }: WhoAsks): number {
  return task === undefined ? MOST_WAITING : MOST_WAITING_OF_TASK;
}

/** Why it is refused to have one more prepared. */
export function tooMany(asker: WhoAsks): { readonly code: 'LIMIT_EXCEEDED'; message: string; nextSteps: string[] } {
  return {
    code: 'LIMIT_EXCEEDED',
    message: `${mostWaitingOf(asker)} commands of ${quote(whoseTurn(asker))} wait already to be looked at, the most for one that asks`,
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
  filesOf(asker: WhoAsks): RoomyFiles;
}

/** Files that are held as long as there is room for them. */
export interface RoomyFiles extends ActionFiles {
  /** Whether something was not held because what else is held leaves no room for it now. */
  lacksRoom(): boolean;
}

/** Peers take none of this node's own room, and a task none but that of whoever asked for it. */
export function createHeldRoom(
  files: CommandFiles,
  most = { each: MOST_HELD_EACH, ofPeers: MOST_HELD_OF_PEERS },
): HeldRoom {
  const held = new Map<string, number>();
  let ofPeers = 0;

  function take(asker: WhoAsks, bytes: number): boolean {
    const own = held.get(laneOf(asker)) ?? 0;
    if (own + bytes > most.each || (isOfPeer(asker) && ofPeers + bytes > most.ofPeers)) return false;
    count(asker, bytes);
    return true;
  }

  function count(asker: WhoAsks, bytes: number): void {
    const lane = laneOf(asker);
    const all = (held.get(lane) ?? 0) + bytes;
    if (all > 0) held.set(lane, all);
    else held.delete(lane);
    if (isOfPeer(asker)) ofPeers += bytes;
  }

  return {
    filesOf(asker) {
      let lacks = false;
      return {
        inspect: (path) => files.inspect(path),
        lacksRoom: () => lacks,
        async hold(path, mostBytes) {
          // By what it says of itself: a file with holes takes none of its own room, and all of it as a copy.
          const size = (await files.inspect(path))?.sizeBytes ?? 0;
          if (size > mostBytes) return undefined;
          if (!take(asker, size)) {
            lacks = true;
            return undefined;
          }
          let isKept = false;
          try {
            const file = await files.hold(path, size);
            if (file === undefined || !file.isCopy) return file;
            isKept = true;
            return { ...file, release: () => file.release().finally(() => count(asker, -size)) };
          } finally {
            if (!isKept) count(asker, -size);
          }
        },
      };
    },
  };
}
