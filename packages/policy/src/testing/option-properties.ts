import { ok } from 'node:assert/strict';
import fc from 'fast-check';
import { ANSWERS } from '../classification/answers.ts';
import { createCommandClassifier } from '../classification/classify.ts';
import { isStricter } from '../classification/match.ts';
import { PACKS } from '../classification/packs/index.ts';
import type { BuiltInRule, Classification, KnownOptions, ProgramSpec, ShellGrammar } from '../classification/types.ts';

const RULES: ReadonlyMap<string, BuiltInRule> = new Map(
  PACKS.flatMap(({ rules }) => rules.map((rule) => [rule.name, rule] as const)),
);
const SPECS: ReadonlyMap<string, ProgramSpec> = new Map(
  PACKS.flatMap(({ programs }) => programs.flatMap((spec) => spec.names.map((name) => [name, spec] as const))),
);

/** An example of a rule. */
interface Example {
  readonly argv: readonly string[];
  readonly words: NonNullable<BuiltInRule['words']>;
  readonly spec: ProgramSpec;
}

const EXAMPLES: readonly Example[] = [...RULES.values()].flatMap(({ examples, words = [] }) =>
  examples.map((argv) => ({ argv, words, spec: SPECS.get(argv[0] ?? '') ?? { names: [] } })),
);

/** How many of the arguments are the program and the words that the rule is about, and what stands between. */
function leadOf({ argv, words }: Example): number {
  return words.reduce((from, word) => argv.findIndex((text, at) => at >= from && word.includes(text)) + 1, 1);
}

/** Options that no program has. */
const UNKNOWN = ['--of-tomorrow', '--of-tomorrow=./p', '-~', '-~./p', '--of', '-§x'];
const SIGNALS = ['-KILL', '-SIGTERM', '-ALRM', '-9'];

/** What is tried with an example. */
interface Change {
  readonly kind: 'unknown' | 'signal' | 'known' | 'twice' | 'moved';
  readonly option: number;
  readonly at: number;
  readonly value: boolean;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom<Change['kind'][]>('unknown', 'signal', 'known', 'twice', 'moved'),
  option: fc.nat({ max: 999 }),
  at: fc.nat({ max: 99 }),
  value: fc.boolean(),
});

function pick<T>(list: readonly T[], at: number): T | undefined {
  return list[at % Math.max(1, list.length)];
}

function listed({ valued = [], flags = [] }: KnownOptions): readonly string[] {
  return [...valued, ...flags];
}

/** With one more argument at this place, or behind it where an option takes what stands there. */
function insert(argv: readonly string[], at: number, text: string, taking: readonly string[]): readonly string[] {
  const place = taking.includes(argv[at - 1] ?? '') ? at + 1 : at;
  return [...argv.slice(0, place), text, ...argv.slice(place)];
}

/** Behind `--` nothing is an option. */
function endOf(argv: readonly string[]): number {
  return argv.includes('--') ? argv.indexOf('--') : argv.length;
}

/** What the example becomes; undefined where there is nothing to change. What stands in front of the words may take them for its value. */
function changed(example: Example, { kind, option, at, value }: Change): readonly string[] | undefined {
  const { argv, spec } = example;
  const [lead, end] = [leadOf(example), endOf(argv)];
  const behind = lead + (at % Math.max(1, end - lead + 1));
  const options = [spec, ...Object.values(spec.commands ?? {})];
  const taking = options.flatMap(({ valued = [] }) => valued);
  if (kind === 'unknown') return insert(argv, 1 + (at % end), pick(UNKNOWN, option) ?? '', taking);
  if (kind === 'signal') return insert(argv, behind, pick(SIGNALS, option) ?? '', taking);
  if (kind === 'known') {
    const known = pick(options.flatMap(listed), option);
    if (known === undefined) return undefined;
    if (!taking.includes(known)) return insert(argv, behind, known, taking);
    const attached = /^-.$/.test(known) ? `${known}v` : `${known}=v`;
    return value ? insert(argv, behind, attached, taking) : insert(argv, end, known, taking);
  }
  const given = argv.flatMap((text, place) => (place >= lead && place < end && /^-./.test(text) ? [place] : []));
  const place = pick(given, option);
  const text = place === undefined ? undefined : argv[place];
  if (text === undefined) return undefined;
  if (kind === 'twice') return insert(argv, end, text, taking);
  if (taking.some((name) => text.startsWith(name))) return undefined;
  const rest = argv.filter((_, one) => one !== place);
  return insert(rest, lead + (at % (end - lead)), text, taking);
}

/** A rule that matches all of the arguments as they are written says so itself, and so does a list of answers. */
function isWritten({ rule }: Classification): boolean {
  return rule === ANSWERS || RULES.get(rule)?.written !== undefined;
}

function mildnessOf(before: Classification, after: Classification): string | undefined {
  if (isWritten(after)) return undefined;
  if (isStricter(before.class, after.class)) return `${before.class} became ${after.class}`;
  // A look that became a change needs what the change needs, and what nobody knows needs the shell.
  const kept = before.class === 'read' || after.needs.includes('shell') ? ['shell', 'destructive'] : before.needs;
  const lost = kept.find((need) => before.needs.includes(need) && !after.needs.includes(need));
  return lost && `the need ${lost} is gone`;
}

/** Whether a command with an option that nobody described runs nothing else for a reason of its rule. */
function isAnswered(after: Classification): boolean {
  return after.needs.includes('shell') || RULES.get(after.rule)?.anyArguments === true || isWritten(after);
}

/**
 * No option, known or not, makes an example of a rule milder, and one that no description has needs the shell, wherever it stands.
 * Throws with the smallest example where that does not hold.
 */
export function proveOptions(grammar: ShellGrammar, runs: number, seed: number): number {
  const classifier = createCommandClassifier({ grammar });
  const classify = (argv: readonly string[]): Classification =>
    classifier.classify(argv, { host: 'self', cwd: '/w', workspace: '/w' });
  fc.assert(
    fc.property(fc.constantFrom(...EXAMPLES), fc.array(change, { minLength: 1, maxLength: 3 }), (example, changes) => {
      const before = classify(example.argv);
      const argv = changes.reduce((now, one) => changed({ ...example, argv: now }, one) ?? now, example.argv);
      const after = classify(argv);
      ok(
        !mildnessOf(before, after),
        `${JSON.stringify(argv)}: ${mildnessOf(before, after)} (${before.rule}, ${after.rule})`,
      );
      const isUnknown = argv.slice(0, endOf(argv)).some((text) => UNKNOWN.includes(text));
      ok(!isUnknown || isAnswered(after), `${JSON.stringify(argv)} needs no shell (${after.rule})`);
    }),
    { numRuns: runs, seed },
  );
  return runs;
}
