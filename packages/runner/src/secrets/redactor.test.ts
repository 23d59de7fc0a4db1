import { describe, expect, it } from 'vitest';
import { createRedactor, formsOf } from './redactor.ts';

function redacted(secrets: readonly string[], pieces: readonly string[]): string {
  const known = secrets.flatMap((secret) => formsOf(Buffer.from(secret)));
  const redactor = createRedactor(() => known);
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

  it('takes out the longest of several that begin together, and what overlaps', () => {
    const pair = ['abcdef', 'abcdefghij'];
    expect(redacted(pair, ['abcdef', 'ghij.'])).toBe('[redacted].');
    expect(redacted(pair, ['abcdef', 'gh.'])).toBe('[redacted]gh.');
    expect(redacted(['aaaaaab'], ['aaaaaaa', 'aaab'])).toBe('aaaa[redacted]');
  });

  it('knows it without its line break, in base64, in JSON, and by its long lines', () => {
    const key = 'begin\nfirst line of the key\nsecond line of the key\n';
    expect(redacted([`${SECRET}\n`], [`x${SECRET}y`])).toBe('x[redacted]y');
    expect(redacted([SECRET], [`x ${Buffer.from(SECRET).toString('base64')}`])).toMatch(/^x \[redacted\]=*$/);
    expect(redacted([key], ['> second line of the key\r\n'])).toBe('> [redacted]\r\n');
    expect(redacted(['pass"word"1'], [JSON.stringify({ p: 'pass"word"1' })])).toBe('{"p":"[redacted]"}');
  });

  it('holds back only what may be a secret, and gives it out at the end', () => {
    const known = formsOf(Buffer.from(SECRET));
    const redactor = createRedactor(() => known);
    expect(redactor.push(Buffer.from('hello sk-01')).toString()).toBe('hello ');
    expect(redactor.push(Buffer.from('x')).toString()).toBe('sk-01x');
    expect(redactor.push(Buffer.from('sk-')).toString()).toBe('');
    expect(redactor.flush().toString()).toBe('sk-');
  });

  it('passes on what is binary as it is, and takes no short word for a secret', () => {
    const bytes = Buffer.from([0xff, 0, 0xc3, 0x28, 0xa0]);
    expect(createRedactor(() => formsOf(Buffer.from(SECRET))).push(bytes)).toEqual(bytes);
    expect(formsOf(Buffer.from('abc'))).toEqual([]);
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

  it.each([64, 76])('goes in lines of %i characters, too', (width) => {
    expect(redacted([long], [encoded(long, width)])).toMatch(/^\[redacted\]\n\[redacted\]=*$/);
  });

  it.each(['u:', 'us:', 'use:'])('goes behind %s, too', (before) => {
    const left = redacted([SECRET], [Buffer.from(before + SECRET).toString('base64')]);
    expect(Buffer.from(left.replace('[redacted]', ''), 'base64').toString('latin1')).not.toContain('0123');
    expect(left).toContain('[redacted]');
  });
});
