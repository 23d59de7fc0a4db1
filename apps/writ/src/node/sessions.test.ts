import { OF_ONE_CALL } from '@writ/authority';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import type { NodeIdentity } from '@writ/identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessionEnds, createSessionRecord, createSessions, sessionsLive } from './sessions.ts';
import { createStores, type Stores } from './stores.ts';

const SELF = 'wn-self';
const identity = { public: { id: SELF, certificatePem: '' } } as unknown as NodeIdentity;

let database: Database;
let stores: Stores;
let ended: string[];
beforeEach(async () => {
  database = await openDatabase({ path: ':memory:', clock: createSystemClock(), logger: silentLogger });
  stores = createStores();
  ended = [];
});
afterEach(() => database.close());

const sessions = () =>
  createSessions(
    { database, stores, identity, random: createSystemRandom() },
    {
      endSession(session) {
        ended.push(session);
        return { ended: database.withWriteTx((tx) => stores.sessions.end(tx, SELF, session)), peers: 0 };
      },
    },
  );

describe('a session with a credential', () => {
  it('is found by the credential alone, of which only the hash is kept', () => {
    const { session, credential } = sessions().issue('fixer');
    expect(sessions().find(credential)).toEqual(session);
    expect(session).toMatchObject({ origin: SELF, agent: 'fixer', id: expect.stringMatching(/^cli-[0-9a-f]{32}$/) });
    expect(database.auditTail(1)).toMatchObject([{ action: 'session.started', actor: 'person', subject: session.id }]);
    const rows = database.withReadTx((tx) => JSON.stringify(tx.prepare('SELECT * FROM session').all()));
    expect(rows).not.toContain(credential);
    for (const other of [session.id, `${credential}x`, credential.slice(0, -1), '', 'wst_']) {
      expect(sessions().find(other)).toBeUndefined();
    }
  });

  it('proves nothing after its end, like one that never was', () => {
    const { session, credential } = sessions().issue('fixer');
    expect(sessions().end(session.id, 'self')).toEqual({ ended: true, peers: 0 });
    expect(sessions().find(credential)).toBeUndefined();
    expect(sessions().listOpen(10)).toEqual([]);
    expect(sessions().end(session.id, 'self').ended).toBe(false);
  });

  it('is never one that a key or a connection has named', () => {
    const byKey = sessions().startForCall('cli', { operation: 'run', key: 'key' });
    database.withWriteTx((tx) => stores.sessions.start(tx, byKey));
    expect(sessions().find('key')).toBeUndefined();
  });
});

describe('a session of one call', () => {
  const started = (agent: string, operation: string, key: string): string =>
    sessions().startForCall(agent, { operation, key }).id;

  it('is the same for the same call of the same agent, and no other’s', () => {
    const id = started('cli', 'run', 'once');
    expect(started('cli', 'run', 'once')).toBe(id);
    expect(started('other', 'run', 'once')).not.toBe(id);
    // The window of a plan covers nothing that is run under the plan's key.
    expect(started('cli', 'propose_plan', 'once')).not.toBe(id);
    expect(started('cli', 'run', 'twice')).not.toBe(id);
    expect(sessions().startForCall('cli').id).not.toBe(sessions().startForCall('cli').id);
  });

  it('is known by its id, with a key or without, and a connection’s is none', () => {
    expect(started('cli', 'run', 'once').startsWith(OF_ONE_CALL)).toBe(true);
    expect(sessions().startForCall('cli').id.startsWith(OF_ONE_CALL)).toBe(true);
    expect(sessions().start('cli').id.startsWith(OF_ONE_CALL)).toBe(false);
    expect(sessions().issue('cli').session.id.startsWith(OF_ONE_CALL)).toBe(false);
  });
});

describe('the end of a session', () => {
  const start = (id: string) =>
    database.withWriteTx((tx) => stores.sessions.start(tx, { origin: SELF, id, agent: 'a' }));
  const UUID = '01a00000-0000-7000-8000-000000000001';

  it('is for those with a credential, of one call and of a connection, which are listed', () => {
    const { session } = sessions().issue('fixer');
    const ids = [session.id, `${OF_ONE_CALL}1`, UUID];
    for (const id of ids.slice(1)) start(id);
    const listed = sessions().listOpen(10);
    expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(listed.find(({ id }) => id === session.id)).toEqual({
      ...{ origin: SELF, id: session.id, agent: 'fixer', startedAtMs: expect.any(Number) },
    });
    for (const id of ids) expect(sessions().end(id, 'self').ended).toBe(true);
    expect(ended).toEqual(ids);
  });

  it.each(['person', `x${OF_ONE_CALL}1`, `1-${OF_ONE_CALL}`, `${UUID}0`, `x${UUID}`, UUID.slice(1), 'z'.repeat(36)])(
    'is not for the person’s own, without which nobody could be asked, nor for anything like it: %s',
    (id) => {
      start(id);
      expect(() => sessions().end(id, 'self')).toThrow(
        expect.objectContaining({
          ...{ code: 'NOT_FOUND', message: `no session \`${id}\``, nextSteps: ['writ session list'] },
        }),
      );
      expect(sessions().listOpen(10)).toEqual([]);
      expect(ended).toEqual([]);
    },
  );

  it('keeps an agent from asking for more in it', () => {
    const record = createSessionRecord(stores.sessions, SELF);
    const { session } = sessions().issue('fixer');
    database.withWriteTx((tx) => record(tx, session));
    sessions().end(session.id, 'self');
    expect(() => database.withWriteTx((tx) => record(tx, session))).toThrow(
      expect.objectContaining({
        ...{ code: 'NOT_FOUND', message: 'the session that asks has ended' },
        nextSteps: ['ask from a new one: writ session start'],
      }),
    );
  });

  it('is known of those that are recorded, of each origin by itself', () => {
    const lives = sessionsLive(stores.sessions, SELF);
    start('s1');
    database.withWriteTx((tx) => {
      stores.sessions.end(tx, SELF, 's1');
      stores.sessions.start(tx, { origin: 'wn-other', id: 's1', agent: 'a' });
    });
    const live = (key: Parameters<typeof lives>[1]) => database.withReadTx((tx) => lives(tx, key));
    expect([live({ session: 's1' }), live({ origin: 'wn-other', session: 's1' }), live({ session: 'none' })]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

it('records a session with its first wish, once, and says so', () => {
  const record = createSessionRecord(stores.sessions, SELF);
  for (let i = 0; i < 2; i++) database.withWriteTx((tx) => record(tx, { id: 's1', agent: 'a' }));
  expect(database.withReadTx((tx) => stores.sessions.get(tx, SELF, 's1'))).toMatchObject({ agent: 'a' });
  expect(database.auditTail(9)).toMatchObject([
    { kind: 'session', action: 'session.started', actor: 'self', subject: 's1', details: { agent: 'a' } },
  ]);
});

describe('sessions of other nodes', () => {
  const gate = { endSession: () => true, onEndOwed: () => () => undefined };
  const ends = () => createSessionEnds(stores.sessions, gate);
  const HOUR_MS = 3_600_000;

  it('begin in the name of their origin', () => {
    database.withWriteTx((tx) => ends().start(tx, { origin: 'wn-other', session: 's1', agent: 'a' }));
    const stored = database.withReadTx((tx) => ends().get(tx, { origin: 'wn-other', session: 's1' }));
    expect(stored).toMatchObject({ id: 's1', agent: 'a' });
    expect(database.auditTail(1)).toMatchObject([{ action: 'session.started', actor: 'wn-other', subject: 's1' }]);
  });

  it('that end before anything was asked in them are remembered for two hours, with an audit row, 256 of an origin', () => {
    const note = (session: string) =>
      database.withWriteTx((tx) => ends().noteEnded(tx, { origin: 'wn-other', session, agent: 'a' }));
    const known = (session: string) =>
      database.withReadTx((tx) => ends().get(tx, { origin: 'wn-other', session })) !== undefined;
    const age = (ms: number) =>
      database.withWriteTx((tx) =>
        tx.prepare('UPDATE session SET started_at_ms = @at, ended_at_ms = @at').run({ at: tx.nowMs - ms }),
      );
    for (let i = 0; i < 257; i++) note(`s${i}`);
    note('s0');
    expect([known('s255'), known('s256')]).toEqual([true, false]);
    const rows = database.auditTail(999);
    expect(rows).toHaveLength(256);
    expect(rows.at(-1)).toMatchObject({
      ...{
        kind: 'session',
        action: 'session.ended',
        actor: 'wn-other',
        subject: 's0',
        details: { origin: 'wn-other' },
      },
    });
    age(2 * HOUR_MS - 60_000);
    note('later');
    expect([known('s0'), known('later')]).toEqual([true, false]);
    age(2 * HOUR_MS + 1);
    note('later');
    expect([known('s0'), known('later')]).toEqual([false, true]);
  });

  it('are held by peers, and owed to them until they were told', () => {
    const key = { origin: SELF, session: 's1' };
    const owed = { ...key, peer: 'wn-b' };
    database.withWriteTx((tx) => {
      ends().hold(tx, key, 'wn-b');
      stores.sessions.oweEnd(tx, owed);
    });
    const read = () => database.withReadTx((tx) => [ends().holders(tx, key), ends().listOwed(tx, { limit: 9 })]);
    expect(read()).toEqual([['wn-b'], [owed]]);
    database.withWriteTx((tx) => ends().settle(tx, owed));
    expect(read()).toEqual([['wn-b'], []]);
  });

  it('end by the gate, which says when news is owed', () => {
    const seen: unknown[] = [];
    const listener = () => undefined;
    const stop = () => undefined;
    const real = createSessionEnds(stores.sessions, {
      endSession: (...given) => seen.push(given) > 0,
      onEndOwed: (given) => {
        seen.push(given);
        return stop;
      },
    });
    const key = { origin: 'wn-other', session: 's1' };
    const statement = Uint8Array.of(1);
    expect([real.end(key, 'wn-other', ['wn-b'], statement), real.onOwed(listener)]).toEqual([true, stop]);
    expect(seen).toEqual([[key, 'wn-other', ['wn-b'], statement], listener]);
  });
});
