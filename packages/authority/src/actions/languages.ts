/** How an interpreter reads what stands in front of its script. What is not listed is not known. */
export interface Language {
  /** Names of the programs, without a folder. */
  readonly names: RegExp;
  /** Letters of options without a value. */
  readonly flags: string;
  /** Letters that take the rest of their argument or the next one. */
  readonly valued: string;
  /** Letters that take the rest of their argument alone. */
  readonly attached: string;
  /** Letters whose value is the text that runs. */
  readonly inline: string;
  /** Letters whose value is a file that runs besides. */
  readonly code: string;
  /** Letters after which the first operand is a text or an argument, and no file. */
  readonly textual: string;
  /** Options of words, by what they are; one with `=` and a value needs no row, unless it brings code. */
  readonly long: Readonly<Record<string, 'flag' | 'valued' | 'inline' | 'code'>>;
  /** Files that a folder stands for, the first that is there; none: a folder cannot be run. */
  readonly ofFolder: readonly string[];
  /** Files beside which a folder means something else. */
  readonly notBeside: readonly string[];
  /** What is added to a name under which there is no file. */
  readonly endings: readonly string[];
  /** What follows a text that runs are arguments of that text. */
  readonly endsAtText: boolean;
  /** A name without a slash that is not there is looked for in PATH. */
  readonly searches: boolean;
}

const NONE = {
  ...{ valued: '', attached: '', inline: '', code: '', textual: '', long: {}, searches: false, endsAtText: false },
  ...{ ofFolder: [], notBeside: [], endings: [] },
};

const SHELL: Language = {
  ...NONE,
  names: /^(?:ba|da|a|z|k|mk)?sh$/,
  ...{ flags: 'abefhklmnpruvxBCEHPT', valued: 'oO', textual: 'cs', searches: true },
  long: { '--login': 'flag', '--norc': 'flag', '--noprofile': 'flag', '--posix': 'flag', '--version': 'flag' },
};

const PYTHON: Language = {
  ...NONE,
  names: /^(?:python|pypy)[0-9.]*$/,
  ...{ flags: 'bBdEhiIOPqRsSuvVx', valued: 'WX', inline: 'c', endsAtText: true, ofFolder: ['__main__.py'] },
  long: { '--version': 'flag', '--help': 'flag' },
};

const NODE: Language = {
  ...NONE,
  names: /^node(?:js)?$/,
  ...{ flags: 'chiv', valued: 'C', inline: 'ep', code: 'r' },
  ...{ endings: ['.js'], ofFolder: ['index.js'], notBeside: ['package.json'] },
  long: {
    ...{ '--eval': 'inline', '--print': 'inline', '--conditions': 'valued' },
    ...{ '--require': 'code', '--import': 'code', '--loader': 'code', '--experimental-loader': 'code' },
    ...{ '--env-file': 'code', '--env-file-if-exists': 'code', '--experimental-config-file': 'code' },
    ...{
      '--version': 'flag',
      '--help': 'flag',
      '--check': 'flag',
      '--no-warnings': 'flag',
      '--trace-warnings': 'flag',
    },
    ...{ '--trace-deprecation': 'flag', '--trace-uncaught': 'flag', '--no-deprecation': 'flag', '--expose-gc': 'flag' },
    ...{ '--enable-source-maps': 'flag', '--preserve-symlinks': 'flag', '--experimental-strip-types': 'flag' },
  },
};

const PERL: Language = {
  ...NONE,
  names: /^perl[0-9.]*$/,
  ...{ flags: 'acnpstTuUvwWX', attached: '0diFlmM', inline: 'eE' },
};

const RUBY: Language = {
  ...NONE,
  names: /^ruby[0-9.]*$/,
  ...{ flags: 'aclnpsSvw', attached: '0FKTW', inline: 'e', code: 'r' },
  long: { '--version': 'flag', '--help': 'flag' },
};

const PHP: Language = {
  ...NONE,
  names: /^php[0-9.]*$/,
  ...{ flags: 'hilmnqsvwH', valued: 'cd', inline: 'r' },
  long: { '--version': 'flag', '--help': 'flag' },
};

const LUA: Language = { ...NONE, names: /^lua(?:jit)?[0-9.]*$/, flags: 'EivW', valued: 'e' };

/** Programs that run their first operand as a program of their own. */
export const LANGUAGES: readonly Language[] = [SHELL, PYTHON, NODE, PERL, RUBY, PHP, LUA];

/** Programs that run what a file of their folder says, and its names, the first that is there. */
export const FOLDER_FILES: ReadonlyMap<string, readonly string[]> = new Map([
  ...['make', 'gmake'].map((name): [string, readonly string[]] => [name, ['GNUmakefile', 'makefile', 'Makefile']]),
  ['just', ['justfile', '.justfile', 'Justfile']],
  ['rake', ['rakefile', 'Rakefile', 'rakefile.rb', 'Rakefile.rb']],
  ['task', ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml']],
]);
