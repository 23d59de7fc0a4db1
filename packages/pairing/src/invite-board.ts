import type { Clock } from '@writ/core';
import { type Channel, createChannel } from './channel.ts';
import type { InviteEvent } from './types.ts';

/** How long the end of an invite can still be asked for, milliseconds. */
const KEEP_MS = 3_600_000;

/** What happens to this boot's invites, for the people who watch them. */
export interface InviteBoard {
  /** Begins an invite; at `expiresAtMs` it ends as `expired` unless it has ended before. */
  open(id: string, expiresAtMs: number): void;
  has(id: string): boolean;
  /** Tells the watchers; after an ending nothing more is told. */
  tell(id: string, event: InviteEvent): void;
  /** Where the invite stands, then what follows, to its end. */
  watch(id: string, signal: AbortSignal): AsyncIterable<InviteEvent>;
}

interface Entry {
  readonly watchers: Set<Channel<InviteEvent>>;
  last?: InviteEvent;
}

export function createInviteBoard(clock: Clock, onExpired: (id: string) => void): InviteBoard {
  const entries = new Map<string, Entry>();

  const tell = (id: string, event: InviteEvent): void => {
    const entry = entries.get(id);
    if (entry === undefined || isEnding(entry.last)) return;
    entry.last = event;
    for (const watcher of entry.watchers) {
      watcher.send(event);
      if (isEnding(event)) watcher.end();
    }
    if (isEnding(event)) clock.setTimer(KEEP_MS, () => entries.delete(id));
  };

  return {
    open(id, expiresAtMs) {
      if (entries.has(id)) return;
      entries.set(id, { watchers: new Set() });
      clock.setTimer(Math.max(0, expiresAtMs - clock.nowMs()), () => {
        onExpired(id);
        tell(id, { kind: 'expired' });
      });
    },
    has: (id) => entries.has(id),
    tell,
    async *watch(id, signal) {
      const entry = entries.get(id);
      if (entry === undefined) return;
      const channel = createChannel<InviteEvent>(signal);
      entry.watchers.add(channel);
      if (entry.last !== undefined) channel.send(entry.last);
      if (isEnding(entry.last)) channel.end();
      try {
        yield* channel;
      } finally {
        entry.watchers.delete(channel);
      }
    },
  };
}

function isEnding(event: InviteEvent | undefined): boolean {
  return event !== undefined && event.kind !== 'proved';
}
