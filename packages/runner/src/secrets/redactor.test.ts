import { describe, expect, it } from 'vitest';
import { createKnownSecrets } from './known-secrets.ts';
import { createRedactor } from './redactor.ts';

function redactorOf(...secrets: readonly string[]) {
  return createRedactor(createKnownSecrets(secrets.map((secret) => Buffer.from(secret))).sought);
}

function redacted(secrets: readonly string[], pieces: readonly string[]): string {
  const redactor = redactorOf(...secrets);
  return Buffer.concat([...pieces.map((piece) => redactor.push(Buffer.from(piece))), redactor.flush()]).toString();
}

const SECRET = 'sk-0123456789abcdef';

describe('a redactor', () => {
  it('takes a secret out, wherever the stream is cut', () => {
    const text = `a ${SECRET} b ${SECRET}${SECRET}c`;
    for (let first = 0; first <= text.length; first += 1) {
      for (let second = first; second <= text.length; second += 5) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        expect(redacted([SECRET], pieces)).toBe('a [redacted] b [redacted][redacted]c');
      }
    }
    expect(redacted([SECRET], [...text])).toBe('a [redacted] b [redacted][redacted]c');
  });

  it('takes out the longest of several that begin together, and all of what overlaps', () => {
    const pair = ['abcdef', 'abcdefghij'];
    expect(redacted(pair, ['abcdef', 'ghij.'])).toBe('[redacted].');
    expect(redacted(pair, ['abcdef', 'gh.'])).toBe('[redacted]gh.');
    expect(redacted(['aaaaaab'], ['aaaaaaa', 'aaab'])).toBe('aaaa[redacted]');
    expect(redacted(['abcdef', 'defghi'], ['xabcdefgh', 'ix'])).toBe('x[redacted]x');
    expect(redacted(['aaaaaa'], ['aaaaaaaaa', 'aaaaaaaaa'])).toBe('[redacted]');
    expect(redacted(['bcdefg', 'abcdefgh'], ['abcdefg.abcdefgh'])).toBe('a[redacted].[redacted]');
  });

  it('knows it without its line break, in base64, in JSON, and by its long lines', () => {
    const key = 'begin\nfirst line of the key\nsecond line of the key\n';
    expect(redacted([`${SECRET}\n`], [`x${SECRET}y`])).toBe('x[redacted]y');
    expect(redacted([SECRET], [`x ${Buffer.from(SECRET).toString('base64')}`])).toMatch(/^x \[redacted\]=*$/);
    expect(redacted([key], ['> second line of the key\r\n'])).toBe('> [redacted]\r\n');
    expect(redacted(['pass"word"1'], [JSON.stringify({ p: 'pass"word"1' })])).toBe('{"p":"[redacted]"}');
  });

  it('holds back only what may be a secret, and gives it out at the end', () => {
    const redactor = redactorOf(SECRET);
    expect(redactor.push(Buffer.from('hello sk-01')).toString()).toBe('hello ');
    expect(redactor.push(Buffer.from('x')).toString()).toBe('sk-01x');
    expect(redactor.push(Buffer.from('sk-')).toString()).toBe('');
    expect(redactor.flush().toString()).toBe('sk-');
    // The beginning of its base64, where a line ends.
    expect(redactorOf(SECRET).push(Buffer.from('done: c2s\n')).toString()).toBe('done: c2s\n');
  });

  it('looks for what becomes known meanwhile in what was held back, too', () => {
    const known = createKnownSecrets([Buffer.from('abcdefgh')]);
    const redactor = createRedactor(known.sought);
    expect(redactor.push(Buffer.from('x abcdef')).toString()).toBe('x ');
    expect(known.tell(Buffer.from('defXYZ'))).toBe(true);
    expect(redactor.push(Buffer.from('XYZ defXYZ')).toString()).toBe('abc[redacted] [redacted]');
    expect(redactor.push(Buffer.from(' abcdefgh defXYZ')).toString()).toBe(' [redacted] [redacted]');
  });

  it('begins anew behind what was flushed', () => {
    const redactor = redactorOf('abcdef', 'a"bcdef/');
    for (const text of ['abcdef', 'abc', 'def', 'a\\"bcd', 'ef\\/', '\\', 'YWJj', 'ZGVm', 'abcdef']) {
      const out = redactor.push(Buffer.from(text)).toString() + redactor.flush().toString();
      expect(out).toBe(text === 'abcdef' ? '[redacted]' : text);
    }
  });

  it('is told so much and no more while it runs', () => {
    const known = createKnownSecrets([Buffer.alloc(64 * 1024, 'x')]);
    const telling = Array.from({ length: 33 }, (_, at) => known.tell(Buffer.from(`secret-${at}-`)));
    expect(telling).toEqual([...Array.from({ length: 32 }, () => true), false]);
    expect(redactorOf().push(Buffer.from('x')).toString()).toBe('x');
    const redactor = createRedactor(known.sought);
    expect(redactor.push(Buffer.from('secret-31- secret-32-.')).toString()).toBe('[redacted] secret-32-.');
    const long = createKnownSecrets([]);
    expect([20, 13, 12, 1].map((kib) => long.tell(Buffer.alloc(kib * 1024, 'y')))).toEqual([true, false, true, false]);
  });

  it('passes on what is binary as it is, and takes no short word for a secret', () => {
    const bytes = Buffer.from([0xff, 0, 0xc3, 0x28, 0xa0]);
    expect(redactorOf(SECRET).push(bytes)).toEqual(bytes);
    expect(redacted(['abc', 'abcde'], ['abcde'])).toBe('abcde');
  });
});

describe('JSON with a secret', () => {
  const secret = 'p\u00e4ss"w\u00f6rd\\x\t<q>&a/b=\u{1f511}';
  const ascii = (text: string): string =>
    text.replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const written = JSON.stringify(secret);
  const hex = (text: string, of: RegExp): string =>
    text.replace(of, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`);
  it.each([
    ['as it is', written],
    ['in ASCII', ascii(written)],
    ['for a page', hex(written, /[<>&=]/g)],
    ['with slashes', ascii(written).replaceAll('/', '\\/')],
    ['in ASCII, every letter', ascii(hex(written, /[<>&=a-z](?=[^"\\]*$)/g))],
  ])('holds none of it written %s, wherever it is cut', (_, text) => {
    expect(redacted([secret], [`{"a": ${text}}`])).toBe('{"a": "[redacted]"}');
    expect(redacted([secret], [...`{"a": ${text}}`])).toBe('{"a": "[redacted]"}');
  });

  it('leaves what is no escape as it is', () => {
    const text = 'C:\\Users\\u12x \\ud83dx \\ud83d\\n \\\\ \\q "\\"" \\u00';
    expect(redacted([secret], [...text])).toBe(text);
    expect(redacted([secret], [`\\u1${written}\\`])).toBe('\\u1"[redacted]"\\');
  });
});

describe('base64 of a secret', () => {
  const long = 'S3CR3T-abcdefghijklmnopqrstuvwxyz-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const encoded = (text: string, width: number): string =>
    (
      Buffer.from(text)
        .toString('base64')
        .match(new RegExp(`.{1,${width}}`, 'g')) ?? []
    ).join('\n');

  it.each([64, 76])('goes in lines of %i characters, too, and each of them', (width) => {
    expect(redacted([long], [encoded(long, width)])).toMatch(/^\[redacted\]=*$/);
    expect(redacted([long], [`${encoded(long, width).split('\n')[0]}\n.`])).toBe('[redacted]\n.');
  });

  it('goes whatever stands before it and wherever its lines are broken', () => {
    const secret = 'supersecretvalue123';
    for (const width of [60, 64, 76]) {
      for (let before = 0; before < 120; before += 1) {
        const text = `${'.'.repeat(before)}${secret}${'.'.repeat(before % 7)}`;
        const left = redacted([secret], [encoded(text, width).replaceAll('\n', before % 2 === 0 ? '\n' : '\r\n  ')]);
        expect(left).toContain('[redacted]');
        const read = Buffer.from(left.replace(/\[redacted\]/g, '????'), 'base64').toString('latin1');
        expect(read).not.toContain('ecret');
        expect(read).not.toContain('value');
        expect(read).not.toContain('e123');
      }
    }
  });

  it('goes in the alphabet of addresses, too', () => {
    const secret = '\u00bf?\u00bf?\u00ff>~~~?';
    const text = Buffer.from(secret).toString('base64url');
    expect(text).toMatch(/[-_]/);
    expect(redacted([secret], [text])).toBe('[redacted]');
  });

  it.each(['u:', 'us:', 'use:'])('goes behind %s, too', (before) => {
    const left = redacted([SECRET], [Buffer.from(before + SECRET).toString('base64')]);
    expect(Buffer.from(left.replace('[redacted]', ''), 'base64').toString('latin1')).not.toContain('0123');
    expect(left).toContain('[redacted]');
  });
});
