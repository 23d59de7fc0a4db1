import { ok } from 'node:assert/strict';
import fc from 'fast-check';
import { type CommandClassifier, createCommandClassifier } from '../classification/classify.ts';
import type { ShellGrammar } from '../classification/types.ts';
import { compileConfig } from '../compile.ts';
import { tornConfig } from './torn-configs.ts';

/** What a run of a fuzzer came to. */
export interface FuzzReport {
  readonly runs: number;
  readonly slowestMs: number;
}

/** Longest that one input may take, milliseconds. */
const LONGEST_MS = 100;

const WORDS = [
  'rm',
  'ls',
  'sudo',
  'env',
  'xargs',
  'sh',
  'bash',
  '-c',
  '-rf',
  '--',
  'A=1',
  'ssh',
  'db',
  'find',
  '.',
  '-exec',
  '{}',
  ';',
  '+',
  'git',
  'push',
  '-f',
  'origin',
  'main',
  'psql',
  'select 1',
  "drop table x; select '",
  'curl',
  '-o',
  '/etc/x',
  'tee',
  'kubectl',
  '--context',
  'delete',
  'timeout',
  '5',
  'nice',
  '-n',
  'docker',
  '*',
  '',
  '-',
  '/',
  '..',
] as const;
const SYNTAX = [
  '$(',
  ')',
  '`',
  '"',
  "'",
  ';',
  '&&',
  '|',
  '>',
  '<<EOF\n',
  '{',
  '}',
  '(',
  '\\',
  '\n',
  '*',
  '~',
  '#',
  ' ',
  '$x',
  '[[',
];

const script = fc
  .array(fc.oneof(fc.constantFrom(...WORDS), fc.constantFrom(...SYNTAX), fc.string({ maxLength: 8 })), {
    maxLength: 24,
  })
  .map((parts) => parts.join(' '));
/** The same again and again, which a parser may take ever longer over. */
const repeated = fc
  .record({
    pieces: fc.array(fc.constantFrom(...SYNTAX, '@(a|b)', 'a=(', '>', '|&', 'é?', ')', 'a|'), {
      minLength: 1,
      maxLength: 3,
    }),
    times: fc.nat({ max: 9000 }),
  })
  .map(({ pieces, times }) => ['sh', '-c', `ls ${pieces.join('').repeat(times)}`.slice(0, 20_000)]);
const argv = fc.oneof(
  { arbitrary: repeated, weight: 1 },
  {
    arbitrary: fc.array(fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: 'binary', maxLength: 12 }), script), {
      maxLength: 12,
    }),
    weight: 4,
  },
);

function fuzz<T>(
  inputs: fc.Arbitrary<T>,
  runs: number,
  seed: number,
  take: (input: T) => void,
  now: () => number,
): FuzzReport {
  let slowestMs = 0;
  fc.assert(
    fc.property(inputs, (input) => {
      slowestMs = Math.max(
        slowestMs,
        timeOf(() => take(input), now),
      );
    }),
    { numRuns: runs, seed },
  );
  ok(slowestMs <= LONGEST_MS, `one input took ${slowestMs} ms`);
  return { runs, slowestMs };
}

/** Best of three where the first try is slow: garbage that is collected meanwhile is no fault of the input. */
function timeOf(take: () => void, now: () => number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && best > LONGEST_MS; attempt++) {
    const startedAt = now();
    take();
    best = Math.min(best, now() - startedAt);
  }
  return best;
}

/** However a configuration is torn, loading answers with a value. */
export function fuzzConfig(runs: number, seed: number, now: () => number): FuzzReport {
  return fuzz(tornConfig, runs, seed, (text) => void compileConfig(text), now);
}

/** Any argument list has a class, and nothing that removes a file is a read. */
export function fuzzCommands(grammar: ShellGrammar, runs: number, seed: number, now: () => number): FuzzReport {
  const classifier = createCommandClassifier({ grammar });
  return fuzz(argv, runs, seed, (args) => checkCommand(classifier, args), now);
}

function checkCommand(classifier: CommandClassifier, args: readonly string[]): void {
  const { class: is, target, commands } = classifier.classify(args, { host: 'self', cwd: '/w', workspace: '/w' });
  ok(commands.length > 0);
  ok(is !== 'read' || commands.every((one) => one.class === 'read'));
  ok(target === undefined || commands.some(({ targets }) => targets.includes(target)));
  if (args[0] === 'rm') ok(is === 'destructive');
}
