import type { RequestLogStore } from './types.ts';

const HOUR_S = 3600;

const RECORD = `INSERT INTO request_log (subject, at_s, requests) VALUES (?, ?, 1)
  ON CONFLICT (subject, at_s) DO UPDATE SET requests = requests + 1`;
const COUNT = 'SELECT COALESCE(SUM(requests), 0) FROM request_log WHERE subject = ? AND at_s > ? AND at_s <= ?';
const PRUNE = `DELETE FROM request_log WHERE (subject, at_s) IN (
  SELECT subject, at_s FROM request_log WHERE at_s <= ? OR at_s > ? LIMIT ?)`;

/**
 * Requests in SQLite, counted by second: however fast a subject asks, an hour of it is at most 3600 rows, and a count
 * is right to the second.
 */
export function createRequestLogStore(): RequestLogStore {
  return {
    record(tx, subject) {
      tx.prepare(RECORD).run(subject, seconds(tx.nowMs));
    },
    countLastHour(tx, subject, nowMs) {
      const nowS = seconds(nowMs);
      return Number(
        tx
          .prepare(COUNT)
          .pluck()
          .get(subject, nowS - HOUR_S, nowS),
      );
    },
    prune(tx, limit) {
      const nowS = seconds(tx.nowMs);
      // What lies ahead is of a clock that was wrong, and set right since.
      return tx.prepare(PRUNE).run(nowS - HOUR_S, nowS, limit).changes;
    },
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
