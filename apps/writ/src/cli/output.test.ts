import { expect, it } from 'vitest';
import type { Streams } from './live-view.ts';
import { createOutput, type Output } from './output.ts';

function collected(isTTY: boolean) {
  const pieces: Buffer[] = [];
  return {
    stream: { isTTY, write: (piece: string | Uint8Array) => pieces.push(Buffer.from(piece)) > 0 },
    text: () => Buffer.concat(pieces).toString('utf8'),
  };
}

/** What arrives on both streams. */
function written(
  write: (output: Output) => unknown,
  { isTTY = true, json = false, raw = false, noColor = true, home = undefined as string | undefined } = {},
): string {
  const [out, err] = [collected(isTTY), collected(isTTY)];
  write(createOutput({ out: out.stream, err: err.stream } as unknown as Streams, { json, noColor, raw, home }));
  return out.text() + err.text();
}

const EVIL = 'a\u001b[2J\u001b]52;c;eA==\u0007\u009b1m\u202eb\r\nc\td\re\n';
const SHOWN = `${String.raw`a\u{1b}[2J\u{1b}]52;c;eA==\u{7}\u{9b}1m\u{202e}b`}\nc\td${String.raw`\u{d}e`}\n`;

it('what a task wrote reaches a terminal with nothing in it that a terminal obeys', () => {
  expect(written((output) => output.raw('stdout', Buffer.from(EVIL)))).toBe(SHOWN);
  expect(written((output) => output.raw('stderr', Buffer.from(EVIL)))).toBe(SHOWN);
});

it('what was cut apart is put together again', () => {
  const bytes = Buffer.from('ä\u001b[2J\r\nend');
  const shown = written((output) => {
    for (const byte of bytes) void output.raw('stdout', Buffer.from([byte]));
  });
  expect(shown).toBe(`ä${String.raw`\u{1b}[2J`}\nend`);
});

it('is written as it is into a file or a pipe, and on a terminal only where that is asked for', () => {
  const write = (output: Output) => output.raw('stdout', Buffer.from(EVIL));
  expect(written(write, { isTTY: false })).toBe(EVIL);
  expect(written(write, { raw: true })).toBe(EVIL);
});

it('lines about a task hold nothing of that either, whoever made them', () => {
  const message = 'done\u001b]0;title\u0007\u202e';
  const shown = `${String.raw`done\u{1b}]0;title\u{7}\u{202e}`}\n`;
  for (const isTTY of [true, false]) {
    expect(written((output) => output.result(message, (text) => text), { isTTY })).toBe(shown);
    expect(written((output) => output.item(message, (text) => text), { isTTY })).toBe(shown);
    expect(written((output) => output.note(message), { isTTY })).toBe(shown);
  }
});

it('a next step names the home of the call; what is shown beside it stays as it is', () => {
  const step = 'writ up';
  const write = (output: Output) => {
    output.note(output.step(step));
    output.note(`  → ${step}`);
  };
  expect(written(write, { home: '/h' })).toBe('  → writ --home /h up\n  → writ up\n');
  expect(written(write)).toBe('  → writ up\n  → writ up\n');
});

it('colours of this program stay where it writes some', () => {
  const note = (output: Output) => output.note('\u001b[31mred\u001b[39m \u001b[2J');
  expect(written(note, { noColor: false })).toBe(`\u001b[31mred\u001b[39m ${String.raw`\u{1b}[2J`}\n`);
  expect(written(note)).toBe(`${String.raw`\u{1b}[31mred\u{1b}[39m \u{1b}[2J`}\n`);
});

it('where a line of somebody else goes on is marked on a terminal, so that nobody chooses where a row begins', () => {
  const forged = `x${' '.repeat(78)}argument 2: echo hello`;
  const write = (output: Output) => output.result(forged, (text) => output.rows(`command: ${text}\nand more`));
  const rows = written(write).trimEnd().split('\n');
  expect(rows.every((row) => row.length < 80)).toBe(true);
  expect(rows.filter((row) => !row.startsWith('  | '))).toEqual([expect.stringMatching(/^command: x/), 'and more']);
  expect(rows.join('')).toContain('argument 2: echo hello');
  expect(written(write, { isTTY: false })).toBe(`command: ${forged}\nand more\n`);
});
