/** How many things are done at a time. */
export interface TurnLimits {
  readonly ofAll: number;
  /** Of one side. */
  readonly ofOne: number;
}

/** Turns of sides that know nothing of each other. */
export interface Turns {
  /**
   * A side of its own; gives what waits for a turn of it, in the order of asking, and resolves to what ends that turn, to be called
   * once. Rejects with the reason of `unwanted` where that comes first.
   */
  join(): (unwanted: AbortSignal) => Promise<() => void>;
}

interface Side {
  taken: number;
  readonly waiting: Set<() => void>;
}

/** Of the sides that wait, the one with the fewest turns goes first, so that one that asks for much holds up itself alone. */
export function createTurns({ ofAll, ofOne }: TurnLimits): Turns {
  /** Those that wait; who had a turn stands behind the others. */
  const sides = new Set<Side>();
  let taken = 0;
  const next = (): void => {
    while (taken < ofAll) {
      const [side] = [...sides].filter((one) => one.taken < ofOne).sort((a, b) => a.taken - b.taken);
      const [begin] = side?.waiting ?? [];
      if (side === undefined || begin === undefined) return;
      side.waiting.delete(begin);
      sides.delete(side);
      if (side.waiting.size > 0) sides.add(side);
      side.taken += 1;
      taken += 1;
      begin();
    }
  };
  return {
    join() {
      const side: Side = { taken: 0, waiting: new Set() };
      const leave = (): void => {
        side.taken -= 1;
        taken -= 1;
        next();
      };
      return (unwanted) =>
        new Promise((resolve, reject) => {
          unwanted.throwIfAborted();
          const begin = (): void => {
            unwanted.removeEventListener('abort', abort);
            resolve(leave);
          };
          const abort = (): void => {
            side.waiting.delete(begin);
            if (side.waiting.size === 0) sides.delete(side);
            reject(unwanted.reason);
          };
          unwanted.addEventListener('abort', abort);
          side.waiting.add(begin);
          sides.add(side);
          next();
        });
    },
  };
}
