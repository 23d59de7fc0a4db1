import { appendFileSync, chmodSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadIdentity } from '@writ/identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lineOf, readLine } from '../entry.ts';
import { placeOf } from '../merkle/stored-hashes.ts';
import { readCheckpoint } from '../note/checkpoint.ts';
import { splitNotes } from '../note/signed-note.ts';
import { checkSignature, readSigners } from '../note/signers.ts';
import { createLogBench, type LogBench } from '../testing/log-bench.ts';
import type { FollowerOptions } from './follower.ts';

let bench: LogBench;
beforeEach(async () => {
  bench = await createLogBench();
});
afterEach(() => bench.remove());

const file = (name: string): string => join(bench.files.dir, name);
const lines = (): readonly string[] =>
  Object.entries(bench.contents())
    .filter(([name]) => name.startsWith('entries-'))
    .flatMap(([, text]) => text.split('\n').slice(0, -1));
const newest = () => readCheckpoint(readFileSync(bench.files.checkpoint, 'utf8')) ?? expect.fail('no checkpoint');

describe('the files of the log', () => {
  it('hold the rows in order, a few to a file, private, and nothing that a terminal would obey', async () => {
    bench.write(16);
    await bench.settle();
    expect(lines()).toEqual(bench.database.auditAfter(0, 100).map(lineOf));
    expect(lines().map((line) => readLine(line))).toEqual(bench.database.auditAfter(0, 100));
    expect(Object.keys(bench.contents())).toEqual([
      ...['checkpoint', 'checkpoints', 'entries-0000000001.jsonl', 'entries-0000000008.jsonl'],
      ...['entries-0000000015.jsonl', 'hashes', 'signers.pem'],
    ]);
    expect(lines().join('')).toMatch(/^[ -~]*$/);
    expect(statSync(bench.files.dir).mode & 0o777).toBe(0o700);
    for (const name of Object.keys(bench.contents())) expect(statSync(file(name)).mode & 0o777).toBe(0o600);
  });

  it('end with a checkpoint that the key of the node signed', async () => {
    bench.write(9);
    await bench.settle();
    expect(newest()).toMatchObject({ origin: bench.identity.public.id, size: 9 });
    const signers = readSigners(readFileSync(bench.files.signers, 'utf8')) ?? expect.fail('no signers');
    expect(checkSignature(signers, newest())).toBeUndefined();
  });

  it('are the same to the byte whenever they are written', async () => {
    const follower = bench.follow();
    for (const count of [1, 5, 9, 3]) {
      bench.write(count);
      await follower.settle();
    }
    await follower.close();
    const grown = bench.contents();
    rmSync(bench.files.dir, { recursive: true });
    await bench.settle();
    const { checkpoints: history, ...derived } = grown;
    const { checkpoints: single, ...rebuilt } = bench.contents();
    expect(rebuilt).toEqual(derived);
    expect(splitNotes(history ?? '').notes.map((note) => readCheckpoint(note)?.size)).toEqual([1, 6, 15, 18]);
    expect(splitNotes(single ?? '').notes).toHaveLength(1);
  });

  it('go on under a new key, and keep the certificate of the old one', async () => {
    bench.write(3);
    await bench.settle();
    const before = newest();
    await bench.identity.rotate();
    bench.write(3);
    await bench.settle();
    const signers = readSigners(readFileSync(bench.files.signers, 'utf8')) ?? expect.fail('no signers');
    expect(signers.keys).toHaveLength(2);
    expect([checkSignature(signers, before), checkSignature(signers, newest())]).toEqual([undefined, undefined]);
  });
});

describe('a clock that was back for a while', () => {
  it('leaves a log whose every checkpoint verifies, then and once the clock is right', async () => {
    const { clock, random, dir } = bench;
    const keys = join(dir, 'keys');
    const settleAs = async (): Promise<void> => {
      bench.write(2);
      const follower = bench.follow({ identity: await loadIdentity({ dir: keys, clock, random }) });
      await follower.settle();
      await follower.close();
    };
    await settleAs();
    for (const backMs of [7_200_000, 40 * 86_400_000]) {
      // Keys that have to be made while the clock is back count too.
      rmSync(join(keys, 'signing.pem'));
      clock.jump(-backMs);
      await settleAs();
      clock.jump(backMs);
      await settleAs();
    }
    const signers = readSigners(readFileSync(bench.files.signers, 'utf8')) ?? expect.fail('no signers');
    const { notes } = splitNotes(readFileSync(bench.files.checkpoints, 'utf8'));
    const faults = notes.map((note) => checkSignature(signers, readCheckpoint(note) ?? expect.fail('no checkpoint')));
    expect(faults).toEqual(Array(5).fill(undefined));
  });
});

describe('following', () => {
  it('gathers rows, then writes them, and signs at the first chance and then once a minute', async () => {
    const follower = bench.follow();
    bench.write(1);
    bench.clock.advance(0);
    await expect.poll(() => follower.state()).toEqual({ rows: 1, written: 1, signed: 1 });
    bench.write(4);
    expect(follower.state()).toEqual({ rows: 5, written: 1, signed: 1 });
    bench.clock.advance(50);
    await expect.poll(() => follower.state()).toEqual({ rows: 5, written: 5, signed: 1 });
    await bench.clock.waitForTimers(1);
    // What waits to be signed holds nothing back.
    bench.write(2);
    bench.clock.advance(50);
    await expect.poll(() => follower.state()).toEqual({ rows: 7, written: 7, signed: 1 });
    await bench.clock.waitForTimers(1);
    bench.clock.advance(60_000);
    await expect.poll(() => follower.state()).toEqual({ rows: 7, written: 7, signed: 7 });
    expect(bench.clock.pendingTimers()).toBe(0);
    bench.write(1);
    await follower.close();
    expect(follower.state()).toEqual({ rows: 8, written: 8, signed: 8 });
    expect(bench.clock.pendingTimers()).toBe(0);
  });

  it.each([
    ['half a line', (text: string) => text.slice(0, -20)],
    ['half a line behind a whole one', (text: string) => `${text}{"action":"ta`],
    ['a line less', (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)],
    ['bytes that never were a line', (text: string) => `${text.slice(0, -9)}\0\0\0\0`],
  ])('mends %s, as kill -9 leaves it', async (_, cut) => {
    bench.write(3);
    await bench.settle();
    bench.write(2);
    const follower = bench.follow();
    bench.clock.advance(0);
    await follower.settle();
    await follower.close();
    const whole = bench.contents();
    // The last checkpoint was never reached.
    const kept = splitNotes(whole.checkpoints ?? '').notes[0] ?? '';
    writeFileSync(bench.files.checkpoints, kept);
    writeFileSync(bench.files.checkpoint, kept);
    const path = file('entries-0000000001.jsonl');
    writeFileSync(path, cut(readFileSync(path, 'utf8')));
    truncateSync(bench.files.hashes, 32 * 4 + 7);
    await bench.settle();
    expect(bench.contents()).toEqual(whole);
  });

  it('writes the next checkpoint over one that was half written', async () => {
    bench.write(3);
    await bench.settle();
    appendFileSync(bench.files.checkpoints, `${bench.identity.public.id}\n4\nAA`);
    bench.write(1);
    await bench.settle();
    const { notes, rest } = splitNotes(bench.contents().checkpoints ?? '');
    expect([notes.map((note) => readCheckpoint(note)?.size), rest]).toEqual([[3, 4], '']);
  });

  it('writes everything anew where a file of it is gone', async () => {
    bench.write(20);
    await bench.settle();
    const whole = bench.contents();
    for (const name of ['hashes', 'entries-0000000015.jsonl']) {
      rmSync(file(name));
      await bench.settle();
      expect(bench.contents()).toEqual(whole);
    }
  });

  it('says what is wrong on a disk that takes nothing more, and goes on when it does again', async () => {
    const follower = bench.follow();
    bench.write(2);
    await follower.settle();
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    let isFull = true;
    const failing = bench.follow({
      identity: {
        ...bench.identity,
        signingCertificate: () => {
          if (isFull) throw full;
          return bench.identity.signingCertificate();
        },
      },
    });
    await follower.close();
    bench.write(3);
    await expect(failing.settle()).rejects.toThrow(/no space left/);
    expect(failing.state().problem).toMatchObject({ message: expect.stringMatching(/no space left/) });
    expect(failing.state().problem?.nextSteps).toContain('make room on the disk, then try again');
    isFull = false;
    bench.clock.advance(5_000);
    await expect.poll(() => failing.state()).toEqual({ rows: 5, written: 5, signed: 5 });
    await failing.close();
  });
});

describe('a log that does not fit its rows', () => {
  const problem = async (more: Partial<FollowerOptions> = {}): Promise<string> => {
    const follower = bench.follow(more);
    const before = bench.contents();
    await follower.settle().catch(() => undefined);
    const { message = '' } = follower.state().problem ?? {};
    await follower.close();
    expect(bench.contents()).toEqual(before);
    return message;
  };

  it('is left as it is where a line behind the last checkpoint is another', async () => {
    bench.write(2);
    await bench.settle();
    const { database } = bench;
    const [, second] = database.auditAfter(0, 9);
    bench.write(1);
    const forged = lineOf({ ...(second ?? expect.fail('no row')), seq: 3 });
    appendFileSync(file('entries-0000000001.jsonl'), `${forged}\n`);
    expect(await problem()).toMatch(/entry 3 in `entries-0000000001.jsonl` is another than the row/);
  });

  it('is left as it is where it holds more than the rows', async () => {
    bench.write(2);
    await bench.settle();
    appendFileSync(file('entries-0000000001.jsonl'), '{"seq":3}\n');
    expect(await problem()).toMatch(/hold entry 3, and the rows end with 2/);
  });

  it('is left as it is where its checkpoint is not of this node or not of these hashes', async () => {
    bench.write(5);
    await bench.settle();
    const whole = bench.contents();
    const forged = (whole.checkpoints ?? '').replace(/\n5\n/, '\n4\n');
    writeFileSync(bench.files.checkpoints, forged);
    expect(await problem()).toMatch(/not signed by this node \(bad-signature\)/);
    writeFileSync(bench.files.checkpoints, whole.checkpoints ?? '');
    const hashes = Buffer.from(whole.hashes ?? '', 'latin1');
    // That over the first four.
    hashes[placeOf(2, 0) * 32] = (hashes[placeOf(2, 0) * 32] ?? 0) ^ 1;
    writeFileSync(bench.files.hashes, hashes);
    expect(await problem()).toMatch(/the first 5 entries are not those/);
  });

  it('is left as it is where the database is another than the one that was signed', async () => {
    bench.write(3);
    await bench.settle();
    const older = { ...bench.database, auditAfter: () => [], auditEnd: () => 2 };
    expect(await problem({ rows: older })).toMatch(/a checkpoint counts 3 entries, and there are 2 rows/);
    const [, , third = expect.fail('no row')] = bench.database.auditAfter(0, 9);
    const other = { ...bench.database, auditAfter: () => [{ ...third, actor: 'nobody' }] };
    expect(await problem({ rows: other })).toMatch(/row 3 is not the entry that was signed/);
  });

  it('is refused where others can read it', async () => {
    bench.write(1);
    await bench.settle();
    chmodSync(bench.files.hashes, 0o644);
    expect(await problem()).toMatch(/can be reached by other users/);
  });
});
