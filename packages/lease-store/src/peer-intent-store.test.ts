import { silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { createFakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createNodeFactStore } from './node-fact-store.ts';
import { createPeerIntentStore } from './peer-intent-store.ts';
import type { PeerIntent } from './peer-intent-types.ts';

let database: Database;
const facts = createNodeFactStore();
const intents = createPeerIntentStore(facts);
beforeEach(async () => {
  database = await openDatabase({ path: ':memory:', clock: createFakeClock(1), logger: silentLogger });
});
afterEach(() => database.close());

const set = (peer: string, intent: PeerIntent) => database.withWriteTx((tx) => intents.set(tx, peer, intent));
const get = (peer: string) => database.withReadTx((tx) => intents.get(tx, peer));
const peers = () => database.withReadTx((tx) => intents.peers(tx));

const rights = { profiles: ['query'], workspaces: ['app'], outbound: { profiles: [], workspaces: ['two'] } };

it.each<PeerIntent>([
  { kind: 'admit', isNew: true },
  { kind: 'admit', isNew: false, added: 'table' },
  { kind: 'admit', isNew: true, added: rights },
  { kind: 'remove', label: 'beta' },
  { kind: 'forget' },
])('keeps what is being done with a peer: %j', (intent) => {
  set('wn-b', intent);
  expect([get('wn-b'), get('wn-c')]).toEqual([intent, undefined]);
});

it('keeps the last one of each peer until it is removed, and names those who have one, no other fact', () => {
  database.withWriteTx((tx) => facts.set(tx, 'peer.other', '{"kind":"forget"}'));
  set('wn-b', { kind: 'remove', label: 'beta' });
  set('wn-b', { kind: 'forget' });
  set('wn-c', { kind: 'admit', isNew: true });
  expect([peers(), get('wn-b')]).toEqual([['wn-b', 'wn-c'], { kind: 'forget' }]);
  for (const peer of ['wn-b', 'wn-d']) database.withWriteTx((tx) => intents.remove(tx, peer));
  expect([peers(), get('wn-b'), get('wn-c')?.kind]).toEqual([['wn-c'], undefined, 'admit']);
});

it.each(['nonsense', '{"kind":"other"}', '{"kind":"remove"}'])(
  'reads nothing out of %s, reports it, and still names its peer',
  (value) => {
    database.withWriteTx((tx) => facts.set(tx, 'peer.intent.wn-b', value));
    expect([get('wn-b'), peers()]).toEqual([undefined, ['wn-b']]);
    expect(database.quarantined()).toMatchObject([{ table: 'node_fact', key: 'peer.intent.wn-b' }]);
  },
);
