import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { tomlString, tomlStrings } from './toml-text.ts';

const VALUES = [
  '',
  'plain',
  'with "marks" and \\',
  "it's",
  'a\nb\tc\r',
  '\u0000\u001f\u007f\u007f',
  '\u00e9\u2028\u{1F600}',
  '# ]',
];

describe('a value as TOML', () => {
  it.each(VALUES)('reads back as what it was: %j', (value) => {
    expect(parse(`a = ${tomlString(value)}\n`)).toEqual({ a: value });
  });

  it('stands on one line, also as a list', () => {
    expect(tomlStrings(['a', 'b'])).toBe('["a", "b"]');
    expect(tomlStrings([])).toBe('[]');
    expect(parse(`a = ${tomlStrings(VALUES)}\n`)).toEqual({ a: VALUES });
    expect(tomlStrings(VALUES)).not.toContain('\n');
  });
});
