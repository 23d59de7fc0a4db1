import type { WriteTx } from '@writ/database';
import { KEEP_ENDED_MS } from './keeping.ts';
import type { SessionPruning } from './types.ts';

/** Nothing that is kept names the session `s`. Ids are compared alone where rows name this node in another way. */
const NOTHING_NAMES_IT = `NOT EXISTS (SELECT 1 FROM task WHERE task.session = s.id)
  AND NOT EXISTS (SELECT 1 FROM mirror WHERE mirror.session = s.id)
  AND NOT EXISTS (SELECT 1 FROM execution e WHERE e.origin = s.origin AND e.session = s.id)
  AND NOT EXISTS (SELECT 1 FROM approval a WHERE a.origin = s.origin AND a.session = s.id)
  AND NOT EXISTS (SELECT 1 FROM window w WHERE w.origin = s.origin AND w.session = s.id AND w.closed_at_ms IS NULL)
  AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.session = s.id)
  AND NOT EXISTS (SELECT 1 FROM session_end o WHERE o.origin = s.origin AND o.session = s.id)`;

/** One that goes on is recorded anew by whatever comes in it; but this node's record of one with a credential is what proves it. */
const IS_RECORDED_ANEW = `(s.origin <> @self OR s.id LIKE 'key-%' OR length(s.id) = 36)`;
/**
 * Somebody was asked in one that may still end, and is then told of the end. One of a single call has nothing left to be ended:
 * that it was held by somebody means nothing any more.
 */
const MAY_BE_TOLD = `(s.id NOT LIKE 'key-%'
  AND EXISTS (SELECT 1 FROM session_holder h WHERE h.origin = s.origin AND h.session = s.id))`;
/** No writ is left that anything could come with, and no credential proves it. Any other of this node's own would begin again. */
const STAYS_ENDED = `(s.origin <> @self OR s.id LIKE 'cli-%')`;

const PAGE = `SELECT s.origin, s.id, ${NOTHING_NAMES_IT} AND ((s.ended_at_ms <= @endedBeforeMs AND ${STAYS_ENDED})
    OR (s.ended_at_ms IS NULL AND s.started_at_ms <= @openBeforeMs AND ${IS_RECORDED_ANEW}
      AND NOT ${MAY_BE_TOLD})) AS isDue
  FROM (SELECT * FROM session WHERE (origin, id) > (@origin, @id) ORDER BY origin, id LIMIT @limit) s`;
const REMOVE = 'DELETE FROM session WHERE origin = ? AND id = ?';
const FORGET_HOLDERS = 'DELETE FROM session_holder WHERE origin = ? AND session = ?';

interface Looked {
  readonly origin: string;
  readonly id: string;
  readonly isDue: number | null;
}

/** See `SessionStore.prune`. */
export function pruneSessions(tx: WriteTx, { after, self, openBeforeMs, limit }: SessionPruning) {
  const { origin, session: id } = after ?? { origin: '', session: '' };
  const bounds = { origin, id, self, openBeforeMs, endedBeforeMs: tx.nowMs - KEEP_ENDED_MS, limit };
  const page = tx.prepare(PAGE).all(bounds) as readonly Looked[];
  const due = page.filter(({ isDue }) => isDue === 1);
  for (const session of due) {
    tx.prepare(FORGET_HOLDERS).run(session.origin, session.id);
    tx.prepare(REMOVE).run(session.origin, session.id);
  }
  if (due.length > 0) {
    tx.audit({ kind: 'session', action: 'session.removed', actor: 'node', details: { sessions: due.length } });
  }
  const last = page.length < limit ? undefined : page.at(-1);
  return { removed: due.length, ...(last && { next: { origin: last.origin, session: last.id } }) };
}
