import { WritError } from './errors.ts';

/** How much of a kind of work is done at once. */
export interface TurnLimits {
  /** Pieces at once, of all askers together. */
  readonly atOnce: number;
  /** Of these, of one asker. */
  readonly each: number;
}

/** Whose turn it is. */
export interface TurnOf {
  /** Who asks; askers take turns, however many each of them has waiting. */
  readonly whose: string;
  /** Most pieces of this asker that wait for a turn. */
  readonly mostWaiting: number;
  /** Aborted when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
}

/** What came of it; not taken: the asker has as many waiting as it may, and nothing was done. */
export type Turn<T> = { readonly taken: true; readonly value: T } | { readonly taken: false };

/** Work that costs much before anybody has said yes to it: few pieces at once, in turns between those who ask. */
export interface FairTurns {
  /** Does `work` when it is its turn. Rejects as `work` does, and with CANCELLED once `signal` is aborted before its turn. */
  take<T>(of: TurnOf, work: () => Promise<T>): Promise<Turn<T>>;
}

interface Waiting {
  begin(): void;
}

interface Lane {
  running: number;
  readonly waiting: Set<Waiting>;
}

export function createFairTurns({ atOnce, each }: TurnLimits): FairTurns {
  /** Of those who have something waiting or running; who had a turn last is the last. */
  const lanes = new Map<string, Lane>();
  let running = 0;

  function laneOf(whose: string): Lane {
    const known = lanes.get(whose);
    if (known !== undefined) return known;
    const lane: Lane = { running: 0, waiting: new Set() };
    lanes.set(whose, lane);
    return lane;
  }

  function begin(whose: string, lane: Lane): void {
    running += 1;
    lane.running += 1;
    lanes.delete(whose);
    lanes.set(whose, lane);
  }

  function beginNext(): void {
    while (running < atOnce) {
      const next = [...lanes].find(([, lane]) => lane.running < each && lane.waiting.size > 0);
      if (next === undefined) return;
      const [whose, lane] = next;
      const [first] = lane.waiting;
      if (first === undefined) return;
      lane.waiting.delete(first);
      begin(whose, lane);
      first.begin();
    }
  }

  function forget(whose: string, lane: Lane): void {
    if (lane.running === 0 && lane.waiting.size === 0) lanes.delete(whose);
  }

  async function untilTurn({ whose, signal }: TurnOf, lane: Lane): Promise<void> {
    if (lane.running < each && running < atOnce) return begin(whose, lane);
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        lane.waiting.delete(waiting);
        forget(whose, lane);
        reject(gone());
      };
      const waiting: Waiting = {
        begin() {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      lane.waiting.add(waiting);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  return {
    async take(of, work) {
      if (of.signal?.aborted) throw gone();
      const lane = laneOf(of.whose);
      const isFull = lane.running >= each || running >= atOnce;
      if (isFull && lane.waiting.size >= of.mostWaiting) {
        forget(of.whose, lane);
        return { taken: false };
      }
      await untilTurn(of, lane);
      try {
        return { taken: true, value: await work() };
      } finally {
        running -= 1;
        lane.running -= 1;
        forget(of.whose, lane);
        beginNext();
      }
    },
  };
}

function gone(): WritError {
  return new WritError('CANCELLED', 'nobody waits for it any more');
}
