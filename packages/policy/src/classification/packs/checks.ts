import type { BuiltInRule, ProgramSpec, RulePack } from '../types.ts';
import { BELOW, BELOW_WRITTEN, knownOptions, optionNames, SAYS } from './option-names.ts';

/** Each with the option that has it mend what it finds, and its word. */
const EDITS = [
  ['eslint', '--fix'],
  ['prettier', '--write'],
  ['ruff', '--fix', 'check'],
] as const;
/** A formatter that changes nothing. */
const ONLY_CHECKS = new RegExp(
  `^(?:\\n-[qv]+)*\\n--(?:check|check-only|diff)(?:\\n--(?:check|check-only|diff)|\\n-[qv]+|${BELOW_WRITTEN})*$`,
);

/** Programs that look at the code of the folder and obey its settings, which are code themselves or name it. Not among their options: other settings, and plugins. */
const PROGRAMS: readonly ProgramSpec[] = [
  {
    names: ['pytest'],
    flags: optionNames(
      'qvxsl',
      '--quiet --verbose --exitfirst --lf --last-failed --ff --failed-first --sw --stepwise --no-header --collect-only --co --strict-markers --cov --no-cov --showlocals',
    ),
    // No `answers`: it loads `conftest.py` of the folder before it looks at what it is asked.
    valued: optionNames('kmnr', '--tb --maxfail --durations --color --cov-report'),
  },
  {
    names: ['ruff'],
    ...knownOptions(
      'qv',
      '--quiet --verbose --fix --no-cache --diff --check --statistics --preview',
      '--output-format',
    ),
    answers: [...SAYS, 'version', '-V', '-h'],
  },
  {
    names: ['mypy'],
    flags: optionNames('v', '--strict --ignore-missing-imports --no-error-summary --pretty'),
    answers: SAYS,
  },
  {
    names: ['tsc'],
    flags: optionNames('', '--noEmit --pretty --skipLibCheck'),
    valued: ['-p', '--project'],
    values: { '-p': BELOW, '--project': BELOW },
    answers: [...SAYS, '-v', '-h'],
  },
  {
    names: ['eslint'],
    flags: optionNames('', '--fix --quiet --cache --color --no-color'),
    valued: ['--ext', '-f', '--max-warnings'],
    values: { '-f': /^(?:stylish|json|html)$/ },
    answers: [...SAYS, '-v', '-h'],
  },
  { names: ['prettier'], flags: optionNames('clw', '--check --list-different --write --no-color'), answers: SAYS },
  {
    names: ['black', 'isort'],
    flags: optionNames('qv', '--check --check-only --diff --quiet --verbose'),
    answers: SAYS,
  },
  {
    names: ['shellcheck'],
    flags: optionNames('xaC', '--color --external-sources'),
    valued: optionNames('sSef', '--shell --severity --exclude --format'),
    answers: [...SAYS, '-V'],
  },
  { names: ['gofmt'], singleDash: true, flags: optionNames('ldsw'), answers: ['-h', '-help'] },
];

/** Programs of which a word says what they do. */
const checks = (
  program: string,
  is: Partial<BuiltInRule> & Pick<BuiltInRule, 'examples' | 'notExamples'>,
): BuiltInRule => ({
  name: `checks.${program}`,
  programs: [program],
  plainOperands: BELOW,
  class: 'config-mutation',
  needs: ['run_tests'],
  ...is,
});

/** Tests and checks of the code of a folder. */
export const checksPack: RulePack = {
  topic: 'checks',
  programs: PROGRAMS,
  rules: [
    checks('pytest', {
      examples: [['pytest'], ['pytest', '-q', 'tests/test_a.py::test_b'], ['pytest', '/tmp/x']],
      notExamples: [['python3', 'x.py']],
    }),
    checks('ruff', { words: [['check']], examples: [['ruff', 'check', '.']], notExamples: [['ruff', 'server']] }),
    checks('mypy', { examples: [['mypy', 'src']], notExamples: [['ruff', 'check']] }),
    checks('tsc', {
      options: ['--noEmit'],
      examples: [['tsc', '--noEmit']],
      notExamples: [['tsc'], ['tsc', '--outDir', '/x']],
    }),
    checks('eslint', { examples: [['eslint', 'src']], notExamples: [['prettier', '--check', '.']] }),
    checks('prettier', {
      options: ['--check', '-c', '--list-different', '-l'],
      examples: [['prettier', '--check', '.']],
      notExamples: [['prettier', 'a']],
    }),
    {
      name: 'checks.formatted',
      programs: ['black', 'isort'],
      written: ONLY_CHECKS,
      class: 'config-mutation',
      needs: ['run_tests'],
      examples: [
        ['black', '--check', '.'],
        ['isort', '--check-only', 'src'],
      ],
      notExamples: [
        ['black', 'src'],
        ['black', '--check', '--config=/x', 'src'],
      ],
    },
    ...EDITS.map(([program, option, ...words]) =>
      checks(program, {
        name: `checks.${program}-edits`,
        options: ['--fix', '--write', '-w'],
        needs: ['edit_repo', 'run_tests'],
        examples: [
          [program, ...words, option, 'src'],
          [program, ...words, option, '/etc/x'],
        ],
        notExamples: [[program, ...words, 'src']],
      }),
    ),
    {
      name: 'checks.formats',
      programs: ['black', 'isort'],
      writtenNot: ONLY_CHECKS,
      plainOperands: BELOW,
      class: 'config-mutation',
      needs: ['edit_repo', 'run_tests'],
      examples: [['black', 'src']],
      notExamples: [['black', '--check', 'src']],
    },
    {
      name: 'checks.ruff-formats',
      programs: ['ruff'],
      words: [['format']],
      plainOperands: BELOW,
      class: 'config-mutation',
      needs: ['edit_repo', 'run_tests'],
      examples: [['ruff', 'format', '.']],
      notExamples: [['ruff', 'check']],
    },
    {
      name: 'checks.shell',
      programs: ['shellcheck', 'gofmt'],
      except: ['-w'],
      class: 'read',
      needs: ['read_files'],
      examples: [
        ['shellcheck', 'a.sh'],
        ['gofmt', '-l', '.'],
      ],
      notExamples: [['gofmt', '-w', '.']],
    },
    {
      name: 'checks.gofmt-writes',
      programs: ['gofmt'],
      options: ['-w'],
      class: 'config-mutation',
      needs: ['edit_repo'],
      writes: { from: 0 },
      examples: [['gofmt', '-w', '.']],
      notExamples: [['gofmt', '-l', '.']],
    },
  ],
};
