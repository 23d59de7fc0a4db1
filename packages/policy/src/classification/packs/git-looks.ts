import type { BuiltInRule, KnownOptions } from '../types.ts';
import { behind, LEADS_OUT, optionNames, wordList } from './option-names.ts';

/** Commands that look, whatever word stands behind them. */
const LOOKS = wordList(
  'status log diff show rev-parse ls-files ls-tree blame describe shortlog cat-file rev-list merge-base name-rev show-ref for-each-ref version count-objects grep whatchanged cherry',
);
/**
 * Options of looks. Not among them is what runs a program that a configuration names (`--textconv`, `--show-signature`), writes
 * (`--output`), or reads outside of the repository (`--no-index`, `--contents`, and files of patterns or revisions: `grep -f`, `ls-files -X`).
 */
const LOOK_FLAGS = [
  '--oneline --graph --all --stat --shortstat --numstat --dirstat --summary --name-only --name-status --decorate --no-decorate',
  '--patch --no-patch --raw --cached --staged --color --no-color --abbrev --abbrev-commit --no-abbrev --abbrev-ref --pretty',
  '--format --date --relative-date --reverse --merges --no-merges --first-parent --follow --full-history --branches --remotes',
  '--left-right --cherry-pick --cherry-mark --cherry --boundary --topo-order --date-order --author-date-order --not --count',
  '--word-diff --color-words --ignore-all-space --ignore-space-change --ignore-blank-lines --diff-filter --find-renames',
  '--find-copies --minimal --patience --histogram --diff-algorithm --unified --function-context --exit-code --check --no-ext-diff',
  '--no-textconv --submodule --merge-base --cc --binary --full-index --no-prefix --pickaxe-all --pickaxe-regex --inter-hunk-context',
  '--short --branch --porcelain --long --show-stash --ignored --untracked-files --ahead-behind --no-ahead-behind --column --no-renames',
  '--show-toplevel --git-dir --verify --is-inside-work-tree --symbolic-full-name --show-prefix --show-cdup --is-bare-repository --git-common-dir',
  '--others --exclude-standard --modified --deleted --stage --unmerged --directory --error-unmatch --full-name --eol --name-status',
  '--line-number --ignore-case --word-regexp --files-with-matches --files-without-match --fixed-strings --extended-regexp --perl-regexp --heading --break --and --or --show-function',
  '--numbered --email --always --dirty --long --match --exact-match --is-ancestor --octopus --independent --heads --hash --dereference --objects --batch-check',
  '--root --show-email --show-name --show-number --list --verbose --merged --no-merged',
].join(' ');
const LOOK_VALUED =
  '--since --until --after --before --author --committer --grep --max-count --skip --sort --contains --exclude --line-prefix --points-at';
const LOOK_LETTERS = 'uvqadDMUpsrwtzBRiEFhlgeWbmoc0123456789';
/** Options of every look; what stands behind one that takes the next argument may be one as well. */
const LOOK_OPTIONS: KnownOptions = {
  valued: optionNames('nSGL', LOOK_VALUED),
  flags: optionNames(LOOK_LETTERS, LOOK_FLAGS),
};
/** A letter that takes the rest of its word to one look takes none to another, and what stands behind it is options there. */
export const LOOKS_KNOWN: Readonly<Record<string, KnownOptions>> = {
  ...behind([...LOOKS, 'reflog'], LOOK_OPTIONS),
  blame: { valued: optionNames('L', LOOK_VALUED), flags: optionNames(`${LOOK_LETTERS}fn`, LOOK_FLAGS) },
  grep: { valued: ['--max-count'], flags: optionNames(`${LOOK_LETTERS}nGLPH`, LOOK_FLAGS) },
  shortlog: { valued: optionNames('', LOOK_VALUED), flags: optionNames(`${LOOK_LETTERS}n`, LOOK_FLAGS) },
};

/** Lists of what there is, which the same words without them would change. */
export const GIT_LISTS = new RegExp(
  [
    '^\\n(?:(?:branch|tag|remote)(?:\\n(?:-[arv]|-vv|--all|--remotes|--verbose|--list|--show-current))*',
    '(?:branch|tag)\\n--list(?:\\n(?!-)[^\\n…]+)*',
    '(?:stash|worktree|notes|remote)\\n(?:list|show)',
    '(?:submodule|worktree)\\nstatus)$',
  ].join('|'),
);

/** A signature is looked at by a program that a configuration names. */
const SIGNATURE = /%[^%\n]*(?:G|signature)/;

/** Rules of git about looks. */
export const GIT_LOOKS: readonly BuiltInRule[] = [
  {
    name: 'git.read',
    programs: ['git'],
    words: [LOOKS],
    firstNot: /^(?:expire|delete|drop)$/,
    writtenNot: SIGNATURE,
    class: 'read',
    needs: ['read_repo'],
    // Of two files it shows how they differ, wherever they are.
    reads: LEADS_OUT,
    examples: [
      ['git', 'status'],
      ['git', 'log', '-5'],
      ['git', 'log', '--oneline', '-5'],
      ['git', 'diff', '-U5', '--stat'],
      ['git', '--no-pager', 'diff', 'main'],
      ['git', '-C', '/x', 'show'],
    ],
    notExamples: [
      ['git', 'log', '--output=x'],
      ['git', 'log', '--option-of-tomorrow=./x'],
      ['git', 'diff', '-b', '--output=x'],
      ['git', 'grep', '-n', '--open-files-in-pager=id', 'x'],
      ['git', 'diff', '--no-index', 'a', '/etc/shadow'],
      ['git', 'commit'],
      ['git', '-c', 'core.pager=rm', 'log'],
      ['git', '--odd', 'log'],
      ['git', '-p', 'log'],
      ['git', '-C', '/x', '-p', 'log'],
      ['git', 'grep', '-f', '/etc/shadow'],
      ['git', 'grep', '-nO./p', 'x'],
      ['git', 'grep', '-LO./p', 'x'],
      ['git', 'ls-files', '-o', '-X', '/etc/shadow'],
      ['git', 'blame', '-S', '/etc/shadow', 'x'],
    ],
  },
  {
    name: 'git.reflog',
    programs: ['git'],
    words: [['reflog']],
    // A word alone may be a command of it, and some write.
    plainOperands: /^(?:show|list|exists|.*[^a-z-].*)$/s,
    writtenNot: SIGNATURE,
    class: 'read',
    needs: ['read_repo'],
    examples: [
      ['git', 'reflog'],
      ['git', 'reflog', '-5', 'HEAD'],
      ['git', 'reflog', 'show', 'origin/main'],
    ],
    notExamples: [
      ['git', 'reflog', 'write', 'refs/heads/main', 'a', 'b', 'm'],
      ['git', 'reflog', 'expire', '--all'],
      ['git', 'reflog', 'of-tomorrow'],
    ],
  },
  {
    name: 'git.reflog-shown',
    programs: ['git'],
    words: [['reflog'], ['show', 'list', 'exists']],
    writtenNot: SIGNATURE,
    class: 'read',
    needs: ['read_repo'],
    examples: [['git', 'reflog', 'show', 'main']],
    notExamples: [['git', 'reflog', 'write', 'main']],
  },
  {
    name: 'git.list',
    programs: ['git'],
    written: GIT_LISTS,
    class: 'read',
    needs: ['read_repo'],
    examples: [
      ['git', 'branch'],
      ['git', 'branch', '-a'],
      ['git', 'branch', '--list', 'x*'],
      ['git', 'remote', '-v'],
      ['git', 'tag'],
      ['git', 'stash', 'list'],
      ['git', 'worktree', 'list'],
    ],
    notExamples: [
      ['git', 'stash'],
      ['git', 'stash', 'drop'],
      ['git', 'branch', 'x'],
      ['git', 'branch', '-a', 'x'],
      ['git', 'tag', '-d', 'x'],
      ['git', 'remote', 'show', 'origin'],
    ],
  },
];
