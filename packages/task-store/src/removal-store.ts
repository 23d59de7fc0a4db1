import { sha256Hex } from '@writ/core';
import type { RemovalTx, WriteTx } from '@writ/database';
import { evidenceLeftover } from './leftovers.ts';
import type { EndedPart, RemovalRules, RemovalStore, RemovedPart, RemovedRow, TaskPart } from './removal-types.ts';

/** There is a receipt for the result of a task, or nobody who could send one. Never of an outcome that cannot be read. */
const handedOver = (
  task: string,
): string => `CASE WHEN json_valid(${task}.outcome) THEN ${task}.outcome ->> '$.result' IS NULL
  OR EXISTS (SELECT 1 FROM receipt WHERE receipt.task = ${task}.id)
  OR (${task}.sender <> 'self' AND lower(${task}.sender) NOT IN (SELECT value FROM json_each(@peers))) ELSE 0 END`;

/** INVARIANT: 9 the result of a task is kept until whoever asked for it has signed for it, or is nobody's peer any more. */
const TASK_IS_FREE = `${handedOver('t')}
  AND NOT EXISTS (SELECT 1 FROM mirror WHERE mirror.parent = t.id)
  AND NOT (t.sender = 'self' AND EXISTS (SELECT 1 FROM mirror WHERE mirror.id = t.id))`;

/** A late result is not asked for any more, the receipt has arrived, and the task that handed it on may go as well. */
const MIRROR_IS_FREE = `NOT (t.state = 'lost' AND t.unreachable = 1)
  AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.mirror = t.id AND (d.received_at_ms > @beforeMs
    OR (d.acknowledged_at_ms IS NULL AND d.refused_at_ms IS NULL
      AND (d.peer = 'self' OR lower(d.peer) IN (SELECT value FROM json_each(@peers))))))
  AND NOT EXISTS (SELECT 1 FROM task p WHERE p.id = t.parent
    AND NOT (p.ended_at_ms IS NOT NULL AND p.ended_at_ms <= @beforeMs AND ${handedOver('p')}))`;

const OF = {
  task: {
    peer: 'sender',
    owner: 'sender',
    isFree: TASK_IS_FREE,
    result: `CASE WHEN json_valid(t.outcome) THEN t.outcome ->> '$.result' END`,
    origin: 'NULL',
    shipped: 'NULL',
    remove: 'DELETE FROM receipt WHERE task = ?',
    leftovers: ['task-events', 'questions', 'transcript'],
  },
  mirror: {
    peer: 'peer',
    owner: 'session',
    isFree: MIRROR_IS_FREE,
    result: `ifnull((SELECT result FROM delivery WHERE delivery.mirror = t.id),
      CASE WHEN json_valid(t.outcome) THEN t.outcome ->> '$.result' END)`,
    origin: 't.origin',
    shipped: `CASE WHEN json_valid(t.spec) THEN t.spec ->> '$.shipped.bundle.sha256' END`,
    remove: 'DELETE FROM delivery WHERE mirror = ?',
    leftovers: ['mirror-events', 'copy'],
  },
} as const;

const walkSql = (part: TaskPart): string => `SELECT t.n, t.id, t.${OF[part].peer} AS peer, t.state,
  t.ended_at_ms AS endedAtMs, ${OF[part].isFree} AS isFree FROM ${part} t
  WHERE t.ended_at_ms IS NOT NULL AND (t.ended_at_ms, t.n) > (@endedAtMs, @n) AND t.ended_at_ms <= @beforeMs
  ORDER BY t.ended_at_ms, t.n LIMIT @limit`;
const getSql = (
  part: TaskPart,
): string => `SELECT t.n, t.state, t.${OF[part].peer} AS peer, t.${OF[part].owner} AS owner,
  t.session, ${OF[part].origin} AS origin, t.idempotency_key AS key, t.ended_at_ms AS endedAtMs,
  ${OF[part].result} AS result, ${OF[part].shipped} AS shipped FROM ${part} t
  WHERE t.id = @id AND t.ended_at_ms IS NOT NULL AND t.ended_at_ms <= @beforeMs AND ${OF[part].isFree}`;
const WALK = { task: walkSql('task'), mirror: walkSql('mirror') };
const GET = { task: getSql('task'), mirror: getSql('mirror') };
const DELETE = { task: 'DELETE FROM task WHERE n = ?', mirror: 'DELETE FROM mirror WHERE n = ?' };

const REMEMBER = `INSERT INTO removed_task (id, part, owner, key_sha256, at_ms) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const HAS_SESSION = `SELECT EXISTS (SELECT 1 FROM task WHERE session = @session)
  OR EXISTS (SELECT 1 FROM mirror WHERE session = @session)`;
const FIND = 'SELECT owner, at_ms AS atMs FROM removed_task WHERE part = ? AND id = ?';
const FIND_KEY = 'SELECT owner, at_ms AS atMs FROM removed_task WHERE key_sha256 = ? LIMIT 1';

/** What is removed, in SQLite. */
export function createRemovalStore(): RemovalStore {
  return {
    walk(tx, part, rules, { endedAtMs, n }, limit) {
      const rows = tx.prepare(WALK[part]).all({ ...bound(rules), endedAtMs, n, limit });
      return (rows as (Omit<EndedPart, 'part' | 'isFree'> & { readonly isFree: number })[]).map((row) => ({
        ...row,
        part,
        isFree: row.isFree === 1,
      }));
    },
    remove,
    hasSession: (tx, session) => tx.prepare(HAS_SESSION).pluck().get({ session }) === 1,
    find: (tx, part, id) => tx.prepare(FIND).get(part, id) as RemovedPart | undefined,
    findKey: (tx, part, owner, key) => tx.prepare(FIND_KEY).get(keyDigest(part, owner, key)) as RemovedPart | undefined,
  };
}

interface Found {
  readonly n: number;
  readonly state: string;
  readonly peer: string;
  readonly owner: string;
  readonly session: string;
  readonly origin: string | null;
  readonly key: string;
  readonly endedAtMs: number;
  readonly result: string | null;
  readonly shipped: string | null;
}

function remove(tx: RemovalTx, part: TaskPart, id: string, rules: RemovalRules): RemovedRow | undefined {
  const found = tx.prepare(GET[part]).get({ ...bound(rules), id }) as Found | undefined;
  if (found === undefined) return undefined;
  const { n, state, peer, owner, session, origin, key, endedAtMs, result, shipped } = found;
  tx.prepare(REMEMBER).run(id, part, owner, keyDigest(part, owner, key), tx.nowMs);
  tx.prepare(OF[part].remove).run(id);
  tx.prepare(DELETE[part]).run(n);
  for (const kind of OF[part].leftovers) leave(tx, kind, kind.endsWith('-events') ? String(n) : id);
  for (const sha256 of [result, shipped]) if (sha256 !== null) leave(tx, evidenceLeftover, sha256);
  // INVARIANT: 10 what goes is written down in the transaction in which it goes.
  const action = part === 'task' ? 'task.removed' : 'mirror.removed';
  tx.audit({ kind: 'task', action, actor: 'node', subject: id, details: { peer, state, endedAtMs } });
  return { peer, session, ...(origin === null ? {} : { origin }) };
}

function leave(tx: WriteTx, kind: string, name: string): void {
  tx.prepare('INSERT INTO leftover (kind, name) VALUES (?, ?) ON CONFLICT DO NOTHING').run(kind, name);
}

function bound({ beforeMs, peers }: RemovalRules): { readonly beforeMs: number; readonly peers: string } {
  return { beforeMs, peers: JSON.stringify(peers) };
}

function keyDigest(part: TaskPart, owner: string, key: string): string {
  return sha256Hex(JSON.stringify([part, owner, key]));
}
