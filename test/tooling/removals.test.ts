import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Rows that go because their time is over: what removes them takes a `RemovalTx`, which there is none of while the time is doubted. */
const BY_THE_TIME = [
  ...['approval', 'execution', 'invite', 'lease', 'mirror', 'request_log', 'sent_command', 'session', 'session_holder'],
  ...['task', 'used_writ', 'window'],
];

/** Rows that go with what they belong to, or because somebody said so, whatever time it is. */
const WHATEVER_TIME_IT_IS = [
  ...['delivery', 'envelope', 'evidence_name', 'leftover', 'mirror_event', 'node_fact', 'question', 'receipt'],
  ...['refusal', 'session_end', 'task_event', 'token'],
];

it('whatever removes rows is known, and why it may', () => {
  const tables = new Set(
    sources().flatMap((text) => [...text.matchAll(/DELETE FROM (\w+)/g)].map(([, table]) => table)),
  );
  expect([...tables].sort()).toEqual([...BY_THE_TIME, ...WHATEVER_TIME_IT_IS].sort());
});

it('nothing that prunes takes a transaction in which the time may be doubted', () => {
  const signatures = sources().flatMap((text) => [...text.matchAll(/\bprune\w*\(tx: (\w+)/g)].map(([, type]) => type));
  expect(signatures.length).toBeGreaterThan(7);
  expect(signatures.filter((type) => type !== 'RemovalTx')).toEqual([]);
});

/** What stores are made of. */
function sources(): readonly string[] {
  return ['packages/database', 'packages/lease-store', 'packages/task-store'].flatMap((name) => {
    const names = readdirSync(join(root, name, 'src'), { recursive: true, encoding: 'utf8' });
    const chosen = names.filter((file) => /^[^/]+\.ts$/.test(file) && !file.endsWith('.test.ts'));
    return chosen.map((file) => readFileSync(join(root, name, 'src', file), 'utf8'));
  });
}
