/** Queued tasks and the slots that they wait for. */
export interface TaskQueue {
  /** Enters `id`; starts it at once where a slot is free. */
  push(sender: string, id: string): void;
  /** How many queued tasks stand before one that is entered now; undefined where it would get a slot at once. */
  before(): number | undefined;
  /** How many tasks of one sender are queued. */
  queuedOf(sender: string): number;
  /** Takes a free slot for a task that is not entered; false where there is none. Given back by `release`. */
  claim(): boolean;
  /** Takes a task out that has not been started; false where it is not queued. */
  remove(sender: string, id: string): boolean;
  /** A started task is over: its slot is free. */
  release(): void;
  /** Nothing starts any more. */
  close(): void;
}

/**
 * First in, first out for each sender; the senders take turns, so that a thousand tasks of one peer hold nobody else up.
 * `start` is called once for each task that gets a slot; it may not throw.
 */
export function createTaskQueue(options: { readonly slots: number; readonly start: (id: string) => void }): TaskQueue {
  /** In the order in which the senders take turns; no sender without tasks. */
  const lines = new Map<string, string[]>();
  let queued = 0;
  let busy = 0;
  let closed = false;

  function takeNext(): string | undefined {
    const turn = lines.entries().next();
    if (turn.done) return undefined;
    const [sender, line] = turn.value;
    const id = line.shift();
    lines.delete(sender);
    if (line.length > 0) lines.set(sender, line);
    queued -= 1;
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
    push(sender, id) {
      const line = lines.get(sender) ?? [];
      line.push(id);
      lines.set(sender, line);
      queued += 1;
      pump();
    },
    queuedOf: (sender) => lines.get(sender)?.length ?? 0,
    claim() {
      if (closed || busy >= options.slots) return false;
      busy += 1;
      return true;
    },
    before: () => (busy < options.slots ? undefined : queued),
    remove(sender, id) {
      const line = lines.get(sender);
      const at = line?.indexOf(id) ?? -1;
      if (!line || at < 0) return false;
      line.splice(at, 1);
      if (line.length === 0) lines.delete(sender);
      queued -= 1;
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
