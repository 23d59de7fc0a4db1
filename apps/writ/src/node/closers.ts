/** What has to be closed, in the reverse order of its opening. */
export interface Closers {
  /** `begin` is called before anything is closed, however late that was added. */
  addFirst(begin: () => void): void;
  /** `close` is called once, with the time that work may take to end. */
  add(close: (graceMs: number) => void | Promise<void>): void;
  /** Closes everything even where one fails, then throws the first failure. */
  close(graceMs: number): Promise<void>;
}

export function createClosers(): Closers {
  const stack: ((graceMs: number) => void | Promise<void>)[] = [];
  const first: (() => void)[] = [];
  return {
    addFirst: (begin) => void first.push(begin),
    add: (close) => void stack.push(close),
    async close(graceMs) {
      const failures: unknown[] = [];
      for (let close = first.pop() ?? stack.pop(); close !== undefined; close = first.pop() ?? stack.pop()) {
        try {
          await close(graceMs);
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
