import { LEAST_KEPT_MS } from '@writ/core';
import type { RemovalTx, WriteTx } from '@writ/database';
import type { SessionPruning } from './types.ts';

const PAGE = `SELECT origin, id AS session, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs FROM session
  WHERE (origin, id) > (@origin, @session) ORDER BY origin, id LIMIT @limit`;
/** A record of authority that is kept names it. Ids are compared alone where rows name this node in another way. */
const IS_NAMED = `SELECT EXISTS (SELECT 1 FROM execution WHERE origin = @origin AND session = @session)
  OR EXISTS (SELECT 1 FROM approval WHERE origin = @origin AND session = @session)
  OR EXISTS (SELECT 1 FROM window WHERE origin = @origin AND session = @session AND closed_at_ms IS NULL)
  OR EXISTS (SELECT 1 FROM lease WHERE session = @session)
  OR EXISTS (SELECT 1 FROM session_end WHERE origin = @origin AND session = @session)`;
const IS_HELD = 'SELECT EXISTS (SELECT 1 FROM session_holder WHERE origin = ? AND session = ?)';
const REMOVE = 'DELETE FROM session WHERE origin = ? AND id = ?';
const FORGET_HOLDERS = 'DELETE FROM session_holder WHERE origin = ? AND session = ?';

interface Looked {
  readonly origin: string;
  readonly session: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

/** See `SessionStore.prune`. */
export function pruneSessions(tx: RemovalTx, pruning: SessionPruning) {
  const { after = { origin: '', session: '' }, limit } = pruning;
  const page = tx.prepare(PAGE).all({ ...after, limit }) as readonly Looked[];
  const due = page.filter((one) => isOver(tx, one, pruning) && !isNamed(tx, one, pruning));
  for (const { origin, session } of due) {
    tx.prepare(FORGET_HOLDERS).run(origin, session);
    tx.prepare(REMOVE).run(origin, session);
  }
  if (due.length > 0) {
    tx.audit({ kind: 'session', action: 'session.removed', actor: 'node', details: { sessions: due.length } });
  }
  const last = page.length < limit ? undefined : page.at(-1);
  return { removed: due.length, ...(last && { next: { origin: last.origin, session: last.session } }) };
}

/** Long enough, and its record is needed for nothing more. */
function isOver(
  tx: WriteTx,
  { origin, session, startedAtMs, endedAtMs }: Looked,
  { rulesOf, openBeforeMs }: SessionPruning,
): boolean {
  const { isRecordedAnew, staysEnded, isOfOneCall } = rulesOf({ origin, session });
  if (endedAtMs !== null) return staysEnded && endedAtMs <= tx.nowMs - LEAST_KEPT_MS;
  if (!isRecordedAnew || startedAtMs > openBeforeMs) return false;
  // Who was asked is to hear of the end; one of a single call has none.
  return isOfOneCall || tx.prepare(IS_HELD).pluck().get(origin, session) === 0;
}

function isNamed(tx: WriteTx, { origin, session }: Looked, pruning: SessionPruning): boolean {
  return tx.prepare(IS_NAMED).pluck().get({ origin, session }) === 1 || pruning.isNamed(tx, { origin, session });
}
