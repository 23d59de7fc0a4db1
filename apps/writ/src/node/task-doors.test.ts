import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSystemClock, createSystemRandom, type Logger, sha256Hex, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import type { Task } from '@writ/delegation';
import { createTokenStore } from '@writ/lease-store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTaskDoors, type NodeTaskDoors } from './task-doors.ts';

let home: string;
let database: Database;
let doors: NodeTaskDoors;
let logged: unknown[];
/** Tasks that are served, with their sockets. */
let served: Map<string, string>;
const tokens = createTokenStore();
/** As much of a task as its token says. */
const task = { id: 't1', origin: 'wn-beta', session: 's1' } as Task;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'writ-doors-'));
  mkdirSync(join(home, 't', 'of an earlier boot'), { recursive: true });
  writeFileSync(join(home, 't', 'of an earlier boot', 's'), '');
  [served, logged] = [new Map(), []];
  database = await openDatabase({ path: ':memory:', clock: createSystemClock(), logger: silentLogger });
  const error: Logger['error'] = (message, fields) => logged.push([message, fields]);
  const logger = { ...silentLogger, error };
  doors = createTaskDoors({ dir: join(home, 't'), tokens, random: createSystemRandom(), logger });
});
afterEach(async () => {
  await database.close();
  rmSync(home, { recursive: true });
});

/** Serves a socket for a task, as a gateway does; `closing` goes wrong where it says so. */
function bindGateway(closing: () => void = () => undefined): void {
  doors.bind({
    async listenTask(id, path) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const server = createServer().listen(path);
      await once(server, 'listening');
      served.set(id, path);
      return async () => {
        served.delete(id);
        server.close();
        await once(server, 'close');
        closing();
      };
    },
  });
}

const issue = (of = task) => database.withWriteTx((tx) => doors.issue(tx, of));
const proved = (token: string) => database.withReadTx((tx) => tokens.find(tx, sha256Hex(token)));

it('gives a task a token of 256 random bits that proves it in its session, and keeps the hash alone', () => {
  const token = issue();
  expect(token).toMatch(/^wtt_[A-Za-z0-9_-]{43}$/);
  expect(proved(token)).toEqual({ kind: 'task', task: 't1', origin: 'wn-beta', session: 's1' });
  expect(issue({ ...task, id: 't2' })).not.toBe(token);
  const rows = database.withReadTx((tx) => JSON.stringify(tx.prepare('SELECT * FROM token, audit').all()));
  expect([rows.includes(sha256Hex(token)), rows.includes(token.slice(4))]).toEqual([true, false]);
  const issued = { kind: 'token', action: 'token.task.issued', actor: 'node' };
  expect(database.auditTail(9)).toMatchObject([
    { ...issued, subject: 't2' },
    { ...issued, subject: 't1' },
  ]);
});

it('gives none to a task without a session', () => {
  expect(() => issue({ ...task, session: '' })).toThrow(
    expect.objectContaining({ code: 'TOKEN_INVALID', message: 'a task without a session gets no token' }),
  );
  expect(database.withReadTx((tx) => tx.prepare('SELECT * FROM token').all())).toEqual([]);
});

it('opens no door before there is somebody to serve it', async () => {
  await expect(doors.open('t1')).rejects.toMatchObject({
    ...{ code: 'INTERNAL', message: 'no gateway serves the sockets of tasks' },
  });
});

it('opens each in a folder of its own, whose short name says nothing, once those of an earlier boot are gone', async () => {
  bindGateway();
  const [one, two] = [await doors.open('t1'), await doors.open('t2')];
  expect([one, two]).toEqual([served.get('t1'), served.get('t2')]);
  for (const path of [one, two]) expect(path.slice(home.length)).toMatch(/^\/t\/[0-9a-f]{8}\/s$/);
  expect(readdirSync(join(home, 't')).sort()).toEqual([one, two].map((path) => dirname(path).slice(-8)).sort());
  for (const id of ['t1', 't2']) database.withWriteTx((tx) => doors.drop(tx, id));
  await expect.poll(() => readdirSync(join(home, 't'))).toEqual([]);
});

it('ends token and socket of one task with the commit that ends it, and not without it', async () => {
  bindGateway();
  const [token, other] = [issue(), issue({ ...task, id: 't2' })];
  const [path, ofOther] = [await doors.open('t1'), await doors.open('t2')];
  const broken = () =>
    database.withWriteTx((tx) => {
      doors.drop(tx, 't1');
      throw new Error('not ended');
    });
  expect(broken).toThrow('not ended');
  expect([proved(token)?.kind, served.get('t1')]).toEqual(['task', path]);
  database.withWriteTx((tx) => {
    doors.drop(tx, 't1');
    expect(served.get('t1')).toBe(path);
  });
  expect(proved(token)).toBeUndefined();
  await expect.poll(() => existsSync(dirname(path))).toBe(false);
  expect([proved(other)?.kind, existsSync(ofOther), [...served.keys()]]).toEqual(['task', true, ['t2']]);
  for (const id of ['t1', 't2', 't3']) database.withWriteTx((tx) => doors.drop(tx, id));
  await expect.poll(() => existsSync(dirname(ofOther))).toBe(false);
  expect(logged).toEqual([]);
});

it('says of a socket that could not be closed whose it was', async () => {
  bindGateway(() => {
    throw new Error('broken');
  });
  await doors.open('t1');
  database.withWriteTx((tx) => doors.drop(tx, 't1'));
  await expect
    .poll(() => logged)
    .toEqual([['the socket of a task was not removed', { task: 't1', error: 'Error: broken' }]]);
});
