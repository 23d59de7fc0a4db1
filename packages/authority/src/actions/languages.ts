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
  /** Letters whose value is a module that runs besides. */
  readonly code: string;
  /** Letters behind which such a module may be named, and the only ones that may be: what comes with the program itself. */
  readonly modules?: { readonly letters: string; readonly own: RegExp };
  /** How a module is named that is a file and is looked for nowhere else; absent: there are none. */
  readonly moduleFile?: RegExp;
  /** Letters after which the first operand is a text or an argument, and no file. */
  readonly textual: string;
  /** Options of words, by what they are; one with `=` and a number needs no row. */
  readonly long: Readonly<Record<string, 'flag' | 'valued' | 'inline' | 'code' | 'file'>>;
  /** Files that a folder stands for, the first that is there; none: a folder cannot be run. */
  readonly ofFolder: readonly string[];
  /** Files beside which a folder means something else. */
  readonly notBeside: readonly string[];
  /** What is added to a name under which there is no file. */
  readonly endings: readonly string[];
  /** What follows a text that runs are arguments of that text. */
  readonly endsAtText: boolean;
  /** A name without a slash: it is looked for in PATH where it is not there · first of all, so that nobody can say. */
  readonly searches: 'after' | 'first' | false;
  /** `-` ends the options, and is not the standard input. */
  readonly endsAtDash: boolean;
}

const NONE = {
  ...({
    valued: '',
    attached: '',
    inline: '',
    code: '',
    textual: '',
    long: {},
    searches: false,
    endsAtText: false,
  } as const),
  ...{ flags: '', endsAtDash: false, ofFolder: [], notBeside: [], endings: [] },
};

const SHELL: Language = {
  ...NONE,
  names: /^(?:ba|da|a|z|k|mk)?sh$/,
  ...{ flags: 'abefhklmnpruvxBCEHPT', valued: 'oO', textual: 'cs', searches: 'after', endsAtDash: true },
  long: { '--login': 'flag', '--norc': 'flag', '--noprofile': 'flag', '--posix': 'flag', '--version': 'flag' },
};

/** What a shell reads into itself: it looks in PATH before it looks beside it. */
const SOURCE: Language = { ...NONE, names: /^(?:\.|source)$/, searches: 'first' };

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
  // A name without a folder is a package, whatever lies beside it.
  moduleFile: /^(?:\/|\.\.?\/)/,
  ...{ endings: ['.js'], ofFolder: ['index.js'], notBeside: ['package.json'] },
  long: {
    ...{ '--eval': 'inline', '--print': 'inline', '--conditions': 'valued' },
    ...{ '--require': 'code', '--import': 'code', '--loader': 'code', '--experimental-loader': 'code' },
    ...{ '--env-file': 'file', '--env-file-if-exists': 'file', '--experimental-config-file': 'file' },
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
  ...{ flags: 'acnpstTuUvwWX', attached: '0iFl', inline: 'eE' },
  modules: {
    letters: 'mM',
    own: /^-?(?:strict|warnings|utf8|feature|integer|bigint|POSIX|Encode|Data::Dumper|File::Basename|File::Path|File::Spec|JSON::PP|List::Util|MIME::Base64|Digest::SHA|Time::Local|Time::HiRes|Storable)(?:=[\w:,!$@%& -]*)?$/,
  },
};

const RUBY: Language = {
  ...NONE,
  names: /^ruby[0-9.]*$/,
  ...{ flags: 'aclnpsSvw', attached: '0FKTW', inline: 'e', code: 'r' },
  moduleFile: /^(?:\/|\.\.?\/).*\.rb$/,
  long: { '--version': 'flag', '--help': 'flag' },
};

const PHP: Language = {
  ...NONE,
  names: /^php[0-9.]*$/,
  ...{ flags: 'hilmnqsvwH', inline: 'r' },
  long: { '--version': 'flag', '--help': 'flag' },
};

const LUA: Language = { ...NONE, names: /^lua(?:jit)?[0-9.]*$/, flags: 'EivW', valued: 'e' };

/** Programs that run their first operand as a program of their own. */
const LANGUAGES: readonly Language[] = [SHELL, SOURCE, PYTHON, NODE, PERL, RUBY, PHP, LUA];

/** What a program runs by a file of its folder, and which options name another folder. */
export interface FolderProgram {
  /** Names of the file, the first that is there. */
  readonly files: readonly string[];
  /** Options whose value is the folder. */
  readonly folder: readonly string[];
}

/** Programs that run what a file of their folder says. */
export const FOLDER_PROGRAMS: ReadonlyMap<string, FolderProgram> = new Map([
  ...['make', 'gmake'].map((name): [string, FolderProgram] => [
    name,
    { files: ['GNUmakefile', 'makefile', 'Makefile'], folder: ['-C', '--directory'] },
  ]),
  ['just', { files: ['justfile', '.justfile', 'Justfile'], folder: ['-d', '--working-directory'] }],
  ['rake', { files: ['rakefile', 'Rakefile', 'rakefile.rb', 'Rakefile.rb'], folder: ['-C', '--directory'] }],
  ['task', { files: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'], folder: ['-d', '--dir'] }],
]);

/** The language that a program reads by its name, without a folder; undefined: it is no interpreter. */
export function languageOf(name: string): Language | undefined {
  return LANGUAGES.find(({ names }) => names.test(name));
}
