import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../capabilities.ts';
import { matchesRule } from './match.ts';
import { parseArguments } from './options.ts';
import { PACKS } from './packs/index.ts';
import { programOf } from './program.ts';
import type { BuiltInRule, RulePack } from './types.ts';

function matches(pack: RulePack, rule: BuiltInRule, [program = '', ...args]: readonly string[]): boolean {
  const { name } = programOf(program, (known) => pack.programs.some(({ names }) => names.includes(known)));
  const spec = pack.programs.find(({ names }) => names.includes(name));
  const texts = args.map((text) => ({ text, shape: 'literal' }) as const);
  return rule.programs.includes(name) && matchesRule(rule, parseArguments(texts, spec));
}

describe.each(PACKS)('the rules about $topic', (pack) => {
  it.each(pack.rules)('$name matches its examples and none of the others', (rule) => {
    for (const example of rule.examples) expect([example, matches(pack, rule, example)]).toEqual([example, true]);
    for (const example of rule.notExamples) expect([example, matches(pack, rule, example)]).toEqual([example, false]);
    expect(rule.examples.length * rule.notExamples.length).toBeGreaterThan(0);
  });

  it('name known capabilities and described programs, each by a name of its own', () => {
    const described = pack.programs.flatMap(({ names }) => names);
    expect(new Set(described).size).toBe(described.length);
    for (const { name, programs, needs } of pack.rules) {
      expect(name.startsWith(`${pack.topic}.`)).toBe(true);
      for (const program of programs) expect(described).toContain(program);
      for (const need of needs) expect([...CAPABILITIES, 'shell']).toContain(need);
    }
  });
});

it('describes each program in one pack only, and each rule once', () => {
  const programs = PACKS.flatMap((pack) => pack.programs.flatMap(({ names }) => names));
  expect(programs.filter((name, at) => programs.indexOf(name) !== at)).toEqual([]);
  const rules = PACKS.flatMap((pack) => pack.rules.map(({ name }) => name));
  expect(rules.filter((name, at) => rules.indexOf(name) !== at)).toEqual([]);
});
