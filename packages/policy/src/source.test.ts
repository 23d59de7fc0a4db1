import { describe, expect, it } from 'vitest';
import { compileConfig } from './compile.ts';

const codes = (text: string): readonly string[] => {
  const compiled = compileConfig(text);
  return compiled.ok ? [] : compiled.violations.map((violation) => violation.code);
};

describe('a text made to be slow', () => {
  it.each([
    ['a key of 50,000 parts', `schema = 1\na${'.a'.repeat(50_000)} = 1\n`],
    ['a quoted one', `schema = 1\n"a"${'."a"'.repeat(50_000)} = 1\n`],
    ['one in an inline table', `schema = 1\nx = { a${'.a'.repeat(50_000)} = 1 }\n`],
    ['a table of 50,000 parts', `schema = 1\n[a${'.a'.repeat(50_000)}]\n`],
  ])('%s is refused with its line', (_, text) => {
    const compiled = compileConfig(text);
    expect(compiled).toMatchObject({ ok: false, violations: [{ code: 'TOML_SYNTAX', position: { line: 2 } }] });
  });

  it.each([
    ['one endless word', `schema = 1\n${'a'.repeat(500_000)}\n`],
    ['endless nesting', `schema = 1\nx = ${'['.repeat(5000)}${']'.repeat(5000)}\n`],
    ['endless dots', `schema = 1\nx = "${'.'.repeat(500_000)}"\n`],
  ])('%s is refused', (_, text) => expect(codes(text)).not.toEqual([]));
});
