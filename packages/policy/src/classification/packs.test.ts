import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../capabilities.ts';
import { matchesRule } from './match.ts';
import { parseArguments } from './options.ts';
import { PACKS } from './packs/index.ts';
import { wordList } from './packs/option-names.ts';
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

/** True where the pattern is about all of a text: nothing is found in the middle, and no alternative is open at an end. */
function isWhole({ source }: RegExp): boolean {
  let depth = 0;
  const plain = source.replace(/\\./g, '_').replace(/\[(?:[^\]])*\]/g, '_');
  const isOpen = [...plain].some((one) => {
    depth += one === '(' ? 1 : one === ')' ? -1 : 0;
    return one === '|' && depth === 0;
  });
  return plain.startsWith('^') && plain.endsWith('$') && !isOpen;
}

describe.each(PACKS.flatMap(({ rules }) => rules).map((rule) => [rule.name, rule] as const))('%s', (_, rule) => {
  it('is made no milder by an option', () => expect(rule.class === 'destructive' && rule.except).toBeFalsy());

  it('finds no option by a text, which an abbreviation would evade', () => {
    const found = [rule.written, rule.writtenNot].filter((pattern) => pattern && !isWhole(pattern));
    expect(found.filter((pattern) => /--[a-z(]/.test(pattern?.source ?? ''))).toEqual([]);
  });

  it('is plain, or a change that holds with any option, only where it is written out whole', () => {
    const { plain, written, plainOperands } = rule;
    const patterns = [plain, plainOperands, rule.class === 'read' ? undefined : written];
    for (const pattern of patterns) expect(pattern === undefined || isWhole(pattern)).toBe(true);
  });
});

/** Programs with descriptions of their own to which such a condition means the same. */
const ALIKE: readonly (readonly string[])[] = [
  // `HOST:PATH`.
  ['rsync', 'scp'],
  // No colon: nothing of another machine.
  wordList('tar unzip gzip gunzip bzip2 xz zstd cpio patch zip'),
  // The name of a database.
  ['psql', 'mysql', 'mariadb'],
];

it('has words and forms of arguments for programs of one grammar only', () => {
  const mixed = PACKS.flatMap(({ programs: specs, rules }) =>
    rules
      .filter(({ words, plain, written, plainOperands }) => words ?? plain ?? written ?? plainOperands)
      .filter(({ programs }) => {
        const isOne = specs.some(({ names }) => programs.every((name) => names.includes(name)));
        return !isOne && !ALIKE.some((alike) => programs.every((name) => alike.includes(name)));
      })
      .map(({ name, programs }) => `${name}: ${programs.join(' ')}`),
  );
  expect(mixed).toEqual([]);
});
