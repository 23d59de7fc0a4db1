import type { RulePack } from '../types.ts';
import { BELOW_WRITTEN, optionNames, SAYS, wordList } from './option-names.ts';

const LANGUAGES = wordList(
  'python python2 python3 pypy node deno perl ruby php lua tclsh osascript rscript groovy scala ghci irb ts-node tsx',
);
const INLINE = wordList('-c -e -E -r -p -n -i --eval --print --run --interactive --exec');

/** Tests of the folder, and of no other. */
const TESTS = new RegExp(
  `^\\n-m\\n(?:pytest(?:\\n-[qvxsl]+|\\n-[kmn]\\n[^\\n…]+|\\n--(?:tb=\\w+|maxfail=\\d+|lf|ff|no-header|durations=\\d+)|${BELOW_WRITTEN})*|unittest(?:\\n-[vfb]+|\\n-[sp]${BELOW_WRITTEN}|${BELOW_WRITTEN})*)$`,
);

/** Programs that run a text of another language: what is inside is not parsed here. */
export const interpretersPack: RulePack = {
  topic: 'interpreters',
  programs: [
    {
      names: LANGUAGES,
      // No letter takes the rest of its word to all of them: it may be the letters of other options.
      flags: ['--version', '-V', '-v', '--help', '-h', '-u', '-B', '-O', '-m'],
    },
    { names: ['vi', 'vim', 'nvim', 'emacs', 'ed', 'ex', 'nano'], answers: ['--version'] },
    // Not a file of another name. What only looks (`-n`) evaluates what its file says as well.
    {
      names: ['make', 'gmake'],
      flags: optionNames('njksB0123456789'),
      valued: ['-C'],
      folders: ['-C'],
      elsewhere: ['-C'],
      answers: [...SAYS, '-v', '-h'],
    },
    { names: ['just', 'task', 'rake'], answers: SAYS },
  ],
  rules: [
    {
      name: 'interpreters.inline',
      programs: LANGUAGES,
      options: INLINE,
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [
        ['python3', '-c', 'print(1)'],
        ['node', '-e', '1'],
        ['perl', '-pi', '-e', 's/a/b/', 'x'],
        ['python3.12', '-c', ''],
      ],
      notExamples: [
        ['python3', 'x.py'],
        ['node', '--version'],
      ],
    },
    {
      name: 'interpreters.input',
      programs: LANGUAGES,
      // Without a file the program comes from the standard input, which is not in the command.
      writtenNot: /^\n(?:--version|-V|--help|-h|--test|-m\n[\w.]+(?:\n[^\n]*)*)$/,
      most: 0,
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [['python3'], ['node']],
      notExamples: [
        ['python3', 'x.py'],
        ['python3', '--version'],
        ['python3', '-m', 'pytest'],
      ],
    },
    {
      name: 'interpreters.module',
      programs: LANGUAGES,
      written: /^\n-m\n[\w.]+(?:\n[^\n]*)*$/,
      writtenNot: TESTS,
      yieldsTo: ['interpreters.inline'],
      class: 'config-mutation',
      needs: ['shell'],
      examples: [
        ['python3', '-m', 'http.server'],
        ['python3', '-m', 'pytest', '-p', 'x'],
      ],
      notExamples: [
        ['python3', '-c', '1', '-m', 'x'],
        ['python3', '-m', 'pytest', '-q'],
      ],
    },
    {
      name: 'interpreters.tests',
      programs: LANGUAGES.filter((name) => /^py/.test(name)),
      written: TESTS,
      class: 'config-mutation',
      needs: ['run_tests'],
      examples: [
        ['python3', '-m', 'pytest', '-q'],
        ['python3', '-m', 'unittest', 'discover', '-s', 'tests'],
      ],
      notExamples: [
        ['python3', '-m', 'pytest', '/tmp/x'],
        ['python3', '-m', 'pytest', '-p', 'x'],
      ],
    },
    {
      name: 'interpreters.dash',
      programs: LANGUAGES,
      first: /^-$/,
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [['python3', '-']],
      notExamples: [['python3', 'x.py']],
    },
    {
      name: 'interpreters.version',
      // Some take an option that they do not know for an argument, and read a program from the standard input.
      programs: LANGUAGES.filter((name) => !['tclsh', 'osascript'].includes(name)),
      written: /^\n(?:--version|-V|--help|-h)$/,
      class: 'read',
      needs: [],
      examples: [
        ['python3', '--version'],
        ['node', '--version'],
      ],
      notExamples: [
        ['node', 'x.js', '--version'],
        ['node', '-e', '1', '--version'],
        ['python3', '-m', 'x', '--version'],
        ['tclsh', '--version'],
      ],
    },
    {
      name: 'interpreters.editor',
      programs: ['vi', 'vim', 'nvim', 'emacs', 'ed', 'ex', 'nano'],
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [
        ['vim', '-c', '!rm x'],
        ['ed', 'a'],
      ],
      notExamples: [['cat', 'a']],
    },
    {
      name: 'interpreters.make-checks',
      programs: ['make', 'gmake'],
      words: [wordList('test tests check checks lint build all')],
      // Another target may do anything, and a variable names what each of them runs.
      plainOperands: /^(?:tests?|checks?|lint|build|all)$/,
      class: 'config-mutation',
      needs: ['run_tests'],
      examples: [
        ['make', 'test'],
        ['make', '-j', 'lint', 'test'],
        ['make', 'test', 'CC=./p'],
      ],
      notExamples: [
        ['make', 'deploy'],
        ['make', '-n'],
      ],
    },
  ],
};
