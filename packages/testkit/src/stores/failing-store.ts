/** A real store whose methods fail when a test says so. */
export interface FailingStore<T> {
  readonly store: T;
  /**
   * The next call of `method` throws `error`: `before` it has any effect, or `after` it had all of it, as when a disk
   * fills up between two statements of one transaction.
   */
  failNext(method: keyof T, error: Error, when?: 'before' | 'after'): void;
}

/** Fakes are the real implementation with injected errors, so that what a test believes about a store is true of it. */
export function createFailingStore<T extends object>(real: T): FailingStore<T> {
  const armed = new Map<PropertyKey, { readonly error: Error; readonly when: 'before' | 'after' }>();
  const store = new Proxy(real, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const failure = armed.get(name);
        armed.delete(name);
        if (failure?.when === 'before') throw failure.error;
        const result: unknown = Reflect.apply(member, target, args);
        if (failure) throw failure.error;
        return result;
      };
    },
  });
  return {
    store,
    failNext(method, error, when = 'before') {
      armed.set(method, { error, when });
    },
  };
}
