import { describe, expect, it } from 'vitest';
import { compileConfig } from './compile.ts';

const codes = (text: string): readonly string[] => {
  const compiled = compileConfig(text);
  return compiled.ok ? [] : compiled.violations.map((violation) => violation.code);
};

/** A configuration with so many profiles, each with some more lines. */
function many(profiles: number, lines: (at: number) => string = () => ''): string {
  const tables = Array.from(
    { length: profiles },
    (_, at) => `[profiles.p${at}]\ncapabilities = ["inspect_status"]\nrunner = "shell"\n${lines(at)}`,
  );
  return `schema = 1\n[node]\nname = "x"\n${tables.join('')}`;
}

const ceilings = (count: number, next: (at: number) => number): string =>
  Array.from({ length: count }, (_, at) => `p${at} = "p${next(at)}"\n`).join('');

describe('a text of ten thousand profiles', () => {
  const LARGE = 10_000;

  it('loads, also where each is cut down to the next', () => {
    expect(codes(many(LARGE))).toEqual([]);
    expect(codes(`${many(LARGE)}[profile_ceilings]\n${ceilings(LARGE - 1, (at) => at + 1)}`)).toEqual([]);
  });

  it.each([
    ['of the node', '[profile_ceilings]'],
    ['of a subject', '[self.profile_ceilings]'],
  ])('is refused for a circle through all of them, in the ceilings %s', (_, table) => {
    const compiled = compileConfig(`${many(LARGE)}${table}\n${ceilings(LARGE, (at) => (at + 1) % LARGE)}`);
    expect(compiled).toMatchObject({
      ok: false,
      violations: [{ code: 'CEILING_CYCLE', message: expect.stringMatching(/p0 → p1 → .* → … 9984 more → p0;/) }],
    });
  });

  it('is told five hundred things that are wrong, and that there are more, each with its place', () => {
    const compiled = compileConfig(many(LARGE, () => 'tim = "1m"\n'));
    const violations = compiled.ok ? [] : compiled.violations;
    expect(violations).toHaveLength(501);
    expect(violations[0]).toMatchObject({ code: 'UNKNOWN_KEY', position: { line: 7, column: 1 } });
    expect(violations[499]).toMatchObject({ path: 'profiles.p499.tim', position: { line: 4 * 500 + 3, column: 1 } });
    expect(violations[500]).toEqual({ code: 'BAD_VALUE', path: '', message: expect.stringContaining('more than 500') });
    expect(codes(many(500, () => 'tim = "1m"\n'))).toHaveLength(500);
  });
});

describe('a text made to be slow', () => {
  it.each([
    ['a key of 50,000 parts', `schema = 1\na${'.a'.repeat(50_000)} = 1\n`],
    ['a quoted one', `schema = 1\n"a"${'."a"'.repeat(50_000)} = 1\n`],
    ['one in an inline table', `schema = 1\nx = { a${'.a'.repeat(50_000)} = 1 }\n`],
    ['a table of 50,000 parts', `schema = 1\n[a${'.a'.repeat(50_000)}]\n`],
  ])('%s is refused with its line', (_, text) => {
    const compiled = compileConfig(text);
    expect(compiled).toMatchObject({
      ok: false,
      violations: [{ code: 'TOML_SYNTAX', message: 'a key has more than 64 parts', position: { line: 2 } }],
    });
  });

  it.each([
    ['one endless word', `schema = 1\n${'a'.repeat(500_000)}\n`],
    ['endless nesting', `schema = 1\nx = ${'['.repeat(5000)}${']'.repeat(5000)}\n`],
    ['endless dots', `schema = 1\nx = "${'.'.repeat(500_000)}"\n`],
  ])('%s is refused', (_, text) => expect(codes(text)).not.toEqual([]));
});
