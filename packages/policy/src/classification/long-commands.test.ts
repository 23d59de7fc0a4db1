import { beforeAll, describe, expect, it } from 'vitest';
import { allExpressions, type Expression } from '../testing/expressions.ts';
import { testGrammar } from '../testing/shell-grammar.ts';
import { type CommandClassifier, createCommandClassifier } from './classify.ts';

/**
 * What a command costs grows with its length and no faster: it is classified while everybody waits, before anybody has looked at it.
 * Work is measured as a ratio of two sizes, so that no machine is too slow for it.
 */
const SIZE = 4096;
const TIMES = 4;
/** Four times as long may take so many times as long; with the square it would be sixteen. */
const MOST_GROWTH = 9;
/** What takes less, milliseconds, is too little to tell its growth from the machine's own noise; the square of the size takes far more. */
const NOTHING_MS = 4;

function costOf(work: (size: number) => void, size: number): number {
  const { user, system } = process.cpuUsage();
  work(size);
  const after = process.cpuUsage();
  return (after.user - user + after.system - system) / 1000;
}

/** How many times as long the larger size takes; 1 where it is nothing. Noise only adds, so that the least of several counts. */
function growthOf(work: (size: number) => void): number {
  let least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  for (let run = 0; run < 6; run += 1) {
    least = {
      small: Math.min(least.small, costOf(work, SIZE)),
      large: Math.min(least.large, costOf(work, SIZE * TIMES)),
    };
    if (least.large < NOTHING_MS) return 1;
    if (run >= 2 && least.large / least.small < MOST_GROWTH) break;
  }
  return least.large / least.small;
}

const GENERIC = [
  'a',
  '0',
  '.',
  '-',
  '/',
  ' ',
  '\n',
  '%',
  '@',
  ':',
  '=',
  '+',
  ',',
  'A',
  '…',
  '%a',
  '0.',
  'a.',
  'a/',
  '/a',
];
const PUMPS = [...GENERIC, 'a,', 'a:', '\na', '\n-r', '\n-o\nro', '\n/a', '-0', '%-', 'a=', '.1'];
const STARTS = ['', '\n', 'a', '\n-', '\n%', '\n%-', '\n--x='];
const ENDS = ['!', '\n!'];
/** Longest beginning of an example that is gone on with. */
const LONGEST_START = 24;

/** Beginnings, and what is repeated behind them. */
function* repeatsFor({ of, texts }: Expression): Generator<readonly [start: string, pump: string]> {
  const words = [...new Set(of.source.match(/[A-Za-z]{2,}/g) ?? [])].slice(0, 8);
  const pumps = [...PUMPS, ...words, ...words.map((word) => `\n${word}`)];
  for (const start of STARTS) for (const pump of pumps) yield [start, pump];
  for (const text of new Set(texts)) {
    for (let at = 1; at <= Math.min(text.length, LONGEST_START); at += 1) {
      const start = text.slice(0, at);
      for (const pump of [...new Set([start.slice(-1), start.slice(-2), '0', 'a', '\na'])]) yield [start, pump];
    }
  }
}

/** Texts of this kind with which an expression takes more than its share. */
function* slowTexts(expression: Expression): Generator<string> {
  const { of } = expression;
  const plain = new RegExp(of.source, of.flags.replace(/[gy]/g, ''));
  for (const [start, pump] of repeatsFor(expression)) {
    for (const end of ENDS) {
      const work = (size: number): void => {
        plain.test(`${start}${pump.repeat(Math.ceil(size / pump.length))}${end}`);
      };
      const beganMs = performance.now();
      work(SIZE);
      if (performance.now() - beganMs < 1) continue;
      if (growthOf(work) >= MOST_GROWTH) yield JSON.stringify([start, pump, end]);
    }
  }
}

describe('an expression', () => {
  const all = allExpressions();

  it('of the rules or the closed lists takes as many times as long as its text is longer', { timeout: 120_000 }, () => {
    expect(all.length).toBeGreaterThan(100);
    const slow = all.flatMap((one) => {
      const [first] = slowTexts(one);
      return first === undefined ? [] : [`${one.of.source}  with  ${first}`];
    });
    expect(slow).toEqual([]);
  });
});

/** A list of arguments that is so many characters long. */
type Shape = (size: number) => readonly string[];
const repeated =
  (before: readonly string[], unit: string, after: readonly string[] = []): Shape =>
  (size) => [...before, unit.repeat(Math.ceil(size / unit.length)), ...after];
const many =
  (before: readonly string[], unit: readonly string[], after: readonly string[] = []): Shape =>
  (size) => [
    ...before,
    ...Array.from({ length: Math.ceil(size / (unit.join(' ').length + 1)) }, () => unit).flat(),
    ...after,
  ];

/** As many places as placeholders. */
const search = (size: number, ...command: readonly string[]): readonly string[] => {
  const count = Math.ceil(size / 16);
  const of = (text: string): readonly string[] => Array.from({ length: count }, () => text);
  return ['find', ...of('a/b/c/d/e'), '-exec', ...command, ...of('{}'), ';'];
};

const COMMANDS: Readonly<Record<string, Shape>> = {
  'a format of signs': repeated(['git', 'log'], '%'),
  'a format of parts': repeated(['git', 'log'], '%a'),
  'a version': (size) => [`a${'.1'.repeat(size / 2)}x`],
  digits: (size) => ['1'.repeat(size)],
  'zeros to print': (size) => ['printf', `%-${'0'.repeat(size)}`],
  'zeros to print, and an end': (size) => ['printf', `%${'0'.repeat(size)}z`],
  'formats to print': repeated(['printf'], '-+ #0%'),
  'letters of options': (size) => ['git', 'log', `-${'z'.repeat(size)}`],
  'letters of which none is twice': (size) => [
    'kubectl',
    'get',
    `-${Array.from({ length: size }, (_, at) => String.fromCharCode(0x100 + at)).join('')}`,
  ],
  'a long name of an option': (size) => ['kubectl', 'get', `--${'a'.repeat(size)}=b`],
  'options without a value': many(['mount'], ['-r'], ['x', 'y', 'z']),
  'options with one': many(['mount'], ['-o', 'ro'], ['x', 'y', 'z']),
  'a list as a value': repeated(['mount', '-o'], 'ro,', ['x']),
  'rights in a list': repeated(['setfacl', '-m'], 'u:x:r,', ['x']),
  operands: many(['rm'], ['a']),
  'operands of ip': many(['ip', 'route', 'del'], ['fa'], ['!']),
  'commands of find': many(['find'], ['-exec', 'ls', ';']),
  'commands of find without an end': many(['find'], ['-exec', '+']),
  variables: many(['env'], ['A='], ['ls']),
  'a language': (size) => ['env', `LANG=${'en.a:'.repeat(size / 5)}!`, 'ls'],
  'a time zone': (size) => ['env', `TZ=${'a/'.repeat(size / 2)}!`, 'ls'],
  'a wrapper in a wrapper': many([], ['sudo'], ['ls']),
  'a way up': repeated(['tee'], '/..'),
  'a way down': repeated(['tee'], 'a/'),
  'a package': repeated(['npm', 'install'], '=a'),
  'a branch': repeated(['git', 'push', 'origin'], 'a/'),
  'a setting': repeated(['git', 'config'], 'a.merge'),
  'a unit': repeated(['systemctl', 'start'], 'systemd-'),
  'columns of SQL': (size) => ['psql', '-c', `select ${'a,'.repeat(size / 2)}`],
  'calls of SQL': (size) => ['psql', '-c', `select ${'a('.repeat(size / 2)}`],
  'quotes of SQL': (size) => ['psql', '-c', `select ${"'".repeat(size)}`],
  'statements of SQL': (size) => ['psql', '-c', ';'.repeat(size)],
  'signs of an order': (size) => ['git', 'branch', `--sort=${'%'.repeat(size)}`, '-d'],
  'signs of a format': (size) => ['git', 'tag', `--format=cs${'%ss'.repeat(size / 3)}`],
  'kinds of a setting': many(['git', 'config'], ['--type=i'], ['!']),
  'options of a fetch': many(['git', 'fetch'], ['-p'], ['!']),
  'places of a search': (size) => search(size / 2, 'touch'),
  'places of a search for changes of rights': (size) => search(size / 2, 'chmod', '644'),
  'an address': (size) => ['scp', `${'a'.repeat(size / 2)}:${'b'.repeat(size / 2)}!`],
  'what comes in': many(['xargs', '-I', 'a'], ['aaa']),
};
/** Texts of a shell; half as long, since they may be no longer than that. */
const SCRIPTS: Readonly<Record<string, string>> = {
  words: 'a ',
  'quoted words': "'a' ",
  variables: 'x=1 ',
  lines: 'ls\n',
  tabs: 'a \t',
  comments: '#\n',
  'shells in a shell': 'bash -c ls\n',
  'words of the shell': 'time ',
  blanks: ' ',
};

describe('a command', () => {
  let classifier: CommandClassifier;
  beforeAll(async () => {
    classifier = createCommandClassifier({ grammar: await testGrammar() });
  });
  const growthOfCommand = (shape: Shape): number =>
    growthOf((size) => classifier.classify(shape(size), { host: 'self', cwd: '/w', workspace: '/w' }));

  it.each(Object.entries(COMMANDS))('that is longer takes as many times as long: %s', (_, shape) => {
    expect(growthOfCommand(shape)).toBeLessThan(MOST_GROWTH);
  });

  it.each(Object.entries(SCRIPTS))('whose script is longer takes as many times as long: %s', (_, unit) => {
    const shape: Shape = (size) => ['bash', '-c', unit.repeat(Math.floor((size / 2 - 8) / unit.length))];
    expect(growthOfCommand(shape)).toBeLessThan(MOST_GROWTH);
  });
});
