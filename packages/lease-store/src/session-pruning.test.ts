import { silentLogger } from '@writ/core';
import { type Database, openDatabase, type ReadTx } from '@writ/database';
import { createFakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SessionKey } from './approval-types.ts';
import { createSessionStore } from './session-store.ts';
import type { SessionRules } from './types.ts';

const DAY_MS = 86_400_000;
const NOW = 1000 * DAY_MS;
const LONG_AGO = NOW - 31 * DAY_MS;
const KEPT: SessionRules = { isRecordedAnew: false, staysEnded: false, isOfOneCall: false };
/** What the record of each session of this node's own is needed for; those of others for nothing. */
const OWN: Readonly<Record<string, SessionRules>> = {
  'one call': { ...KEPT, isRecordedAnew: true, isOfOneCall: true },
  agent: { ...KEPT, isRecordedAnew: true },
  credential: { ...KEPT, staysEnded: true },
  person: KEPT,
};

let database: Database;
let clock: ReturnType<typeof createFakeClock>;
const sessions = createSessionStore();
beforeEach(async () => {
  clock = createFakeClock(NOW);
  database = await openDatabase({ path: ':memory:', clock, logger: silentLogger });
});
afterEach(() => database.close());

function insert(origin: string, id: string, startedAtMs: number, endedAtMs?: number): void {
  database.withWriteTx((tx) =>
    tx.prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?)').run(origin, id, 'a', startedAtMs, endedAtMs ?? null),
  );
}

/** In pages; what is left. `named`: sessions that work which is kept names. */
function prune({ named = [], limit = 2 }: { named?: readonly string[]; limit?: number } = {}): readonly string[] {
  let after: SessionKey | undefined;
  const rules = {
    ...{ openBeforeMs: NOW - 90 * DAY_MS, limit },
    rulesOf: ({ origin, session }: SessionKey) =>
      (origin === 'me' ? OWN[session] : undefined) ?? { ...KEPT, isRecordedAnew: true, staysEnded: true },
    isNamed: (_: ReadTx, { session }: SessionKey) => named.includes(session),
  };
  do after = database.withWriteTx(({ forRemoval: tx }) => tx && sessions.prune(tx, { ...rules, after }))?.next;
  while (after !== undefined);
  return database.withReadTx((tx) =>
    tx.prepare('SELECT origin || id FROM session ORDER BY 1').pluck().all().map(String),
  );
}

it('removes sessions that ended long ago, and keeps those that could begin again', () => {
  insert('other', 's1', 1, LONG_AGO);
  insert('other', 's2', 1, NOW - 29 * DAY_MS);
  for (const id of Object.keys(OWN)) insert('me', id, 1, LONG_AGO);
  database.withWriteTx((tx) => sessions.hold(tx, { origin: 'me', session: 'credential' }, 'wn-b'));
  expect(prune()).toEqual(['meagent', 'meone call', 'meperson', 'others2']);
  const removed = database.auditTail(9).filter(({ action }) => action === 'session.removed');
  expect(removed.map(({ details }) => details)).toEqual([{ sessions: 1 }, { sessions: 1 }]);
  expect(database.withReadTx((tx) => sessions.holders(tx, { origin: 'me', session: 'credential' }))).toEqual([]);
});

it.each([1, 2, 3, 4, 5])('looks at every session once, from the first on, in pages of %i', (limit) => {
  for (const id of ['1', '2', '3', '4']) insert('A', id, 1, LONG_AGO);
  insert('B', '1', 1, NOW - 29 * DAY_MS);
  expect(prune({ limit })).toEqual(['B1']);
});

it('says where to go on only after a whole page', () => {
  for (const id of ['1', '2', '3']) insert('other', id, NOW);
  const next = (limit: number) =>
    database.withWriteTx(
      ({ forRemoval: tx }) =>
        tx && sessions.prune(tx, { rulesOf: () => KEPT, isNamed: () => false, openBeforeMs: 0, limit }),
    )?.next;
  expect([next(2), next(4)]).toEqual([{ origin: 'other', session: '2' }, undefined]);
});

it('removes sessions that go on and were not used for long, but for those whose record proves something', () => {
  for (const id of Object.keys(OWN)) insert('me', id, NOW - 90 * DAY_MS);
  insert('other', 's1', NOW - 90 * DAY_MS);
  insert('other', 's2', NOW - 89 * DAY_MS);
  expect(prune()).toEqual(['mecredential', 'meperson', 'others2']);
});

it('keeps a session that goes on as long as somebody else would be told of its end, but for one of a single call', () => {
  for (const session of ['one call', 'agent']) {
    insert('me', session, NOW - 90 * DAY_MS);
    database.withWriteTx((tx) => sessions.hold(tx, { origin: 'me', session }, 'wn-b'));
  }
  expect(prune()).toEqual(['meagent']);
  const holders = (session: string) => database.withReadTx((tx) => sessions.holders(tx, { origin: 'me', session }));
  expect([holders('one call'), holders('agent')]).toEqual([[], ['wn-b']]);
});

it('keeps a session that work names which is kept', () => {
  for (const id of ['s1', 's2', 's3']) insert('other', id, 1, LONG_AGO);
  expect(prune({ named: ['s2'] })).toEqual(['others2']);
});

/** A row of each kind that names a session. */
const naming = (origin: string, session: string): readonly string[] => [
  `INSERT INTO lease (id, peer, origin, session, profile, closure, workspaces, issued_by, issued_at_ms, expires_at_ms,
    max_expires_at_ms, uses, version) VALUES ('l', 'p', 'o', '${session}', 'q', '[]', '[]', 'person', 1, 9, 9, 0, 1)`,
  `INSERT INTO execution (id, origin, session, agent, requested_by, idempotency_key, class, known, needs, profile, digest, request,
    basis, preview, state, created_at_ms, expires_at_ms, version)
    VALUES ('x', '${origin}', '${session}', 'a', 'self', 'k', 'read', 1, '[]', 'ops', '', '{}', '{}', '', 'completed', 1, 9, 1)`,
  `INSERT INTO approval (id, kind, origin, session, agent, digest, subject, scopes, preview, requested_by, generation, state,
    created_at_ms, expires_at_ms, version)
    VALUES ('a', 'task', '${origin}', '${session}', 'a', '', '{}', '[]', '', 'self', 1, 'pending', 1, 9, 1)`,
  `INSERT INTO window (id, kind, origin, session, agent, profile, approval, opened_at_ms, expires_at_ms, uses, version)
    VALUES ('w', 'assent', '${origin}', '${session}', 'a', 'ops', 'a', 1, 9, 0, 1)`,
  `INSERT INTO session_end (origin, session, peer, at_ms) VALUES ('${origin}', '${session}', 'p', 1)`,
];
const write = (row: string) => database.withWriteTx((tx) => tx.prepare(row).run());

it.each(naming('other', 's1'))('keeps a session that something names that is kept: %s', (row) => {
  insert('other', 's1', 1, LONG_AGO);
  write(row);
  expect(prune()).toEqual(['others1']);
});

it('keeps none for what names another, or for a window that is closed', () => {
  insert('other', 's1', 1, LONG_AGO);
  for (const row of naming('other', 's2')) write(row);
  for (const row of naming('third', 's1').slice(1)) {
    write(row.replace(/VALUES \('(\w)'/, "VALUES ('$1 of third'"));
  }
  write(`INSERT INTO window (id, kind, origin, session, agent, profile, approval, opened_at_ms, expires_at_ms, uses, version,
    closed_at_ms) VALUES ('closed', 'assent', 'other', 's1', 'a', 'ops', 'a', 1, 9, 0, 1, 2)`);
  expect(prune()).toEqual([]);
});

it('removes what ended thirty days ago to the millisecond, and forgets who held that session, of that origin alone', () => {
  const whose = (origin: string, session: string) => ({ origin, session });
  for (const origin of ['other', 'third']) insert(origin, 's1', 1, NOW - 30 * DAY_MS + (origin === 'third' ? 1 : 0));
  for (const key of [whose('other', 's1'), whose('other', 's2'), whose('third', 's1')]) {
    database.withWriteTx((tx) => sessions.hold(tx, key, 'wn-b'));
  }
  expect(prune()).toEqual(['thirds1']);
  const holders = (key: SessionKey) => database.withReadTx((tx) => sessions.holders(tx, key));
  expect([whose('other', 's1'), whose('other', 's2'), whose('third', 's1')].map(holders)).toEqual([
    ...[[], ['wn-b'], ['wn-b']],
  ]);
});

it('keeps none that goes on for who holds another', () => {
  insert('other', 's1', NOW - 90 * DAY_MS);
  for (const [origin, session] of [
    ['other', 's2'],
    ['third', 's1'],
  ] as const) {
    database.withWriteTx((tx) => sessions.hold(tx, { origin, session }, 'wn-b'));
  }
  expect(prune()).toEqual([]);
});

it('forgets no end for a later one while the time is doubted: what ended stays ended once the clock is right again', () => {
  const note = (id: string) =>
    database.withWriteTx((tx) => {
      const bounds = { sinceMs: tx.nowMs - DAY_MS, limit: 2 };
      return sessions.noteEnded(tx, { origin: 'other', id, agent: 'a' }, bounds);
    });
  const isEnded = (id: string) => database.withReadTx((tx) => sessions.get(tx, 'other', id))?.endedAtMs !== undefined;
  note('s1');
  clock.jump(200 * DAY_MS);
  expect([note('s2'), note('s3')]).toEqual([true, false]);
  expect([isEnded('s1'), isEnded('s2')]).toEqual([true, true]);
  clock.advance(DAY_MS);
  expect([note('s3'), isEnded('s1'), isEnded('s2')]).toEqual([true, false, true]);
});
