import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';
import { applyRule, isStricter, matchesRule } from './match.ts';
import { parseArguments } from './options.ts';
import { PACKS } from './packs/index.ts';
import { programOf } from './program.ts';
import type { BuiltInRule, CommandClass, CommandPlace, ProgramSpec } from './types.ts';

const PLACE: CommandPlace = { host: 'self', cwd: '/w', workspace: '/w' };
const classifier = createCommandClassifier({ grammar: await testGrammar() });
const SPECS: ReadonlyMap<string, ProgramSpec> = new Map(
  PACKS.flatMap(({ programs }) => programs.flatMap((spec) => spec.names.map((name) => [name, spec] as const))),
);

/** What a rule says about an example of its own, alone. */
function saysAlone(rule: BuiltInRule, [program = '', ...args]: readonly string[]): CommandClass | undefined {
  const spec = SPECS.get(programOf(program, (known) => SPECS.has(known)).name);
  const parsed = parseArguments(
    args.map((text) => ({ text, shape: 'literal' })),
    spec,
  );
  return spec && matchesRule(rule, parsed) ? applyRule(rule, spec, parsed, PLACE).class : undefined;
}

interface Decided {
  readonly example: readonly string[];
  /** The rule that was stricter; absent where this one is among those that decided. */
  readonly by?: string;
}

function decided(rule: BuiltInRule): readonly Decided[] {
  return rule.examples.map((example) => {
    const found = classifier.classify(example, PLACE);
    const alone = saysAlone(rule, example);
    return alone === found.class ? { example } : { example, by: `${found.rule}, which is ${found.class}` };
  });
}

describe('a rule, among all rules of all packs', () => {
  it.each(PACKS.flatMap(({ rules }) => rules).map((rule) => [rule.name, rule] as const))(
    '%s decides about its examples, or says which stricter rule does',
    (_, rule) => {
      const wins = decided(rule);
      const named = rule.yieldsTo ?? [];
      // One that is never among those that decide is a rule that nobody sees.
      expect(wins.filter(({ by }) => by === undefined)).not.toEqual([]);
      const lost = wins.flatMap(({ example, by }) => (by === undefined ? [] : [{ example, by }]));
      expect(lost.filter(({ by }) => !named.some((name) => by.startsWith(`${name},`)))).toEqual([]);
      expect(named.filter((name) => !lost.some(({ by }) => by.startsWith(`${name},`)))).toEqual([]);
    },
  );

  it('is made milder by no other', () => {
    const milder = PACKS.flatMap(({ rules }) => rules).flatMap((rule) =>
      rule.examples.filter((example) => {
        const alone = saysAlone(rule, example);
        return alone === undefined || isStricter(alone, classifier.classify(example, PLACE).class);
      }),
    );
    expect(milder).toEqual([]);
  });
});
