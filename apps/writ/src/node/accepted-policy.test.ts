import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, sha256Hex, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { createNodeFactStore } from '@writ/lease-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AcceptedPolicy, createAcceptedPolicy, digestAccepted, readAcceptedTexts } from './accepted-policy.ts';

const LOADED = { reloaded: true, generation: 2, restartNeeded: [] };
const facts = createNodeFactStore();
const textOf = (text: string) => ({ digest: sha256Hex(text), text });

let dir: string;
let database: Database;
let accepted: AcceptedPolicy;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'writ-accepted-'));
  database = await openDatabase({ path: join(dir, 'writ.db'), clock: createSystemClock(), logger: silentLogger });
  accepted = createAcceptedPolicy(database, facts);
});
afterEach(async () => {
  await database.close();
  rmSync(dir, { recursive: true });
});

const note = (...texts: readonly string[]): Promise<void> =>
  accepted.note(texts.at(-1) ?? '', LOADED, 'command', texts.map(textOf));
const storedTexts = (): number => database.withReadTx((tx) => facts.keys(tx, 'policy.text.').length);
const set = (key: string, value: string): void => database.withWriteTx((tx) => facts.set(tx, key, value));

describe('what a person has accepted', () => {
  it('is nothing before the first start', () => {
    expect(accepted.read('another text')).toBeUndefined();
  });

  it('is kept in its order, each text once, and what counts no more is forgotten', async () => {
    await note('one');
    await note('one', 'two', 'three');
    expect([accepted.read('another text'), storedTexts()]).toEqual([['one', 'two', 'three'], 3]);
    await note('two');
    expect([accepted.read('another text'), storedTexts()]).toEqual([['two'], 1]);
  });

  it('is what it was until all of the next is stored', async () => {
    await note('one');
    const noting = note('one', 'two', 'three');
    const seen = new Set<string>();
    let isOver = false;
    const looking = (async () => {
      for (; !isOver; await new Promise((resolve) => setImmediate(resolve)))
        seen.add(JSON.stringify(accepted.read('another text')));
    })();
    await noting;
    isOver = true;
    await looking;
    expect(seen).toContain('["one"]');
    expect([...seen].filter((state) => state !== '["one"]' && state !== '["one","two","three"]')).toEqual([]);
  });

  it('is stored in parts where it is long, each character whole, and forgotten with all of them', async () => {
    // Two UTF-16 units a character, so that a cut at an even number would be clean: the first one moves them.
    const long = `#${'\u{1f600}'.repeat(100_000)}`;
    await note('one', long);
    expect([accepted.read('another text'), storedTexts()]).toEqual([['one', long], 5]);
    await note('one', long);
    await note('one');
    expect([accepted.read('another text'), storedTexts()]).toEqual([['one'], 1]);
  });

  it('is stored anew where a crash came between two parts of it', async () => {
    const long = 'x'.repeat(200_000);
    set(`policy.text.${sha256Hex(long)}.3`, 'torn');
    await note(long);
    expect([accepted.read('another text'), storedTexts()]).toEqual([[long], 4]);
  });

  it('is nothing that can be read where a part is gone or another', async () => {
    const long = 'x'.repeat(200_000);
    await note(long);
    const last = `policy.text.${sha256Hex(long)}.3`;
    set(last, 'y');
    expect(accepted.read('another text')).toEqual([]);
    database.withWriteTx((tx) => facts.remove(tx, last));
    expect(accepted.read('another text')).toEqual([]);
  });

  it('is forgotten where a crash came between a text and what refers to it', async () => {
    await note('one');
    set(`policy.text.${sha256Hex('orphan')}`, 'orphan');
    expect(accepted.read('another text')).toEqual(['one']);
    await note('one');
    expect(storedTexts()).toBe(1);
  });

  it.each(['', 'null', '{}', '{"accepted":"x","since":[]}', '["gone"]', '[1'])(
    'is none that can be read where it is not whole: %j',
    async (stored) => {
      await note('one');
      set('policy.accepted', stored);
      expect(accepted.read('another text')).toEqual([]);
      expect(readAcceptedTexts((key) => database.withReadTx((tx) => facts.get(tx, key)))).toEqual([]);
    },
  );

  it('is audited with the digest of the text', async () => {
    await accepted.note('broken', { ...LOADED, reloaded: false, violations: [] }, 'watcher', [textOf('one')]);
    const [row] = await database.kysely.selectFrom('audit').selectAll().orderBy('seq', 'desc').limit(1).execute();
    expect(row).toMatchObject({ action: 'policy.reload-failed', actor: 'node' });
    expect(JSON.stringify(row)).toContain(sha256Hex('broken'));
  });
});

describe('the yes of an approver, where the node ended before it was in force', () => {
  /** To this text, over those. */
  const approve = (text: string, ...over: readonly string[]): void =>
    database.withWriteTx((tx) =>
      accepted.approve(tx, { text: sha256Hex(text), accepted: digestAccepted(over.map(textOf)) }, 'ap-1'),
    );

  it('counts at the next start with that text', async () => {
    await note('old', 'since');
    approve('new', 'old', 'since');
    expect(accepted.read('new')).toBeUndefined();
  });

  it('does not count for another text, nor over something else', async () => {
    await note('old', 'since');
    approve('new', 'old', 'since');
    expect(accepted.read('newer')).toEqual(['old', 'since']);
    approve('new', 'since', 'old');
    expect(accepted.read('new')).toEqual(['old', 'since']);
  });

  it('is used up by the next load, and does not come back with what was accepted', async () => {
    await note('old');
    approve('new', 'old');
    await note('old');
    expect(accepted.read('new')).toEqual(['old']);
  });

  it('is in the trail, with who gave it', () => {
    approve('new', 'old');
    expect(database.auditTail(1)).toMatchObject([{ action: 'policy.approved', actor: 'ap-1' }]);
  });
});
