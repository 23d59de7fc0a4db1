import { createSystemClock, silentLogger } from '@writ/core';
import { type Database, openDatabase, type WriteTx } from '@writ/database';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLeftoverStore } from './leftovers.ts';
import { createRemovalStore } from './removal-store.ts';
import type { TaskPart } from './removal-types.ts';

const BEFORE = 500;
const RULES = { beforeMs: BEFORE, peers: ['peer'] };

let database: Database;
const removals = createRemovalStore();
const leftovers = createLeftoverStore();
beforeEach(async () => {
  database = await openDatabase({ path: ':memory:', clock: createSystemClock(), logger: silentLogger });
});
afterEach(() => database.close());

/** A task as its rows have it. `endedAtMs` undefined: it goes on. */
interface Case {
  readonly who: 'self' | 'peer' | 'Peer' | 'stranger';
  readonly endedAtMs: number | undefined;
  readonly hasResult: boolean;
  readonly hasReceipt: boolean;
  /** Which of the others handed it on, by its place; a mirror has it. */
  readonly parent: number | undefined;
  readonly isAwaited: boolean;
  readonly delivery: 'none' | 'owed' | 'acknowledged' | 'refused' | 'late';
  readonly shares: boolean;
  /** Its outcome cannot be read. */
  readonly isTorn: boolean;
  /** The envelope of its result cannot be read. */
  readonly isSealed: boolean;
  readonly ships: boolean;
}

const cases: fc.Arbitrary<readonly Case[]> = fc.array(
  fc.record({
    who: fc.constantFrom('self', 'peer', 'Peer', 'stranger'),
    endedAtMs: fc.constantFrom(undefined, BEFORE - 1, BEFORE, BEFORE + 1),
    hasResult: fc.boolean(),
    hasReceipt: fc.boolean(),
    parent: fc.option(fc.nat(7), { nil: undefined }),
    isAwaited: fc.boolean(),
    delivery: fc.constantFrom('none', 'owed', 'acknowledged', 'refused', 'late'),
    shares: fc.boolean(),
    isTorn: fc.boolean(),
    isSealed: fc.boolean(),
    ships: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

const run = (sql: string, ...values: (string | number | null)[]): void =>
  database.withWriteTx((tx) => void tx.prepare(sql).run(...values));
const ids = (table: TaskPart): string[] =>
  database.withReadTx((tx) => tx.prepare(`SELECT id FROM ${table} ORDER BY id`).pluck().all().map(String));

const SHIPS = '{"shipped":{"bundle":{"sha256":"bundle"}}}';
const isDue = ({ endedAtMs }: Case): boolean => endedAtMs !== undefined && endedAtMs <= BEFORE;
const outcome = (one: Case, i: number): string | null => {
  if (one.endedAtMs === undefined) return null;
  return one.isTorn ? '{' : JSON.stringify(one.hasResult ? { result: `r${i}` } : {});
};
const namesResult = ({ hasResult, endedAtMs, isTorn }: Case): boolean =>
  hasResult && endedAtMs !== undefined && !isTorn;

function store(all: readonly Case[]): void {
  for (const [i, one] of all.entries()) {
    const state = one.endedAtMs === undefined ? 'running' : 'completed';
    run(
      `INSERT INTO task (id, sender, origin, session, agent, chain, idempotency_key, request_digest, spec, bounds, granted,
        state, epoch, last_seq, created_at_ms, outcome, ended_at_ms, version)
        VALUES (?, ?, 'o', 's', 'a', '[]', ?, '', '{}', '{}', '{}', ?, 1, 1, 1, ?, ?, 1)`,
      ...[`t${i}`, one.who, `k${i}`, state, outcome(one, i), one.endedAtMs ?? null],
    );
    const asked = one.isAwaited && one.endedAtMs !== undefined ? 'lost' : state;
    run(
      `INSERT INTO mirror (id, peer, peer_label, session, agent, idempotency_key, spec, state, cursor, created_at_ms, parent,
        unreachable, accepted, outcome, ended_at_ms, version) VALUES (?, ?, 'p', 's', 'a', ?, ?, ?, 1, 1, ?, ?, 1, ?, ?, 1)`,
      ...[one.who === 'self' ? `t${i}` : `m${i}`, one.who, `k${i}`, one.ships ? SHIPS : '{}', asked],
      ...[
        one.parent === undefined ? null : `t${one.parent}`,
        one.isAwaited ? 1 : 0,
        outcome(one, i),
        one.endedAtMs ?? null,
      ],
    );
    if (one.hasReceipt) run(`INSERT INTO receipt (task, result, bytes, at_ms) VALUES (?, 'r', x'00', 1)`, `t${i}`);
    if (one.delivery !== 'none') {
      run(
        `INSERT INTO delivery (mirror, peer, result, standing, received_at_ms, acknowledged_at_ms, refused_at_ms)
          VALUES (?, ?, ?, '"pinned"', ?, ?, ?)`,
        ...[one.who === 'self' ? `t${i}` : `m${i}`, one.who, `r${i}`, one.delivery === 'late' ? BEFORE + 1 : 1],
        ...[['acknowledged', 'late'].includes(one.delivery) ? 2 : null, one.delivery === 'refused' ? 2 : null],
      );
    }
    if (one.hasResult)
      run(`INSERT INTO envelope (sha256, bytes, task) VALUES (?, x'00', ?)`, `r${i}`, one.isSealed ? '' : `t${i}`);
    if (one.hasResult && one.shares) run(`INSERT INTO evidence_name (sha256, named_by) VALUES ('shared', ?)`, `r${i}`);
    run(
      `INSERT INTO task_event (task_n, seq, at_ms, epoch, body) SELECT n, 1, 1, 1, '{}' FROM task WHERE id = ?`,
      `t${i}`,
    );
  }
}

/** As the removal of a node does, without files. */
function sweep(): void {
  for (const part of ['mirror', 'task'] as const) {
    const found = database.withReadTx((tx) => removals.walk(tx, part, RULES, { endedAtMs: 0, n: 0 }, 100));
    for (const { id, isFree } of found) {
      const removed = database.withWriteTx(({ forRemoval: tx }) => tx && removals.remove(tx, part, id, RULES));
      expect([id, removed !== undefined]).toEqual([id, isFree]);
    }
  }
  for (let round = 0; round < 5; round++) {
    database.withWriteTx((tx) => {
      for (const leftover of leftovers.list(tx, undefined, 1000)) {
        if (leftovers.clear(tx, leftover).kind === 'file') leftovers.settle(tx, leftover);
      }
    });
  }
}

describe('what somebody may still ask for', () => {
  it('is never removed, and everything else is in the end', () => {
    fc.assert(
      fc.property(cases, (all) => {
        for (const table of ['task', 'mirror', 'receipt', 'delivery', 'envelope', 'evidence_name', 'task_event']) {
          run(`DELETE FROM ${table}`);
        }
        for (const table of ['removed_task', 'leftover']) run(`DELETE FROM ${table}`);
        store(all);
        const isPeer = ({ who }: Case): boolean => who.toLowerCase() === 'peer' || who === 'self';
        const isSigned = (one: Case): boolean =>
          !one.isTorn && (!one.hasResult || one.hasReceipt || one.who === 'stranger');
        const mayGo = (one: Case | undefined): boolean => one === undefined || (isDue(one) && isSigned(one));
        const mirrorGoes = (one: Case): boolean =>
          isDue(one) &&
          !one.isAwaited &&
          one.delivery !== 'late' &&
          !(one.delivery === 'owed' && isPeer(one)) &&
          (one.parent === undefined || mayGo(all[one.parent]));
        const taskGoes = (one: Case, i: number): boolean =>
          mayGo(one) &&
          (one.who !== 'self' || mirrorGoes(one)) &&
          all.every((other) => other.parent !== i || mirrorGoes(other));
        sweep();
        const kept = (part: TaskPart): string[] =>
          all
            .flatMap((one, i) => {
              if (part === 'task') return taskGoes(one, i) ? [] : [`t${i}`];
              return mirrorGoes(one) ? [] : [one.who === 'self' ? `t${i}` : `m${i}`];
            })
            .sort();
        expect([ids('mirror'), ids('task')]).toEqual([kept('mirror'), kept('task')]);
        const names = (sql: string): string[] =>
          database.withReadTx((tx) => tx.prepare(sql).pluck().all().map(String)).sort();
        // Results are there as long as something is kept whose they are, or nobody can read them.
        const isLeft = (one: Case, i: number): boolean =>
          (taskGoes(one, i) && namesResult(one)) || (mirrorGoes(one) && (one.delivery !== 'none' || namesResult(one)));
        const isWanted = (one: Case, i: number): boolean => {
          const [hasTask, hasMirror] = [!taskGoes(one, i), !mirrorGoes(one)];
          const isUnclear = one.isTorn && one.endedAtMs !== undefined && !one.isSealed;
          return (
            ((hasTask || hasMirror) && namesResult(one)) ||
            (hasMirror && one.delivery !== 'none') ||
            (isUnclear && (hasTask || (one.who === 'self' && hasMirror)))
          );
        };
        const mayBeRemoved = (one: Case, i: number): boolean => isLeft(one, i) && !isWanted(one, i);
        const stays = (one: Case, i: number): boolean => one.hasResult && (!mayBeRemoved(one, i) || one.isSealed);
        const results = (is: (one: Case, i: number) => boolean): string[] =>
          all.flatMap((one, i) => (is(one, i) ? [`r${i}`] : []));
        expect(names('SELECT sha256 FROM envelope')).toEqual(results(stays));
        const isNamed = (name: string): boolean => database.withReadTx((tx) => leftovers.isNamed(tx, name));
        expect(isNamed('shared')).toBe(all.some((one, i) => one.shares && stays(one, i)));
        expect(isNamed('bundle')).toBe(all.some((one) => one.ships && !mirrorGoes(one)));
        expect(names('SELECT task_n FROM task_event')).toEqual(names('SELECT n FROM task'));
        const isPutOff = (one: Case, i: number): boolean => one.hasResult && one.isSealed && mayBeRemoved(one, i);
        expect(names('SELECT name FROM leftover')).toEqual(results(isPutOff));
        // A key that had its task is remembered for as long as there is a database.
        database.withReadTx((tx) => {
          for (const [i, one] of all.entries()) {
            expect(removals.findKey(tx, 'task', one.who, `k${i}`) !== undefined).toBe(taskGoes(one, i));
            expect(removals.find(tx, 'task', `t${i}`) !== undefined).toBe(taskGoes(one, i));
          }
        });
      }),
      { numRuns: 300 },
    );
  });
});

/** How SQLite goes about what `look` asks, whatever the values. */
function plansOf(look: (tx: WriteTx) => void): readonly string[] {
  const plans: string[] = [];
  database.withWriteTx((tx) =>
    look({
      ...tx,
      prepare(sql) {
        for (const step of tx.prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll(/\?|@\w+/g, "'1'")}`).all()) {
          plans.push((step as { readonly detail: string }).detail);
        }
        return tx.prepare(sql);
      },
    }),
  );
  return plans;
}

describe('an envelope', () => {
  it('stays while one is there of which is not known yet what it names', () => {
    run(`INSERT INTO envelope (sha256, bytes, task) VALUES ('old', x'00', 't')`);
    run(`INSERT INTO envelope (sha256, bytes) VALUES ('new', x'00')`);
    const clear = () => database.withWriteTx((tx) => leftovers.clear(tx, { kind: 'evidence', name: 'old' }).kind);
    expect(clear()).toBe('later');
    database.withWriteTx((tx) => leftovers.noteRead(tx, 'new', 't2'));
    expect(clear()).toBe('done');
    expect(database.withReadTx((tx) => tx.prepare('SELECT sha256 FROM envelope').pluck().all())).toEqual(['new']);
  });

  it('is looked for among a million tasks along indexes', () => {
    run(`INSERT INTO envelope (sha256, bytes, task) VALUES ('old', x'00', 't')`);
    const plans = plansOf((tx) => void leftovers.clear(tx, { kind: 'evidence', name: 'old' }));
    expect(plans).toEqual(expect.arrayContaining([expect.stringMatching(/task_by_result/)]));
    expect(plans.filter((plan) => /^SCAN (?!CONSTANT|envelope USING INDEX envelope_unread)/.test(plan))).toEqual([]);
  });
});

describe('the walk over what has ended', () => {
  it('follows an index, so that it costs nothing where nothing is due among a million', () => {
    for (const part of ['task', 'mirror'] as const) {
      const plans = plansOf((tx) => void removals.walk(tx, part, RULES, { endedAtMs: 0, n: 0 }, 10));
      expect(plans[0]).toMatch(new RegExp(`SEARCH t USING INDEX ${part}_ended`));
      expect(plans.filter((plan) => /TEMP B-TREE|^SCAN (?!json_each)/.test(plan))).toEqual([]);
    }
  });
});
