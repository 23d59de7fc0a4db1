/** Where a task stands. */
export interface Place {
  /** Who takes turns with everybody else. */
  readonly whose: string;
  /** Which of the lines of theirs, which share those turns. */
  readonly line: string;
}

/** Queued tasks and the slots that they wait for. */
export interface TaskQueue {
  /** Enters `id`; starts it at once where a slot is free. */
  push(place: Place, id: string): void;
  /**
   * How many queued tasks get a slot before one that is entered now, as long as nobody else comes; undefined where it
   * would get one at once.
   */
  before(place: Place): number | undefined;
  /** How many tasks are queued in all lines of one. */
  queuedOf(whose: string): number;
  /** Takes a free slot for a task that is not entered; false where there is none. Given back by `release`. */
  claim(): boolean;
  /** Takes a task out that has not been started; false where it is not queued. */
  remove(place: Place, id: string): boolean;
  /** A started task is over: its slot is free. */
  release(): void;
  /** Nothing starts any more. */
  close(): void;
}

interface Lines {
  /** In the order in which they take turns; none without tasks. */
  readonly ids: Map<string, string[]>;
  queued: number;
}

/**
 * First in, first out in each line; whoever waits takes turns with the others, and the lines of one share its turns: a
 * thousand tasks of one hold nobody else up, however many lines they stand in. `start` is called once for each task that
 * gets a slot; it may not throw.
 */
export function createTaskQueue(options: { readonly slots: number; readonly start: (id: string) => void }): TaskQueue {
  /** In the order in which they take turns; nobody without tasks. */
  const waiting = new Map<string, Lines>();
  let busy = 0;
  let closed = false;

  function takeNext(): string | undefined {
    const turn = waiting.entries().next();
    if (turn.done) return undefined;
    const [whose, lines] = turn.value;
    const id = takeFirst(lines);
    waiting.delete(whose);
    if (lines.queued > 0) waiting.set(whose, lines);
    return id;
  }

  function pump(): void {
    while (!closed && busy < options.slots) {
      const id = takeNext();
      if (id === undefined) return;
      busy += 1;
      options.start(id);
    }
  }

  return {
    push({ whose, line }, id) {
      const lines = waiting.get(whose) ?? { ids: new Map(), queued: 0 };
      waiting.set(whose, lines);
      const ids = lines.ids.get(line) ?? [];
      lines.ids.set(line, ids);
      ids.push(id);
      lines.queued += 1;
      pump();
    },
    queuedOf: (whose) => waiting.get(whose)?.queued ?? 0,
    claim() {
      if (closed || busy >= options.slots) return false;
      busy += 1;
      return true;
    },
    before: (place) => (busy < options.slots ? undefined : standingBefore(waiting, place)),
    remove({ whose, line }, id) {
      const lines = waiting.get(whose);
      const ids = lines?.ids.get(line);
      const at = ids?.indexOf(id) ?? -1;
      if (!lines || !ids || at < 0) return false;
      ids.splice(at, 1);
      if (ids.length === 0) lines.ids.delete(line);
      lines.queued -= 1;
      if (lines.queued === 0) waiting.delete(whose);
      return true;
    },
    release() {
      busy -= 1;
      pump();
    },
    close() {
      closed = true;
    },
  };
}

function takeFirst(lines: Lines): string | undefined {
  const turn = lines.ids.entries().next();
  if (turn.done) return undefined;
  const [line, ids] = turn.value;
  const id = ids.shift();
  lines.ids.delete(line);
  if (ids.length > 0) lines.ids.set(line, ids);
  lines.queued -= 1;
  return id;
}

function standingBefore(waiting: ReadonlyMap<string, Lines>, { whose, line }: Place): number {
  const lines = waiting.get(whose)?.ids ?? new Map<string, string[]>();
  const ofLines = [...lines].map(([key, ids]) => ({ key, length: ids.length }));
  const ahead = before(ofLines, line, lines.get(line)?.length ?? 0);
  return before(
    [...waiting].map(([key, { queued }]) => ({ key, length: queued })),
    whose,
    ahead,
  );
}

/** How many get their turn before the one of `own` that has `ahead` others of the same before it. */
function before(
  inTurn: readonly { readonly key: string; readonly length: number }[],
  own: string,
  ahead: number,
): number {
  const at = inTurn.findIndex(({ key }) => key === own);
  const others = inTurn.map(({ length }, index) =>
    index === at ? 0 : Math.min(length, at < 0 || index < at ? ahead + 1 : ahead),
  );
  return others.reduce((sum, turns) => sum + turns, ahead);
}
