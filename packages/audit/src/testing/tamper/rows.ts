import type BetterSqlite3 from 'better-sqlite3';
import type { Tampering, Victim } from './types.ts';

/** What can be done to rows. */
export const ROW_TAMPERINGS: readonly Tampering[] = [
  ...['actor', 'action', 'subject', 'kind', 'at_ms'].map((column) => ({
    name: `rows: edit ${column}`,
    apply(victim: Victim) {
      const entry = victim.pick(1, victim.size);
      const changed = column === 'at_ms' ? `at_ms + ${victim.pick(1, 9)}` : `coalesce(${column}, '') || 'x'`;
      victim.rows((db) => db.prepare(`UPDATE audit SET ${column} = ${changed} WHERE seq = ?`).run(entry));
      return { where: ['rows'], kind: ['edited'], entry } as const;
    },
  })),
  {
    name: 'rows: edit details, as JSON that reads the same',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      victim.rows((db) =>
        db.prepare(`UPDATE audit SET details = '{"number":0,' || substr(details, 2) WHERE seq = ?`).run(entry),
      );
      return { where: ['rows'], kind: ['edited'], entry };
    },
  },
  {
    name: 'rows: drop one',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      victim.rows((db) => db.prepare('DELETE FROM audit WHERE seq = ?').run(entry));
      return { where: ['rows'], kind: entry === victim.size ? ['cut'] : ['missing'], entry };
    },
  },
  {
    name: 'rows: drop one and number the rest anew',
    apply(victim) {
      const entry = victim.pick(1, victim.size - 1);
      victim.rows((db) => {
        db.prepare('DELETE FROM audit WHERE seq = ?').run(entry);
        shift(db, entry, -1);
        count(db, victim.size - 1);
      });
      return { where: ['rows'], kind: ['edited'], entry };
    },
  },
  {
    name: 'rows: put a copy between',
    apply(victim) {
      const entry = victim.pick(2, victim.size);
      victim.rows((db) => {
        shift(db, entry - 1, 1);
        copy(db, entry - 1, entry);
        count(db, victim.size + 1);
      });
      return { where: ['rows'], kind: ['edited'], entry };
    },
  },
  {
    name: 'rows: exchange two',
    apply(victim) {
      const entry = victim.pick(1, victim.size - 1);
      const other = victim.pick(entry + 1, victim.size);
      victim.rows((db) => {
        const move = db.prepare('UPDATE audit SET seq = ? WHERE seq = ?');
        move.run(-1, entry);
        move.run(entry, other);
        move.run(other, -1);
      });
      return { where: ['rows'], kind: ['edited'], entry };
    },
  },
  {
    name: 'rows: cut the tail',
    apply(victim) {
      const entry = victim.pick(2, victim.size);
      victim.rows((db) => {
        db.prepare('DELETE FROM audit WHERE seq >= ?').run(entry);
        count(db, entry - 1);
      });
      return { where: ['rows'], kind: ['cut'], entry };
    },
  },
  {
    name: 'rows: take the last ones away, nothing else',
    apply(victim) {
      const entry = victim.pick(2, victim.size);
      victim.rows((db) => db.prepare('DELETE FROM audit WHERE seq >= ?').run(entry));
      return { where: ['rows'], kind: ['cut'], entry };
    },
  },
];

/** Moves all rows behind `after` by one place. */
function shift(db: BetterSqlite3.Database, after: number, by: 1 | -1): void {
  db.prepare('UPDATE audit SET seq = -seq WHERE seq > ?').run(after);
  db.prepare('UPDATE audit SET seq = -seq + ? WHERE seq < 0').run(by);
}

function copy(db: BetterSqlite3.Database, from: number, to: number): void {
  db.prepare(
    `INSERT INTO audit (seq, at_ms, kind, action, actor, subject, details)
    SELECT ?, at_ms, kind, action, actor, subject, details FROM audit WHERE seq = ?`,
  ).run(to, from);
}

/** Makes the database believe that it never gave out more numbers. */
export function count(db: BetterSqlite3.Database, size: number): void {
  db.prepare(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'audit'`).run(size);
}
