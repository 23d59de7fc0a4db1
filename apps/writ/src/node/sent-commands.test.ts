import type { SentCommands } from '@writ/commands';
import { createSystemClock, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSentCommands } from './sent-commands.ts';
import { createStores, type Stores } from './stores.ts';

const SELF = 'wn-self';
const SESSION = { origin: SELF, session: 's1' };
const WISH = {
  ...{ key: 'k1', peer: 'wn-b', session: 's1', agent: 'fixer' },
  wish: { kind: 'command', command: { argv: ['uname'], profile: 'ops' } },
} as const;

let database: Database;
let stores: Stores;
let sent: SentCommands;
beforeEach(async () => {
  database = await openDatabase({ path: ':memory:', clock: createSystemClock(), logger: silentLogger });
  stores = createStores();
  const { sessions, sentCommands } = stores;
  sent = createSentCommands({ database, sessions, sentCommands, self: SELF });
});
afterEach(() => database.close());

const holders = () => database.withReadTx((tx) => stores.sessions.holders(tx, SESSION));
const listed = () => sent.list(9).map(({ id, known }) => [id, known?.state]);

describe('what is asked of a peer', () => {
  it('is kept with its session, and with who has to hear of its end, before anything goes out', () => {
    sent.record(WISH);
    expect(sent.list(9)).toMatchObject([{ key: 'k1', peer: 'wn-b', session: 's1', profile: 'ops', argv: ['uname'] }]);
    expect(holders()).toEqual(['wn-b']);
    expect(database.withReadTx((tx) => stores.sessions.get(tx, SELF, 's1')?.agent)).toBe('fixer');
  });

  it('is nothing in a session that has ended', () => {
    sent.record(WISH);
    database.withWriteTx((tx) => stores.sessions.end(tx, SELF, 's1'));
    const late = () => sent.record({ ...WISH, key: 'k2', peer: 'wn-c' });
    expect(late).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect([listed(), holders()]).toEqual([[[undefined, undefined]], ['wn-b']]);
  });

  it('leaves its peer owed the end where it is a plan, which is no command yet', () => {
    const steps = [{ argv: ['uname'] }];
    const plan = { title: 'look', steps, onlySteps: true, windowMs: 1000 } as const;
    sent.record({ ...WISH, wish: { kind: 'plan', plan } });
    expect([listed(), holders()]).toEqual([[], ['wn-b']]);
  });

  it('is remembered with what took its place, and with nothing that another peer names', () => {
    sent.record(WISH);
    sent.note({ key: 'k1', peer: 'wn-c' }, { state: 'running' }, { isFinal: false, id: 'c0' });
    expect(listed()).toEqual([[undefined, undefined]]);
    sent.note({ key: 'k1', peer: 'wn-b' }, { state: 'running' }, { isFinal: false, id: 'c1' });
    sent.note({ key: 'k1', peer: 'wn-b' }, { state: 'running' }, { isFinal: false, id: 'c5' });
    expect(listed()).toEqual([['c1', 'running']]);
    const news = { state: 'failed', code: 'CHANGED_SINCE_APPROVAL' } as const;
    sent.note({ id: 'c1', peer: 'wn-c' }, news, { isFinal: true, next: 'c8' });
    sent.note({ id: 'c7', peer: 'wn-b' }, news, { isFinal: true, next: 'c9' });
    expect(listed()).toEqual([['c1', 'running']]);
    sent.note({ id: 'c1', peer: 'wn-b' }, news, { isFinal: true, next: 'c2' });
    expect(listed()).toEqual([
      ['c2', undefined],
      ['c1', 'failed'],
    ]);
    expect(sent.list(1)).toMatchObject([{ peer: 'wn-b', argv: ['uname'] }]);
  });
});
