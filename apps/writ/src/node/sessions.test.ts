import { OF_ONE_CALL } from '@writ/authority';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import type { NodeIdentity } from '@writ/identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessionRecord, createSessions } from './sessions.ts';
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
  it('is not for the person’s own, without which nobody could be asked', () => {
    database.withWriteTx((tx) => stores.sessions.start(tx, { origin: SELF, id: 'person', agent: 'person' }));
    expect(() => sessions().end('person', 'self')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(sessions().listOpen(10)).toEqual([]);
    expect(ended).toEqual([]);
  });

  it('keeps an agent from asking for more in it', () => {
    const record = createSessionRecord(stores.sessions, SELF);
    const { session } = sessions().issue('fixer');
    database.withWriteTx((tx) => record(tx, session));
    sessions().end(session.id, 'self');
    expect(() => database.withWriteTx((tx) => record(tx, session))).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND' }),
    );
  });
});
