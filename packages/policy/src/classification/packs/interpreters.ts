import type { RulePack } from '../types.ts';
import { wordList } from './option-names.ts';

const LANGUAGES = wordList(
  'python python2 python3 pypy node deno perl ruby php lua tclsh osascript rscript groovy scala ghci irb ts-node tsx',
);
const INLINE = wordList('-c -e -E -r -p -n -i --eval --print --run --interactive --exec');

/** Programs that run a text of another language: what is inside is not parsed here. */
export const interpretersPack: RulePack = {
  topic: 'interpreters',
  programs: [
    {
      names: LANGUAGES,
      // No letter takes the rest of its word to all of them: it may be the letters of other options.
      flags: ['--version', '-V', '-v', '--help', '-h', '-u', '-B', '-O', '-m'],
    },
    { names: ['vi', 'vim', 'nvim', 'emacs', 'ed', 'ex', 'nano'] },
    { names: ['make', 'gmake', 'just', 'task', 'rake'], flags: ['-n', '-j', '-k'], valued: ['-C', '-f'] },
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
      class: 'config-mutation',
      needs: ['shell'],
      examples: [['python3', '-m', 'pytest', '-q']],
      notExamples: [['python3', '-c', '1', '-m', 'x']],
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
  ],
};
