import { createSystemClock, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { createMirrorStore } from '@writ/task-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTaskScope } from './task-scope.ts';

const mirrors = createMirrorStore();
let database: Database;
beforeEach(async () => {
  database = await openDatabase({ path: ':memory:', clock: createSystemClock(), logger: silentLogger });
});
afterEach(() => database.close());

function record(id: string, parent?: string, peer = 'wn-gamma'): void {
  const spec = { input: { kind: 'argv', argv: ['true'] } } as const;
  const mirror = { id, peer, peerLabel: peer, session: 's', agent: 'a', idempotencyKey: id, spec };
  database.withWriteTx((tx) => mirrors.insert(tx, parent === undefined ? mirror : { ...mirror, parent }));
}

describe('what a task reaches', () => {
  it('is what it handed on, and what its own node was asked for in turn', () => {
    record('own', 'root', 'self');
    record('child', 'root');
    record('grandchild', 'own');
    record('other', 'elsewhere');
    record('person');
    const scope = createTaskScope(database, mirrors);
    for (const task of ['own', 'child', 'grandchild']) expect(scope.within('root', task), task).toBe(true);
    for (const task of ['other', 'person', 'root', 'nothing']) expect(scope.within('root', task), task).toBe(false);
    expect(scope.members('root', 10)).toEqual(['child', 'own', 'grandchild']);
    for (const limit of [1, 2]) {
      expect(scope.members('root', limit)).toEqual(['child', 'own', 'grandchild'].slice(0, limit));
    }
  });

  it('is nothing of a task of a peer that chose the id of what was handed on', () => {
    record('child', 'root');
    // A peer runs a task here under the id of `child`; what that hands on is none of `root`.
    record('of-the-peer', 'child');
    const scope = createTaskScope(database, mirrors);
    expect(scope.within('root', 'of-the-peer')).toBe(false);
    expect(scope.members('root', 10)).toEqual(['child']);
    expect(scope.within('child', 'of-the-peer')).toBe(true);
  });

  it('ends where records lead in a circle', () => {
    record('a', 'b', 'self');
    record('b', 'a', 'self');
    const scope = createTaskScope(database, mirrors);
    expect(scope.within('root', 'a')).toBe(false);
    expect(scope.members('a', 10)).toEqual(['b']);
  });
});
