import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import type { ShellScript } from './types.ts';

const grammar = await testGrammar();

/** What the second word of a command becomes. */
function argumentOf(written: string): unknown {
  const script = grammar.parse(`x ${written}`);
  const [, word] = script.ok ? (script.commands[0]?.arguments ?? []) : [];
  return word && [word.text, word.shape];
}

function reasonOf(script: ShellScript): string {
  return script.ok ? 'it was read' : script.reason;
}

describe('a word of a script', () => {
  it.each([
    ['{}', '{}', 'literal'],
    ['a~b', 'a~b', 'literal'],
    ['a=b~', 'a=b~', 'literal'],
    ['x~', 'x~', 'literal'],
    [String.raw`a\*b`, 'a*b', 'literal'],
    ['""', '', 'literal'],
    [String.raw`"a\$b"`, 'a$b', 'literal'],
    [String.raw`"\$b"`, '$b', 'literal'],
    [String.raw`"a\\b"`, String.raw`a\b`, 'literal'],
    [String.raw`"a\qb"`, String.raw`a\qb`, 'literal'],
    ['"a \\\nb"', 'a b', 'literal'],
    [`'a\\$b'`, String.raw`a\$b`, 'literal'],
    ['12', '12', 'literal'],
    ['~', '~', 'path'],
    ['~/x', '~/x', 'path'],
    ['dir/*', 'dir/*', 'path'],
    ['dir/?', 'dir/?', 'path'],
    ['x-/*-', 'x-/*-', 'path'],
    ['d/"b"*', 'd/b*', 'path'],
    ['"d/"*', 'd/*', 'path'],
    ['*.log', '*.log', 'any'],
    ['*/x', '*/x', 'any'],
    ['-o/*', '-o/*', 'any'],
    ['[a]', '[a]', 'any'],
    ['a{b,c}', 'a{b,c}', 'any'],
    ['a:~/y', 'a:~/y', 'any'],
    ['x=~/y', 'x=~/y', 'any'],
    ['a"b"*', 'ab*', 'any'],
    ['*"a"/b*', '*a/b*', 'any'],
    ['a*"b/"?', 'a*b/?', 'any'],
  ])('%s is %j, and that is %s', (written, text, shape) => {
    expect(argumentOf(written)).toEqual([text, shape]);
  });

  it.each([
    '$x',
    '"$x"',
    '"a$x"',
    '`y`',
    '"`y`"',
    String.raw`"\\$x"`,
    String.raw`"a\\\\$x"`,
    `$'a'`,
    '$((1))',
    'a$',
    '<(y)',
  ])('%s depends on something else', (written) => {
    expect(argumentOf(written)).toBeUndefined();
  });
});

describe('a script', () => {
  it('has its commands with what is set and redirected for them, remarks left out', () => {
    const parsed = grammar.parse('A=1 B= x y >out 2>>log # a remark\nC=3\n{ z; } <in');
    expect(parsed).toEqual({
      ok: true,
      commands: [
        {
          arguments: [
            { text: 'x', shape: 'literal' },
            { text: 'y', shape: 'literal' },
          ],
          assignments: [
            { name: 'A', value: '1' },
            { name: 'B', value: '' },
          ],
          redirects: [],
        },
        {
          arguments: [],
          assignments: [],
          redirects: [
            { operator: '>', to: { text: 'out', shape: 'literal' } },
            { operator: '>>', to: { text: 'log', shape: 'literal' } },
          ],
        },
        { arguments: [], assignments: [{ name: 'C', value: '3' }], redirects: [] },
        { arguments: [{ text: 'z', shape: 'literal' }], assignments: [], redirects: [] },
        { arguments: [], assignments: [], redirects: [{ operator: '<', to: { text: 'in', shape: 'literal' } }] },
      ],
    });
  });

  it('that is fed a text reads nothing, unless the text depends on something', () => {
    const parsed = grammar.parse("x <<<'a b'");
    expect(parsed.ok && parsed.commands.flatMap(({ redirects }) => redirects)).toEqual([]);
    expect(grammar.parse('x <<<"$y"').ok).toBe(false);
  });

  it('is decided up to its longest length, and not beyond it', () => {
    const longest = `x ${'aaaa '.repeat(1638)}`;
    expect(grammar.parse(longest).ok).toBe(true);
    expect(reasonOf(grammar.parse(`${longest}a`))).toBe('the script is longer than 8192 characters');
  });

  it('is decided up to so many parts of one command, or commands, and not beyond them', () => {
    expect(grammar.parse(`x${' a'.repeat(2047)}`).ok).toBe(true);
    for (const text of [`x${' a'.repeat(2048)}`, 'x\n'.repeat(2049)])
      expect(reasonOf(grammar.parse(text))).toBe('the script holds more than 2048 parts in one place');
  });

  it('is decided up to its deepest nesting, and not beyond it', () => {
    const nested = (depth: number): string => `${'{ '.repeat(depth)}ls;${' }'.repeat(depth).replaceAll(' }', ' };')}`;
    expect(grammar.parse(nested(46)).ok).toBe(true);
    expect(reasonOf(grammar.parse(nested(54)))).toBe('the script is nested too deeply');
  });

  it.each([
    ['>a', 64, 'more than 64 redirects'],
    [';x', 128, 'more than 128 operators'],
    ['*', 128, 'more than 128 brackets and patterns'],
  ])('is decided with as many %j as may be, and not with more', (piece, most, why) => {
    expect(reasonOf(grammar.parse(`x a${piece.repeat(most)}`))).not.toContain('more than');
    expect(reasonOf(grammar.parse(`x a${piece.repeat(most + 1)}`))).toContain(why);
  });

  it.each([
    ['a[0]=1', 'sets part of a list'],
    ['x'.repeat(1025), 'more than 1024 characters'],
    ['a=(b)', 'a list, a pattern of several, or arithmetic'],
    ['x @(a|b)', 'a list, a pattern of several, or arithmetic'],
    ['[[ a ]]', 'a list, a pattern of several, or arithmetic'],
    ['x $y', 'holds'],
    ['x >\\ /dev/null', 'a name that begins with a blank'],
    ['x 2>>\\ p', 'a name that begins with a blank'],
    ['case a in b) x;; esac', 'holds'],
    ['r\\\nm x', 'breaks a line elsewhere'],
    ['x\0', 'holds a control character'],
    ["x 'a", 'cannot be parsed'],
  ])('says why it cannot be decided: %j', (script, why) => {
    expect(reasonOf(grammar.parse(script))).toContain(why);
  });

  it('may go on in the next line between words', () => {
    expect(grammar.parse('x a \\\n b')).toEqual(grammar.parse('x a b'));
    expect(grammar.parse('x a\\\n b')).toEqual(grammar.parse('x a b'));
    expect(grammar.parse('x a \\\nb')).toEqual(grammar.parse('x a b'));
  });

  it('does not remember the one before', () => {
    expect(grammar.parse("x 'a").ok).toBe(false);
    expect(grammar.parse('x a').ok).toBe(true);
  });
});
