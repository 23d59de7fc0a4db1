import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { findPlaces } from './places.ts';
import { edited } from './testing/golden/rich-config.ts';
import { VARIANTS } from './testing/golden/variants.ts';
import { referencePlaces } from './testing/reference-places.ts';
import { tornConfig } from './testing/torn-configs.ts';

/** Places of a text, without those that are only there for another letter case. */
function places(text: string): object {
  return Object.fromEntries([...findPlaces(text)].filter(([path]) => !path.startsWith(' ')));
}

function expectAgreement(text: string): void {
  expect(places(text)).toEqual(Object.fromEntries(referencePlaces(text)));
}

/** Every way of writing something, next to something else. */
const WRITTEN = [
  '',
  '# only a comment',
  'a = 1',
  '  a  =  1  # x\nb=2',
  'a.b . c = 1\n"d e"."f\\"g" = 2\n\'h\'.\'i"\' = 3',
  '"\\u0041" = 1\n"" = 2',
  '[a]\nb = 1\n[a.c]\n[ d . e ]\nf = 1',
  '["a b".\'c\'] # [x]\nd = 1',
  '[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 1\n[[a.e]]\n[[a.e]]\nf = 1\n[[a]]\n[[a.e]]',
  'a = { b = 1, c = { d = 2 }, "e" = [1, { f = 3 }] }\ng = 1',
  'a = {}\nb = []\nc = [ ]\nd = 1',
  'a = [\n  1, # one\n  [2, 3],\n\n  "]", \'#\', # two\n]\nb = 1',
  'a = """\nx\n[y]\n"""\nb = 1',
  "a = '''\nx = 1\n'''\nb = 1",
  'a = """x"""""\nb = """\\""""\nc = \'\'\'\'x\'\'\'\'\'\nd = 1',
  'a = "x\\\\"\nb = "\\"#"\nc = \'\\\'\nd = 1',
  'a = 1979-05-27 07:32:00\nb = 07:32:00 # x\nc = [1979-05-27 07:32:00, 1]\nd = 1e3',
  'a = 1\r\n[b]\r\nc = "x"\r\n\r\nd = [\r\n1,\r\n2]\r\n',
  '\u00e9 = 1'.replace('\u00e9', '"\u00e9"'),
  'a = "\u{1F600}" # \u{1F600}\nb = ["\u{1F600}", 1]',
  '\ta\t=\t1\n\t[\tb\t.\tc\t]\t# x\n\td\t=\t[\t1\t,\t2\t]\n',
  'azAZ09-_ = 1\n[zaZA90_-]\n0 = 1\n9 = 2',
  '\'a\\b\' = 1\n"c\\\\" = 2\n["d\\te".\'f\\\']\ng = 3',
  `a = ""\nb = ''\nc = ["", '', """""", '''''']\nd = ""`,
  'a = """"x""""\nb = """x\\""""""\nd = 1',
  'a = [ # [\n  { b = 1 }, # {\n  { b = "}" }\n  # ]\n]\nc = 1',
  'a.b = { c.d = 1, "e".f = [2] }\n[g]\na.b = 1',
  '# x\r\na = 1 # y\r\n# z\r\n\r\nb = 2\r\n# end',
  'a-b_C1 = true\n-1 = false\n1 = inf',
];

describe('the places of a text', () => {
  it.each(WRITTEN)('are those that another parser finds: %j', (text) => {
    expect(parse(text)).toBeDefined();
    expectAgreement(text);
  });

  it('are those that another parser finds, in variants of a configuration', () => {
    for (const edit of VARIANTS.filter((_, at) => at % 12 === 0)) expectAgreement(edited(edit));
  });

  it('are those that another parser finds, wherever a torn configuration still is TOML', () => {
    const isToml = (text: string): boolean => {
      try {
        parse(text);
        referencePlaces(text);
        return true;
      } catch {
        return false;
      }
    };
    let tried = 0;
    fc.assert(
      fc.property(tornConfig, (text) => {
        if (!isToml(text)) return;
        tried++;
        expectAgreement(text);
      }),
      { numRuns: 150, seed: 2026 },
    );
    expect(tried).toBeGreaterThan(15);
  });

  it('are counted from the first character, a mark of the byte order too', () => {
    expect(places('\ufeffa = 1\nb = 2\n')).toEqual({ a: { line: 1, column: 2 }, b: { line: 2, column: 1 } });
  });

  it('are noted once more for any letter case, the first of them', () => {
    const found = findPlaces('A = 1\na = 2\n');
    expect(found.get('A')).toEqual({ line: 1, column: 1 });
    expect(found.get('a')).toEqual({ line: 2, column: 1 });
    expect(found.get(' a')).toEqual({ line: 1, column: 1 });
  });

  it.each([
    '"',
    "'''",
    '[',
    '[[',
    'a',
    'a =',
    'a = [',
    'a = {',
    'a = "',
    'a = """x""',
    'a = [1',
    'a = {b',
    '=',
    ']',
    '}',
    ',',
    '\\',
  ])('end also where a text is torn: %j', (text) => {
    expect(findPlaces(text)).toBeInstanceOf(Map);
  });
});
