import type { Database, WriteTx } from '@writ/database';

/** Tells of the beginning, every statement, the last moment and the return of each write transaction. */
export function withSteps(real: Database, step: (place: 'before' | 'inside' | 'after') => void): Database {
  const stepped = (tx: WriteTx): WriteTx =>
    new Proxy(tx, {
      get(target, name) {
        if (name !== 'prepare') return Reflect.get(target, name, target);
        return (sql: string) => {
          step('inside');
          return target.prepare(sql);
        };
      },
    });
  return new Proxy(real, {
    get(target, name) {
      if (name !== 'withWriteTx') return Reflect.get(target, name, target);
      return <T>(fn: (tx: WriteTx) => T): T => {
        step('before');
        const result = target.withWriteTx((tx) => {
          const value = fn(stepped(tx));
          step('inside');
          return value;
        });
        step('after');
        return result;
      };
    },
  });
}
