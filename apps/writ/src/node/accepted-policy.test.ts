import { createSystemClock, sha256Hex, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { createNodeFactStore } from '@writ/lease-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AcceptedPolicy, createAcceptedPolicy } from './accepted-policy.ts';

const OUTCOME = { reloaded: true, generation: 2, restartNeeded: [] };

let database: Database;
let accepted: AcceptedPolicy;
beforeEach(async () => {
  database = await openDatabase({ path: ':memory:', clock: createSystemClock(), logger: silentLogger });
  accepted = createAcceptedPolicy(database, createNodeFactStore());
  accepted.note('old', OUTCOME, 'start', 'state of old');
});
afterEach(() => database.close());

/** The yes of an approver to this text, over that state. */
const approve = (text: string, state: string): void =>
  database.withWriteTx((tx) => accepted.approve(tx, { text: sha256Hex(text), accepted: sha256Hex(state) }, 'ap-1'));

describe('the yes of an approver, where the node ended before it was in force', () => {
  it('counts at the next start with that text', () => {
    approve('new', 'state of old');
    expect(accepted.read('new')).toBeUndefined();
  });

  it('does not count for another text, nor over another state', () => {
    approve('new', 'state of old');
    expect(accepted.read('newer')).toBe('state of old');
    approve('new', 'another state');
    expect(accepted.read('new')).toBe('state of old');
  });

  it('is used up by the next load, and does not come back with the state', () => {
    approve('new', 'state of old');
    accepted.note('old', OUTCOME, 'watcher', 'state of old');
    expect(accepted.read('new')).toBe('state of old');
  });

  it('is in the trail, with who gave it', () => {
    approve('new', 'state of old');
    expect(database.auditTail(1)).toMatchObject([{ action: 'policy.approved', actor: 'ap-1' }]);
  });
});
