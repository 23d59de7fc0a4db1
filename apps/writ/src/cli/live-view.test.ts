import { describe, expect, it } from 'vitest';
import { createOutput } from './output.ts';

/** Streams that keep what is written; `tty` says whether they are terminals. */
function screen(tty: boolean) {
  const written: string[] = [];
  const stream = { isTTY: tty, columns: 20, write: (text: string) => written.push(text) > 0, once: () => undefined };
  return { streams: { out: stream, err: stream } as never, written };
}

const usual = { json: false, noColor: true };

describe('a line of progress', () => {
  it('is drawn over itself, cut to the terminal, and gone before anything else is written', () => {
    const { streams, written } = screen(true);
    const output = createOutput(streams, usual);
    output.progress('running for 1s and some more words');
    output.progress('two\u001b[31m');
    output.note('a note');
    output.note('another');
    output.progress(undefined);
    expect(written).toEqual([
      '\r\u001b[Krunning for 1s and ',
      '\r\u001b[Ktwo\\u{1b}[31m',
      '\r\u001b[K',
      'a note\n',
      'another\n',
    ]);
  });

  it('is never glued to output that stops within a line, and what follows begins a line of its own', async () => {
    const { streams, written } = screen(true);
    const output = createOutput(streams, usual);
    await output.raw('stdout', Buffer.from('whole\n'));
    output.progress('one');
    await output.raw('stdout', Buffer.from('half'));
    output.progress('two');
    await output.raw('stderr', Buffer.from(''));
    output.progress(undefined);
    output.note('a note');
    output.progress('three');
    expect(written).toEqual([
      ...['whole\n', '\r\u001b[Kone', '\r\u001b[K', 'half', ''],
      ...['\n', 'a note\n', '\r\u001b[Kthree'],
    ]);
  });

  it('leaves output alone that goes to a file', async () => {
    const { streams, written } = screen(false);
    const output = createOutput(streams, usual);
    await output.raw('stdout', Buffer.from('half'));
    output.note('a note');
    expect(written.map(String)).toEqual(['half', 'a note\n']);
  });

  it.each([
    ['without a terminal', false, usual],
    ['with --json', true, { ...usual, json: true }],
    ['with --quiet', true, { ...usual, quiet: true }],
    ['on a dumb terminal', true, { ...usual, isDumb: true }],
  ])('is not drawn %s', (_, tty, options) => {
    const { streams, written } = screen(tty);
    createOutput(streams, options).progress('running');
    expect(written).toEqual([]);
  });
});

describe('a screen', () => {
  it('takes the place of the one before on a terminal', () => {
    const { streams, written } = screen(true);
    const output = createOutput(streams, usual);
    for (const text of ['one\ntwo', 'one']) output.screen(text, (shown) => shown);
    expect(written).toEqual(['\u001b[2J\u001b[Hone\u001b[K\ntwo\u001b[K\n\u001b[J', '\u001b[Hone\u001b[K\n\u001b[J']);
  });

  it('ends without what the terminal itself has put below it, and only where it was drawn', () => {
    const { streams, written } = screen(true);
    const output = createOutput(streams, usual);
    output.screenEnd();
    output.screen('one', (shown) => shown);
    output.screenEnd();
    expect(written.slice(1)).toEqual(['\r\u001b[K']);
  });

  it('is written again each time elsewhere, so that it sees a reader that went away', () => {
    const { streams, written } = screen(false);
    const output = createOutput(streams, usual);
    for (const text of ['one', 'one', 'two']) output.screen(text, (shown) => shown);
    output.screenEnd();
    expect(written).toEqual(['one\n', '\none\n', '\ntwo\n']);
    const json = screen(true);
    const lines = createOutput(json.streams, { ...usual, json: true });
    for (const text of ['one', 'one']) lines.screen(text, (shown) => shown);
    expect(json.written).toEqual(['"one"\n', '"one"\n']);
  });
});

describe('a note', () => {
  it('is left out with --quiet, where a result and a failure are not', () => {
    const { streams, written } = screen(true);
    const output = createOutput(streams, { ...usual, quiet: true });
    output.note('a note');
    output.result('r', (text) => text);
    output.failure(new Error('broke'));
    expect(written.join('')).toMatch(/^r\nerror INTERNAL: /);
  });
});
