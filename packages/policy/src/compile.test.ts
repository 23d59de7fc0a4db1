import { WritError } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { compileConfig, compileOrThrow, configInvalid, formatViolations } from './compile.ts';
import { BASE } from './testing/fixtures.ts';

describe('a text that has to load', () => {
  it('is a policy', () => {
    expect(compileOrThrow(BASE)).toMatchObject({ text: BASE, config: { node: { name: 'box' } } });
  });

  it('fails with the code of a configuration, everything that is wrong and what to do', () => {
    const compile = () =>
      compileOrThrow(BASE.replace('max_depth', 'max_dept').replace('kind = "command"', 'kind = "commnd"'));
    expect(compile).toThrow(WritError);
    expect(compile).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/^the configuration does not load\n(?:line \d+, column \d+: .+\n?){2}$/),
        details: { violations: 2 },
        nextSteps: ['mend the lines above and run: writ policy validate'],
      }),
    );
  });
});

describe('what is wrong with a text', () => {
  it('is said in one line each: place, key path, what, code; without those that there are not', () => {
    const whole = { code: 'TOML_SYNTAX', path: '', message: 'a whole file' } as const;
    const placed = { code: 'BAD_VALUE', path: 'a.b', position: { line: 2, column: 3 }, message: 'a key' } as const;
    expect(formatViolations([whole, placed])).toBe(
      'a whole file (TOML_SYNTAX)\nline 2, column 3: a.b: a key (BAD_VALUE)',
    );
    expect(configInvalid([whole]).message).toBe('the configuration does not load\na whole file (TOML_SYNTAX)');
  });

  it('is where it is no TOML one short sentence with its place', () => {
    expect(compileConfig('schema = 1\n[node\nname = "x"\n')).toEqual({
      ok: false,
      violations: [
        { code: 'TOML_SYNTAX', path: '', message: 'illegal character in key', position: { line: 2, column: 6 } },
      ],
    });
  });
});
