import type { NodeFactStore } from './types.ts';

const GET = 'SELECT value FROM node_fact WHERE key = ?';
const SET = 'INSERT INTO node_fact (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';

const REMOVE = 'DELETE FROM node_fact WHERE key = ?';
const KEYS = 'SELECT key FROM node_fact WHERE key >= ? AND key < ? ORDER BY key';

/** Facts of a node in SQLite. */
export function createNodeFactStore(): NodeFactStore {
  return {
    get(tx, key) {
      const value = tx.prepare(GET).pluck().get(key);
      return typeof value === 'string' ? value : undefined;
    },
    set(tx, key, value) {
      tx.prepare(SET).run(key, value);
    },
    remove(tx, key) {
      tx.prepare(REMOVE).run(key);
    },
    keys: (tx, prefix) => tx.prepare(KEYS).pluck().all(prefix, `${prefix}\u007f`).map(String),
  };
}
