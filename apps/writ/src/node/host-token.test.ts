import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, sha256Hex, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import type { NewTask, TaskOutcome } from '@writ/task-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuthenticator, issueHostToken } from './host-token.ts';
import { createStores, type Stores } from './stores.ts';

let dir: string;
let database: Database;
let stores: Stores;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'writ-token-'));
  stores = createStores();
  database = await openDatabase({ path: ':memory:', clock: createSystemClock(), logger: silentLogger });
});
afterEach(async () => {
  await database.close();
  rmSync(dir, { recursive: true });
});

const path = () => join(dir, 'host.token');
const issue = async (): Promise<string> => {
  await issueHostToken(database, stores.tokens, path(), createSystemRandom());
  return readFileSync(path(), 'utf8').trimEnd();
};
const caller = (token: string) => createAuthenticator({ database, stores }).authenticate(token);

/** Stores a task of agent `a` in session `s1` of beta, and a token for it. */
function issueForTask(id: string, token: string): void {
  const task: NewTask = {
    ...{ id, sender: 'wn-beta', origin: 'wn-beta', session: 's1', agent: 'a', chain: ['wn-beta'], idempotencyKey: id },
    ...{ requestDigest: 'd', spec: { input: { kind: 'argv', argv: ['true'] } }, bounds: {} },
    granted: {
      ...{ requestedProfile: 'query', effectiveProfile: 'query', effectiveRunner: 'shell', isolation: 'none' },
      ...{ generation: 1, message: 'allowed' },
    },
  };
  database.withWriteTx((tx) => {
    stores.tasks.insert(tx, task);
    stores.tokens.put(tx, sha256Hex(token), { kind: 'task', task: id, origin: 'wn-beta', session: 's1' });
  });
}

function end(id: string): void {
  const outcome: TaskOutcome = {
    ...{ state: 'completed', message: 'exit 0', truncated: false, stdoutBytes: 0, stderrBytes: 0, endedAtMs: 1 },
  };
  database.withWriteTx((tx) => {
    const version = stores.tasks.get(tx, id)?.version ?? 0;
    stores.tasks.update(tx, id, version, { state: 'completed', outcome });
  });
}

describe('the host token', () => {
  it('is 256 random bits in a file of its own, of which the database has the hash alone', async () => {
    const token = await issue();
    expect(token).toMatch(/^wht_[A-Za-z0-9_-]{43}$/);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(caller(token)).toEqual({ kind: 'host' });
    const rows = database.withReadTx((tx) => JSON.stringify(tx.prepare('SELECT * FROM token, audit').all()));
    expect([rows.includes(sha256Hex(token)), rows.includes(token.slice(4))]).toEqual([true, false]);
    expect(database.auditTail(1)).toMatchObject([{ kind: 'token', action: 'token.host.issued', actor: 'node' }]);
  });

  it('of an earlier start proves nothing, and neither does anything like it', async () => {
    const [before, token] = [await issue(), await issue()];
    expect(before).not.toBe(token);
    for (const wrong of [before, token.slice(4), `${token}\n`, sha256Hex(token), '']) {
      expect(caller(wrong)).toBeUndefined();
    }
  });
});

describe('the token of a task', () => {
  it('proves its task, in the session and as the agent of its record', () => {
    issueForTask('t1', 'wtt_1');
    const session = { origin: 'wn-beta', id: 's1', agent: 'a' };
    expect(caller('wtt_1')).toEqual({ kind: 'task', task: 't1', session });
  });

  it('proves nothing once its task has ended, or has no record', () => {
    issueForTask('t1', 'wtt_1');
    issueForTask('t2', 'wtt_2');
    end('t1');
    expect([caller('wtt_1'), caller('wtt_2')?.kind]).toEqual([undefined, 'task']);
    database.withWriteTx((tx) => tx.prepare(`DELETE FROM task WHERE id = 't2'`).run());
    expect(caller('wtt_2')).toBeUndefined();
  });
});
