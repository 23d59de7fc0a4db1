import type { ReadTx } from '@writ/database';

/** What has an audit row, as `ID ACTION`; built once a query, where a look for each row would read the whole log each time. */
const AUDITED = `(SELECT subject || ' ' || action FROM audit WHERE subject IS NOT NULL)`;

/** What may never be seen, whatever came in whatever order and whenever a node was killed: each text counts violations. */
const HALF_DONE: Readonly<Record<string, string>> = {
  'a command that waits for a question that does not': `SELECT COUNT(*) FROM execution e JOIN approval a ON a.id = e.approval
    WHERE e.state = 'pending_approval' AND a.state <> 'pending'`,
  'a question that no command waits for': `SELECT COUNT(*) FROM approval a WHERE a.state = 'pending' AND a.kind = 'execution'
    AND NOT EXISTS (SELECT 1 FROM execution e WHERE e.approval = a.id AND e.state = 'pending_approval')`,
  'a command that ran without a yes or a window': `SELECT COUNT(*) FROM execution e LEFT JOIN approval a ON a.id = e.approval
    WHERE e.class <> 'read' AND e.started_at_ms IS NOT NULL AND e.window IS NULL
    AND (a.id IS NULL OR a.state <> 'approved' OR a.used_at_ms IS NULL OR a.digest <> e.digest)`,
  'a command that ran under a window of another key': `SELECT COUNT(*) FROM execution e JOIN window w ON w.id = e.window
    WHERE e.origin <> w.origin OR e.session <> w.session OR e.agent <> w.agent
    OR (w.kind = 'destructive') <> (e.class = 'destructive') OR (w.kind = 'destructive' AND e.target IS NOT w.target)
    OR (w.steps IS NOT NULL AND NOT EXISTS (SELECT 1 FROM json_each(w.steps) WHERE value = e.digest))
    OR (w.steps IS NULL AND e.known = 0 AND NOT EXISTS (SELECT 1 FROM approval a, json_each(a.subject, '$.steps') s
      WHERE a.id = w.approval AND json_extract(s.value, '$.digest') = e.digest))`,
  'a yes that was used by no command': `SELECT COUNT(*) FROM approval a WHERE a.used_at_ms IS NOT NULL AND a.id NOT IN
    (SELECT approval FROM execution WHERE approval IS NOT NULL AND started_at_ms IS NOT NULL)`,
  'a yes that two commands used': `SELECT COUNT(*) FROM (SELECT 1 FROM execution
    WHERE started_at_ms IS NOT NULL AND window IS NULL AND approval IS NOT NULL GROUP BY approval HAVING COUNT(*) > 1)`,
  'a yes for more than once without its window': `SELECT COUNT(*) FROM approval a WHERE a.scope IN ('session', 'target')
    AND a.id NOT IN (SELECT approval FROM window WHERE approval IS NOT NULL)`,
  'a window that nobody said yes to': `SELECT COUNT(*) FROM window w WHERE NOT EXISTS
    (SELECT 1 FROM approval a WHERE a.id = w.approval AND a.state = 'approved' AND a.scope IN ('session', 'target'))`,
  'a window that was used too often': 'SELECT COUNT(*) FROM window WHERE max_uses IS NOT NULL AND uses > max_uses',
  'uses of windows that are not those of commands': `SELECT COUNT(*) FROM window w WHERE w.uses <>
    (SELECT COUNT(*) FROM execution e WHERE e.window = w.id AND e.state <> 'failed')`,
  'uses of leases that are not those of commands': `SELECT (SELECT IFNULL(SUM(uses), 0) FROM lease) <>
    (SELECT COUNT(*) FROM execution WHERE lease IS NOT NULL AND state <> 'failed')`,
  'something that waits in a session that has ended': `SELECT (SELECT COUNT(*) FROM approval a
      JOIN session s ON s.origin = a.origin AND s.id = a.session WHERE s.ended_at_ms IS NOT NULL AND a.state = 'pending')
    + (SELECT COUNT(*) FROM execution e JOIN session s ON s.origin = e.origin AND s.id = e.session
      WHERE s.ended_at_ms IS NOT NULL AND e.state IN ('proposed', 'pending_approval'))
    + (SELECT COUNT(*) FROM window w JOIN session s ON s.origin = w.origin AND s.id = w.session
      WHERE s.ended_at_ms IS NOT NULL AND w.closed_at_ms IS NULL)`,
  'an end of a session that nobody is told of': `SELECT COUNT(*) FROM session s WHERE s.ended_at_ms IS NOT NULL
    AND s.id || ' session.ended' NOT IN ${AUDITED}`,
  'a state without its audit row': `SELECT COUNT(*) FROM execution e
    WHERE e.id || ' execution.' || e.state NOT IN ${AUDITED}`,
  'an answer without its audit row': `SELECT COUNT(*) FROM approval a WHERE a.state <> 'pending'
    AND a.id || ' approval.' || a.state NOT IN ${AUDITED}`,
  'a window without its audit rows': `SELECT COUNT(*) FROM window w
    WHERE w.id || ' window.opened' NOT IN ${AUDITED}
    OR (w.closed_at_ms IS NOT NULL AND w.id || ' window.closed' NOT IN ${AUDITED})`,
};

/** The first thing that is half done, and how often; undefined: nothing is. */
export function halfDone(tx: ReadTx): string | undefined {
  for (const [what, sql] of Object.entries(HALF_DONE)) {
    const found = tx.prepare(sql).pluck().get();
    if (found !== 0) return `${what} (${String(found)})`;
  }
  return undefined;
}
