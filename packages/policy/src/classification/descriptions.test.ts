import { expect, it } from 'vitest';
import { PACKS } from './packs/index.ts';
import type { BuiltInRule, KnownOptions, ProgramSpec, RulePack } from './types.ts';

const listed = ({ valued = [], flags = [] }: KnownOptions): readonly string[] => [...valued, ...flags];
/** Behind one of its commands, or in front of them. */
const scopesOf = (spec: ProgramSpec): readonly KnownOptions[] => [
  spec,
  spec.behindCommand ?? {},
  ...Object.values(spec.commands ?? {}),
];

/** What is said about options that the program is not described with: it would never hold, and nobody would see it. */
function faultsOfProgram(spec: ProgramSpec): readonly string[] {
  const described = new Set(scopesOf(spec).flatMap(listed));
  const about = [
    ...scopesOf(spec).flatMap(({ values = {} }) => Object.keys(values).map((option) => ['values', option] as const)),
    ...(spec.folders ?? []).map((option) => ['folders', option] as const),
    ...(spec.elsewhere ?? []).map((option) => ['elsewhere', option] as const),
  ];
  const where = spec.names.join(' ');
  return about
    .filter(([, option]) => !described.has(option))
    .map(
      ([key, option]) =>
        `${where}: \`${key}\` names ${option}, which is not among its options: list it, or take it out`,
    );
}

/** Options that a look takes back, and the program never had. */
function faultsOfRule(
  { name, class: is, except = [], programs }: BuiltInRule,
  specs: readonly ProgramSpec[],
): readonly string[] {
  if (is !== 'read') return [];
  const described = new Set(
    specs
      .filter((spec) => spec.names.some((one) => programs.includes(one)))
      .flatMap((spec) => scopesOf(spec).flatMap(listed)),
  );
  return except
    .filter((option) => !described.has(option))
    .map((option) => `${name}: \`except\` names ${option}, which no program of it has: a look with it is none already`);
}

function faultsOf({ programs, rules }: RulePack): readonly string[] {
  return [...programs.flatMap(faultsOfProgram), ...rules.flatMap((rule) => faultsOfRule(rule, programs))];
}

it.each(PACKS)('$topic describes options that its programs have, and each once', (pack) => {
  expect(faultsOf(pack)).toEqual([]);
  for (const spec of pack.programs) {
    const twice = (spec.valued ?? []).filter((option) => spec.flags?.includes(option));
    expect([spec.names, twice]).toEqual([spec.names, []]);
  }
});

it('says of what nobody has where it stands and what to write', () => {
  const spec: ProgramSpec = {
    names: ['x'],
    flags: ['-a'],
    values: { '-b': /^c$/ },
    folders: ['-C'],
    elsewhere: ['-a'],
  };
  const rule: BuiltInRule = {
    ...{ name: 't.look', programs: ['x'], class: 'read', needs: [], except: ['-a', '-d'] },
    ...{ examples: [], notExamples: [] },
  };
  expect(faultsOf({ topic: 't', programs: [spec], rules: [rule] })).toEqual([
    'x: `values` names -b, which is not among its options: list it, or take it out',
    'x: `folders` names -C, which is not among its options: list it, or take it out',
    't.look: `except` names -d, which no program of it has: a look with it is none already',
  ]);
});
