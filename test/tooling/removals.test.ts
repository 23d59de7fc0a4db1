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
    sources()
      .flatMap(removalsIn)
      .map(({ table }) => table),
  );
  expect([...tables].sort()).toEqual([...BY_THE_TIME, ...WHATEVER_TIME_IT_IS].sort());
  // Each names its table where it stands, or this test would not see it.
  expect(sources().flatMap((text) => text.match(/(?<!const )\bDELETE (?!FROM \w).*/g) ?? [])).toEqual([]);
});

it('what removes rows by the time is run where that was asked for, and what does not looks at no time', () => {
  const [byTheTime, others] = [BY_THE_TIME, WHATEVER_TIME_IT_IS].map((tables) =>
    sources().flatMap((text) =>
      removalsIn(text)
        .filter(({ table }) => tables.includes(table))
        .map((removal) => ({ ...removal, runs: runsOf(text, removal.name) })),
    ),
  );
  expect(byTheTime?.filter(({ runs }) => runs.length === 0 || !runs.every(Boolean))).toEqual([]);
  expect(others?.filter(({ sql }) => /_(ms|s)\b/.test(sql))).toEqual([]);
});

it('nothing that prunes takes a transaction in which the time may be doubted', () => {
  const signatures = sources().flatMap((text) => [...text.matchAll(/\bprune\w*\(tx: (\w+)/g)].map(([, type]) => type));
  expect(signatures.length).toBeGreaterThan(7);
  expect(signatures.filter((type) => type !== 'RemovalTx')).toEqual([]);
});

interface Removal {
  readonly table: string;
  /** Of the constant that holds the statement. */
  readonly name: string;
  readonly sql: string;
}

function removalsIn(text: string): readonly Removal[] {
  return [...text.matchAll(/DELETE FROM (\w+)[^'`;]*/g)].map(({ 0: sql, 1: table = '', index }) => {
    const name = [...text.slice(0, index).matchAll(/^const (\w+)/gm)].at(-1)?.[1] ?? '';
    return { table, name, sql };
  });
}

/** For each place where a statement is run, whether it has a `RemovalTx` there: it asks for one, or its function takes one. */
function runsOf(text: string, name: string): readonly boolean[] {
  const runs = text.matchAll(new RegExp(`(\\S+)\\s*\\.prepare\\(${name}\\b`, 'g'));
  return [...runs].map(({ 1: receiver = '', index }) => {
    if (receiver.endsWith('.forRemoval?')) return true;
    // A function of the file, or one of a store; what is called `prune` is looked at below.
    const heads = text.slice(0, index).matchAll(/^(?:export )?function \w+.*|^ {4}\w+(?:: )?\(tx\b.*/gm);
    return /^(?:export )?function \w+\(tx: RemovalTx\b|^ {4}prune(?:: )?\(tx,/.test([...heads].at(-1)?.[0] ?? '');
  });
}

/** What stores are made of. */
function sources(): readonly string[] {
  return ['packages/database', 'packages/lease-store', 'packages/task-store'].flatMap((name) => {
    const names = readdirSync(join(root, name, 'src'), { recursive: true, encoding: 'utf8' });
    const chosen = names.filter((file) => /^[^/]+\.ts$/.test(file) && !file.endsWith('.test.ts'));
    return chosen.map((file) => readFileSync(join(root, name, 'src', file), 'utf8'));
  });
}
