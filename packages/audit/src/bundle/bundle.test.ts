import { readFileSync } from 'node:fs';
import { certificateDer } from '@writ/identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuditLog } from '../audit-log.ts';
import { createLogBench, type LogBench } from '../testing/log-bench.ts';
import type { ExportWish } from './export-bundle.ts';
import { verifyBundle } from './verify-bundle.ts';

let bench: LogBench;
let early: string;
beforeEach(async () => {
  bench = await createLogBench();
  bench.write(6);
  await bench.settle();
  early = readFileSync(bench.files.checkpoint, 'utf8');
  await bench.identity.rotate();
  bench.write(15);
  await bench.settle();
});
afterEach(() => bench.remove());

async function* lines(text: readonly string[], end: string): AsyncGenerator<string> {
  for (const line of text) yield line + end;
}
const verify = (bundle: readonly string[], kept: readonly string[] = []) => verifyBundle(lines(bundle, '\n'), kept);

async function exported(wish: ExportWish = {}): Promise<string[]> {
  const { database: rows, files, identity } = bench;
  const identityDer = certificateDer(identity.public.certificatePem);
  const log = createAuditLog({ rows, files, identityDer, settle: async () => undefined });
  const all: string[] = [];
  for await (const line of log.export(wish)) all.push(line);
  return all;
}

describe('a bundle', () => {
  it.each([
    [1, 21],
    [1, 1],
    [4, 9],
    [7, 21],
    [21, 21],
  ])('of entries %i to %i is proved by what is in it alone', async (from, to) => {
    const bundle = await exported({ from, to });
    expect(bundle).toHaveLength(to - from + 2);
    expect(await verify(bundle)).toMatchObject({ ok: true, written: to - from + 1, signed: 21, problems: [] });
  });

  it('of what came since a checkpoint proves that the log only grew', async () => {
    const bundle = await exported({ since: early });
    expect(JSON.parse(bundle[0] ?? '')).toMatchObject({ from: 7, to: 21, since: { size: 6 } });
    expect(await verify(bundle, [early])).toMatchObject({ ok: true, kept: [{ size: 6, holds: true }] });
    // And where it holds other entries, by the proof alone.
    const other = await exported({ since: early, from: 10, to: 12 });
    expect(await verify(other, [early])).toMatchObject({ ok: true, kept: [{ size: 6, holds: true }] });
    const without = await exported({ from: 10, to: 12 });
    expect((await verify(without, [early])).problems).toMatchObject([{ where: 'kept-checkpoint', kind: 'missing' }]);
  });

  it('of nothing new is a bundle without entries', async () => {
    const newest = readFileSync(bench.files.checkpoint, 'utf8');
    const bundle = await exported({ since: newest });
    expect(bundle).toHaveLength(1);
    expect(await verify(bundle, [newest])).toMatchObject({ ok: true, written: 0, kept: [{ holds: true }] });
  });

  const edits: readonly (readonly [string, (bundle: string[]) => string[], object])[] = [
    [
      'with an entry that says something else',
      (bundle) => bundle.with(3, (bundle[3] ?? '').replace('"actor":"node"', '"actor":"nobody"')),
      { kind: 'edited', from: 6 },
    ],
    ['without an entry', (bundle) => bundle.toSpliced(3, 1), { kind: 'missing', from: 6 }],
    ['without the last', (bundle) => bundle.slice(0, -1), { kind: 'cut', from: 9, to: 9 }],
    ['with one twice', (bundle) => bundle.toSpliced(3, 0, bundle[3] ?? ''), { kind: 'duplicate', from: 6 }],
    [
      'in another order',
      (bundle) => bundle.with(3, bundle[4] ?? '').with(4, bundle[3] ?? ''),
      { kind: 'missing', from: 6, to: 6 },
    ],
    ['with a line that is nothing', (bundle) => bundle.with(3, '{"leaf":1}'), { kind: 'unreadable', from: 6 }],
    [
      'with another proof',
      (bundle) =>
        bundle.with(
          0,
          (bundle[0] ?? '').replace(/("before":\[")(.)/, (_, a, b) => a + (b === '0' ? '1' : '0')),
        ),
      { kind: 'edited', from: 4, to: 9 },
    ],
    [
      'with another checkpoint',
      (bundle) => bundle.with(0, (bundle[0] ?? '').replace('\\n21\\n', '\\n22\\n')),
      { kind: 'bad-signature' },
    ],
    [
      'of another node',
      (bundle) => bundle.with(0, (bundle[0] ?? '').replace(/"node":"wn-./, '"node":"wn-7')),
      { kind: 'another-log' },
    ],
  ];
  it.each(edits)('%s is found, with the entry', async (_, edit, problem) => {
    const report = await verify(edit(await exported({ from: 4, to: 9 })));
    expect(report.ok).toBe(false);
    expect(report.problems[0]).toMatchObject({ where: 'bundle', ...problem });
    expect(report.problems[0]?.nextSteps.length).toBeGreaterThan(0);
  });

  it('has one spelling: every other of an entry is found, and that of its first line is none', async () => {
    const bundle = await exported({ from: 4, to: 9 });
    const [head = '', , , line = ''] = bundle;
    const spellings = [
      line.replace('"entry":{', '"entry":{"action":"forged",'),
      line.replace('"details":{', '"details":{"number":0,'),
      line.replace('{"leaf"', '{"entry":{},"leaf"'),
      line.replace('"actor":"n', '"actor":"\\u006e'),
      line.replace('"actor":', '"actor": '),
      `${line}\r`,
      line.replace(/("action":"[^"]*"),("actor":"[^"]*")/, '$2,$1'),
    ];
    for (const changed of spellings) {
      expect(changed).not.toBe(line);
      const { problems } = await verify(bundle.with(3, changed));
      expect(problems).toMatchObject([{ where: 'bundle', kind: 'unreadable', from: 6 }]);
    }
    const heads = [
      head.replace('{', '{"node":"wn-forged",'),
      head.replace('{', '{"note":"all is well",'),
      head.replace(':', ': '),
      `${head}\r`,
      head.replace('"certificates":["', '$& '),
      head.replace('"version":1', '"version":3'),
      head.replace('"version"', '"verrion"'),
      head.replace('writ-audit-bundle', 'writ-audit-bundlf'),
      head.replace('{', 'z'),
      head.replace('"from":4', '"from":-4'),
      head.slice(0, -10),
      '',
    ];
    for (const changed of heads) {
      expect(changed).not.toBe(head);
      const report = await verify(bundle.with(0, changed));
      expect(report, changed.slice(0, 40)).toMatchObject({
        ...{ ok: false, node: '', checkpoints: 0 },
        problems: [{ where: 'bundle', kind: 'unreadable', message: expect.stringContaining('first line') }],
      });
    }
  });

  it('is told as one that was changed whichever bit of its first line is another', async () => {
    const [head = '', ...entries] = await exported({ from: 20 });
    const bytes = Buffer.from(head);
    for (let at = 0; at < bytes.length; at += 1) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (bytes[at] ?? 0) ^ (1 << (at % 7));
      // A line break makes two lines of it, which is another change.
      const report = await verify([flipped.toString('utf8'), ...entries]);
      expect(report.ok, `byte ${at}`).toBe(false);
    }
  });

  it('of a shorter or another history is shown by a checkpoint that was kept', async () => {
    const bundle = await exported();
    bench.write(3);
    await bench.settle();
    const later = readFileSync(bench.files.checkpoint, 'utf8');
    expect((await verify(bundle, [later])).problems).toMatchObject([{ kind: 'cut', from: 22, to: 24 }]);
    const changed = early.replace('\n6\n', '\n5\n');
    expect((await verify(bundle, [changed])).problems).toMatchObject([
      { where: 'kept-checkpoint', kind: 'bad-signature' },
    ]);
    expect((await verify(bundle, ['nothing signed'])).problems).toMatchObject([{ kind: 'unreadable' }]);
  });

  it('is not made of what is not there', async () => {
    await expect(exported({ from: 22 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(exported({ from: 5, to: 4 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(exported({ since: 'no checkpoint' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it.each(['', '{}', '[1]', 'no JSON', '{"format":"writ-audit-bundle","version":9}'])(
    'is not what %j begins',
    async (head) => {
      await expect(verify([head])).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    },
  );
});
