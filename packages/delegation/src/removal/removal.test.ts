import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWritError } from '@writ/core';
import { NODE_IDS } from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUILD } from '../testing/evidence-bench.ts';
import { createRemovalBench, KEEP_MS, type RemovalBench } from '../testing/removal-bench.ts';

const { alpha } = NODE_IDS;
const DAY_MS = 86_400_000;
/** Tables that hold nothing of a task once it is gone. */
const TABLES = ['task', 'task_event', 'mirror', 'mirror_event', 'question', 'receipt', 'delivery', 'envelope'];

let bench: RemovalBench;
beforeEach(async () => {
  bench = await createRemovalBench();
});
afterEach(() => bench.close());

const nodes = () => [bench.asking, bench.at.node];
const left = () =>
  nodes().map((node) => [...TABLES, 'evidence_name', 'leftover'].map((name) => bench.rows(node, name)));
const NOTHING = Array.from({ length: TABLES.length + 2 }, () => 0);
const actions = (of: RemovalBench['asking']): string[] => of.database.auditTail(50).map(({ action }) => action);

async function untilRemoved(): Promise<void> {
  bench.at.clock.advance(KEEP_MS + 1);
  await bench.sweep();
}

describe('a task that is over', () => {
  it('is kept whole for its time, and nothing of it is there afterwards but that it was', async () => {
    const id = await bench.completed();
    bench.at.clock.advance(KEEP_MS - DAY_MS);
    await bench.sweep();
    await bench.asking.origin.verify(id);
    expect(bench.at.node.executor.result(id)).toBeDefined();
    bench.at.clock.advance(DAY_MS);
    await bench.sweep();
    expect(left()).toEqual([NOTHING, NOTHING]);
    expect(nodes().map(bench.files)).toEqual([[], []]);
    expect((await bench.at.runner.readTranscript(id, 0, 100)).length).toBe(0);
    expect(actions(bench.asking)).toContain('mirror.removed');
    expect(actions(bench.at.node)).toContain('task.removed');
  });

  it('stays where its result was not signed for, until whoever asked for it is no peer any more', async () => {
    bench.fault = (call) => (call === 'acknowledge' ? { kind: 'drop-request' } : undefined);
    const id = await bench.completed();
    await untilRemoved();
    expect([bench.asking.origin.get(id), bench.at.node.executor.get(id)]).not.toContain(undefined);
    await bench.asking.origin.verify(id);
    bench.peers.executing = [];
    bench.peers.asking = [];
    await bench.sweep();
    expect([bench.asking.origin.get(id), bench.at.node.executor.get(id)]).toEqual([undefined, undefined]);
  });

  it('stays while its clone does', async () => {
    const id = await bench.completed();
    bench.held.tasks.add(id);
    await untilRemoved();
    expect(bench.at.node.executor.get(id)?.state).toBe('completed');
    bench.held.tasks.clear();
    await bench.sweep();
    expect(bench.at.node.executor.get(id)).toBeUndefined();
  });

  it('stays while a question waits for it where it ran, and its token goes with it', async () => {
    const id = await bench.completed();
    const { database } = bench.at.node;
    database.withWriteTx((tx) => {
      tx.prepare(`INSERT INTO approval (id, kind, origin, session, agent, task, digest, subject, scopes, preview, requested_by,
        generation, state, created_at_ms, expires_at_ms, version)
        VALUES ('a', 'task', 'o', 's', 'a', ?, '', '{}', '[]', '', 'self', 1, 'pending', 1, 9, 1)`).run(id);
      tx.prepare(`INSERT INTO token (hash, prefix, kind, task, origin, session, created_at_ms)
        VALUES ('f', 'f', 'task', ?, 'o', 's', 1)`).run(id);
    });
    await untilRemoved();
    expect([bench.at.node.executor.get(id)?.state, bench.rows(bench.at.node, 'token')]).toEqual(['completed', 1]);
    database.withWriteTx((tx) => tx.prepare(`UPDATE approval SET state = 'cancelled'`).run());
    await bench.sweep();
    expect([bench.at.node.executor.get(id), bench.rows(bench.at.node, 'token')]).toEqual([undefined, 0]);
  });

  it('stays while there is a clone of which nobody can say what it is, where it ran', async () => {
    const id = await bench.completed();
    bench.held.isUnclear = true;
    await untilRemoved();
    expect(bench.at.node.executor.get(id)?.state).toBe('completed');
    // What was asked of somebody else lies in no clone here.
    expect(bench.asking.origin.get(id)).toBeUndefined();
    bench.held.isUnclear = false;
    await bench.sweep();
    expect(bench.at.node.executor.get(id)).toBeUndefined();
  });

  it('stays while its executor is asked for what it came to', async () => {
    const id = await bench.delegate();
    await bench.at.runner.runOf(id);
    bench.fault = () => ({ kind: 'drop-request' });
    bench.asking.database.withWriteTx((tx) => bench.asking.mirrors.setUnreachable(tx, id, true));
    await bench.asking.origin.forget(id, 'person');
    await untilRemoved();
    expect(bench.asking.origin.get(id)?.state).toBe('lost');
    expect(bench.at.node.executor.get(id)?.state).toBe('running');
    bench.asking.database.withWriteTx((tx) => bench.asking.mirrors.setUnreachable(tx, id, false));
    await bench.sweep();
    expect(bench.asking.origin.get(id)).toBeUndefined();
  });

  it('takes nothing with it that another one names', async () => {
    const first = await bench.completed({ 'b.txt': 'same\n' });
    bench.at.clock.advance(DAY_MS);
    const second = await bench.completed({ 'b.txt': 'same\n' });
    bench.at.clock.advance(KEEP_MS - DAY_MS + 1);
    await bench.sweep();
    expect(bench.asking.origin.get(first)).toBeUndefined();
    await bench.asking.origin.verify(second);
    bench.at.clock.advance(DAY_MS);
    await bench.sweep();
    expect(left()).toEqual([NOTHING, NOTHING]);
    expect(nodes().map(bench.files)).toEqual([[], []]);
  });

  it('keeps what an envelope may name that cannot be read, and the envelope', async () => {
    const first = await bench.completed({ 'b.txt': 'same\n' });
    const { database, executor } = bench.at.node;
    const sha256 = executor.result(first)?.sha256 ?? '';
    // As a later version of this program would write it.
    database.withWriteTx((tx) =>
      tx
        .prepare(
          `UPDATE envelope SET bytes = CAST(json_set(CAST(bytes AS TEXT), '$.later', 1) AS BLOB) WHERE sha256 = ?`,
        )
        .run(sha256),
    );
    await bench.completed({ 'b.txt': 'same\n' });
    await untilRemoved();
    const envelopes = database.withReadTx((tx) => tx.prepare('SELECT sha256 FROM envelope').pluck().all());
    expect([bench.rows(bench.at.node, 'task'), envelopes]).toEqual([0, [sha256]]);
    const content = bench.files(bench.at.node).filter((name) => /^[0-9a-f]{64}$/.test(name));
    const named = database.withReadTx((tx) => tx.prepare('SELECT sha256 FROM evidence_name').pluck().all());
    expect(content.length).toBe(2);
    expect(named).toEqual(expect.arrayContaining(content));
  });

  it('leaves content that was stored lately, although nothing names it', async () => {
    await bench.completed();
    const { content } = bench.at.node.evidence;
    bench.at.clock.advance(KEEP_MS + 1);
    // As an end would that is on its way: content counts as stored at the time of the system, which stands still here.
    const [late = '', old = ''] = bench.files(bench.at.node).filter((name) => /^[0-9a-f]{64}$/.test(name));
    bench.storedAtMs.set(late, bench.at.clock.nowMs() - 7 * DAY_MS + 1000);
    bench.storedAtMs.set(old, bench.at.clock.nowMs() - 7 * DAY_MS - 1000);
    await bench.sweep();
    const left = (): readonly string[] => bench.files(bench.at.node).filter((name) => [late, old].includes(name));
    expect([left(), bench.rows(bench.at.node, 'leftover')]).toEqual([[late], 1]);
    expect((await content.read(late, 0, 1))?.length).toBe(1);
    bench.at.clock.advance(2000);
    await bench.sweep();
    expect([left(), bench.rows(bench.at.node, 'leftover')]).toEqual([[], 0]);
  });

  it('can be renewed, so that what is on its way may name it', async () => {
    const id = await bench.completed({ 'b.txt': 'same\n' });
    const { executor, evidence } = bench.at.node;
    const result = executor.result(id);
    expect(result).toBeDefined();
    const { content } = evidence;
    let late = '';
    bench.at.clock.advance(KEEP_MS + 1);
    const renew = async (): Promise<void> => {
      for (const name of bench.files(bench.at.node).filter((file) => /^[0-9a-f]{64}$/.test(file))) {
        late = name;
        const bytes = (await content.read(name, 0, 10_000_000))?.length ?? 0;
        // As much later as the clock of the test has moved.
        expect(await content.renew(name, bytes)).toBe(true);
        expect(content.removeUnused(name, bench.at.clock.nowMs() - KEEP_MS - DAY_MS, () => false)).toBe(false);
        expect(content.removeUnused(name, bench.at.clock.nowMs(), () => true)).toBe(false);
        expect(await content.renew(name, bytes + 1)).toBe(false);
      }
    };
    await renew();
    expect(content.removeUnused(late, bench.at.clock.nowMs(), () => false)).toBe(true);
    expect(await content.renew(late, 1)).toBe(false);
    expect(content.removeUnused(late, bench.at.clock.nowMs(), () => false)).toBe(true);
  });
});

describe('whoever comes back for a task that was removed', () => {
  const thrown = async (fn: () => unknown): Promise<unknown> => {
    try {
      return await fn();
    } catch (error) {
      return isWritError(error) ? [error.code, error.message] : error;
    }
  };
  const removed = () => {
    const day = new Date(bench.at.clock.nowMs()).toISOString().slice(0, 10);
    return ['NOT_FOUND', `the task is over, and was removed here on ${day}`];
  };

  it('starts nothing a second time, and is told when it was removed', async () => {
    const request = { idempotencyKey: 'once' };
    const id = await bench.completed({ 'b.txt': 'two\n' }, request);
    const again = { ...bench.at.foreign(id), idempotencyKey: 'once' };
    await untilRemoved();
    const runs = bench.at.runner.runs.length;
    expect(await thrown(() => bench.delegate(request))).toEqual(removed());
    // A sender whose own records are older than its executor's.
    const { executor } = bench.at.node;
    expect(await thrown(() => executor.submit(again))).toEqual(removed());
    expect(await thrown(() => executor.submit({ ...again, idempotencyKey: 'another' }))).toEqual(removed());
    const ofOthers = bench.at.own(id);
    expect(await thrown(() => executor.submit(ofOthers))).toEqual(['CONFLICT', 'this task id cannot be used']);
    expect(bench.at.runner.runs.length).toBe(runs);
    expect(await executor.submit(bench.at.own('another'))).toMatchObject({ accepted: true });
    const removedAtMs = executor.removedAtMs(id);
    expect(removedAtMs).toBe(bench.asking.origin.removedAtMs(id));
    expect(executor.find(id, alpha)).toEqual({ removedAtMs });
    expect(executor.find(id, 'self')).toBeUndefined();
    expect(executor.find('another', 'self')?.task?.id).toBe('another');
    expect(executor.find('another', alpha)).toBeUndefined();
  });

  it('is not told that events follow where there are none', async () => {
    const id = await bench.completed();
    await untilRemoved();
    const watch = async (after: number): Promise<void> => {
      for await (const _ of bench.at.node.executor.watch(id, after, new AbortController().signal)) return;
    };
    expect(await thrown(() => watch(3))).toEqual(['NOT_FOUND', 'no such task']);
    expect(await thrown(() => bench.at.node.executor.acknowledge(id, new Uint8Array()))).toEqual([
      'NOT_FOUND',
      'no such task',
    ]);
  });
});

describe('a session whose tasks were removed', () => {
  it('still tells its end to whoever was asked in it', async () => {
    await bench.completed();
    await untilRemoved();
    expect(bench.asking.origin.endSession('s1', 'person')).toMatchObject({ ended: true, peers: 1 });
  });
});

describe('a result that lies in another one', () => {
  it('stays as long as that one', async () => {
    const id = await bench.completed();
    const { database, evidence, executor } = bench.at.node;
    const sha256 = executor.result(id)?.sha256 ?? '';
    // As the result of what handed it on would.
    const above = 'f'.repeat(64);
    database.withWriteTx((tx) => {
      evidence.results.putEnvelope(tx, above, new Uint8Array());
      tx.prepare('UPDATE envelope SET task = ? WHERE sha256 = ?').run('above', above);
      tx.prepare('INSERT INTO evidence_name (sha256, named_by) VALUES (?, ?)').run(sha256, above);
    });
    await untilRemoved();
    expect(executor.get(id)).toBeUndefined();
    expect(database.withReadTx((tx) => evidence.results.envelope(tx, sha256))).toBeDefined();
    expect(bench.files(bench.at.node).length).toBe(2);
  });
});

describe('what a task handed on', () => {
  it('stays until the task that handed it on may go as well', async () => {
    const id = await bench.completed();
    const { database } = bench.asking;
    database.withWriteTx((tx) => tx.prepare(`UPDATE mirror SET parent = 'above' WHERE id = ?`).run(id));
    const insert = (state: string, endedAtMs: number | null): void =>
      database.withWriteTx((tx) => {
        tx.prepare(`INSERT INTO task (id, sender, origin, session, agent, chain, idempotency_key, request_digest, spec, bounds,
          granted, state, epoch, last_seq, created_at_ms, outcome, ended_at_ms, version) VALUES
          ('above', 'self', 'self', 's1', 'a', '[]', 'k', '', '{}', '{}', '{}', ?, 1, 0, 1, '{}', ?, 1)`).run(
          ...[state, endedAtMs],
        );
      });
    insert('running', null);
    await untilRemoved();
    expect(bench.asking.origin.get(id)).toBeDefined();
    database.withWriteTx((tx) => tx.prepare('DELETE FROM task').run());
    insert('completed', 1);
    await bench.sweep();
    expect(bench.asking.origin.get(id)).toBeUndefined();
    expect(bench.rows(bench.asking, 'task')).toBe(0);
  });
});

describe('a task that failed', () => {
  it('goes as one that did not', async () => {
    const id = await bench.delegate({ spec: { ...BUILD, artifacts: ['out/*'] } });
    const run = await bench.at.runner.runOf(id);
    mkdirSync(join(run.files.dir, 'out'));
    writeFileSync(join(run.files.dir, 'out', 'x'), 'x');
    run.exit(1);
    await bench.at.ended(id);
    await bench.until(() => bench.asking.origin.result(id)?.acknowledgedAtMs !== undefined);
    expect(bench.files(bench.asking).length).toBe(3);
    await untilRemoved();
    expect(left()).toEqual([NOTHING, NOTHING]);
    expect(nodes().map(bench.files)).toEqual([[], []]);
  });
});
