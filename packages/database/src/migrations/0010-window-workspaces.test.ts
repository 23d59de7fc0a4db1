import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../open.ts';
import { createHome, createStandingClock, fillEarlier } from '../testing/fixture.ts';
import type { WriteTx } from '../types.ts';

const ASK = '{"subject":{},"ask":{"workspace":"app"}}';

let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

function openWindow(tx: Pick<WriteTx, 'prepare'>, id: string, kind: string, subject: string): void {
  tx.prepare(`INSERT INTO approval (id, kind, origin, session, agent, digest, subject, scopes, preview, requested_by, generation, state,
    created_at_ms, expires_at_ms, version) VALUES (?, ?, 'o', 's', 'a', '', ?, '[]', '', 'self', 1, 'approved', 1, 9, 1)`).run(
    ...[`a ${id}`, kind, subject],
  );
  tx.prepare(`INSERT INTO window (id, kind, origin, session, agent, profile, approval, opened_at_ms, expires_at_ms, uses,
    version) VALUES (?, 'assent', 'o', 's', 'a', 'ops', ?, 1, 9, 0, 1)`).run(id, `a ${id}`);
}

function storeCommand(tx: Pick<WriteTx, 'prepare'>, id: string, basis: string): void {
  tx.prepare(`INSERT INTO execution (id, origin, session, agent, requested_by, idempotency_key, class, known, needs, profile,
    digest, request, basis, preview, state, created_at_ms, expires_at_ms, version)
    VALUES (?, 'o', 's', 'a', 'self', ?, 'read', 1, '[]', 'ops', '', '{}', ?, '', 'completed', 1, 9, 1)`).run(
    id,
    id,
    basis,
  );
}

it('leaves a window that is open the workspace it was asked for, and closes it where that cannot be told', async () => {
  const options = { path: join(home.path, 'writ.db'), clock: createStandingClock(1), logger: silentLogger };
  await fillEarlier(options.path, '0010', (tx) => {
    storeCommand(tx, 'x-app', ASK);
    storeCommand(tx, 'x-torn', '{');
    openWindow(tx, 'plan', 'plan', `{"basis":${ASK}}`);
    openWindow(tx, 'plan without', 'plan', '{"basis":{"ask":{}}}');
    openWindow(tx, 'plan of a task', 'plan', '{"basis":{}}');
    openWindow(tx, 'blank', 'plan', '{"basis":{"ask":{"workspace":""}}}');
    openWindow(tx, 'torn', 'plan', '{');
    openWindow(tx, 'command', 'execution', '{"execution":"x-app"}');
    openWindow(tx, 'torn command', 'execution', '{"execution":"x-torn"}');
    openWindow(tx, 'command that is gone', 'execution', '{"execution":"none"}');
    openWindow(tx, 'nobody’s', 'plan', `{"basis":${ASK}}`);
    tx.prepare(`DELETE FROM approval WHERE id = 'a nobody’s'`).run();
  });
  const database = await openDatabase(options);
  const rows = database.withReadTx((tx) =>
    tx.prepare('SELECT id, workspace, closed_by FROM window ORDER BY n').raw().all(),
  );
  database.close();
  expect(rows).toEqual([
    ['plan', 'app', null],
    ['plan without', null, null],
    ['plan of a task', null, 'upgrade'],
    ['blank', null, null],
    ['torn', null, 'upgrade'],
    ['command', 'app', null],
    ['torn command', null, 'upgrade'],
    ['command that is gone', null, 'upgrade'],
    ['nobody’s', null, 'upgrade'],
  ]);
});
