import { type Clock, nextTurn } from '@writ/core';
import type { WatchedEvent } from '../types.ts';

/** How long changes of state wait for what follows them, to be stored with it, milliseconds. */
const GROUP_MS = 10;
/** Most events that one transaction takes over. */
const BATCH_EVENTS = 64;

/**
 * What has arrived together comes together. Changes of state wait a little for what follows them; output and the outcome
 * wait for nothing, and a batch ends with the outcome. What came before a break is given before it is thrown.
 */
export async function* eventBatches(
  stream: AsyncIterable<WatchedEvent>,
  clock: Clock,
): AsyncGenerator<readonly WatchedEvent[]> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    let coming = next(iterator);
    for (;;) {
      let arrived: Arrival | undefined = await coming;
      const batch: WatchedEvent[] = [];
      const quiet = createQuiet(clock);
      while (arrived?.watched) {
        batch.push(arrived.watched);
        if (arrived.watched.event.kind === 'outcome') {
          quiet.end();
          yield batch;
          return;
        }
        coming = next(iterator);
        const enough: Promise<undefined> = isUrgent(arrived.watched) ? endOfTurn() : quiet.over;
        arrived = batch.length < BATCH_EVENTS ? await Promise.race([coming, enough]) : undefined;
      }
      quiet.end();
      if (batch.length > 0) yield batch;
      if (arrived?.error !== undefined) throw arrived.error;
      if (arrived) return;
    }
  } finally {
    // Not awaited: it comes behind what is being waited for, which the reader ends.
    iterator.return?.().catch(() => {});
  }
}

/** One step of a stream; neither field at its end. */
interface Arrival {
  readonly watched?: WatchedEvent;
  readonly error?: unknown;
}

async function next(iterator: AsyncIterator<WatchedEvent>): Promise<Arrival> {
  try {
    const result = await iterator.next();
    return result.done ? {} : { watched: result.value };
  } catch (error) {
    return { error };
  }
}

function isUrgent({ event }: WatchedEvent): boolean {
  return event.kind !== 'state' && event.kind !== 'granted';
}

/** The wait of one batch, from its first event. */
function createQuiet(clock: Clock): { readonly over: Promise<undefined>; readonly end: () => void } {
  let end: () => void = () => {};
  const over = new Promise<undefined>((resolve) => {
    const disarm = clock.setTimer(GROUP_MS, () => resolve(undefined));
    end = () => {
      disarm();
      resolve(undefined);
    };
  });
  return { over, end };
}

/** Resolves when all that has arrived by now had its turn: it comes in the same batch, and so do many small ones. */
async function endOfTurn(): Promise<undefined> {
  await nextTurn();
  return undefined;
}
