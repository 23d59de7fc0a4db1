import type { BuiltInRule, KnownOptions } from '../types.ts';
import { GIT_ADDRESS, GIT_CONFIG_LOOKS } from './git-addresses.ts';
import { behind, knownOptions, LEADS_OUT, optionNames, wordList } from './option-names.ts';

/** Commands that look, whatever word stands behind them. */
const LOOKS = wordList(
  'status log diff show rev-parse ls-files ls-tree blame describe shortlog cat-file rev-list merge-base name-rev show-ref for-each-ref version count-objects grep whatchanged cherry fsck check-ignore check-attr diff-tree diff-index diff-files range-diff',
);
/**
 * Options of looks. Not among them is what runs a program that a configuration names (`--textconv`, `--show-signature`), writes
 * (`--output`), or reads outside of the repository (`--no-index`, `--contents`, and files of patterns or revisions: `grep -f`, `ls-files -X`).
 */
const LOOK_FLAGS = [
  '--oneline --graph --all --stat --shortstat --numstat --dirstat --summary --name-only --name-status --decorate --no-decorate',
  '--patch --no-patch --raw --cached --staged --color --no-color --abbrev --abbrev-commit --no-abbrev --abbrev-ref --pretty',
  '--format --relative-date --reverse --merges --no-merges --first-parent --follow --full-history --branches --remotes',
  '--left-right --cherry-pick --cherry-mark --cherry --boundary --topo-order --date-order --author-date-order --not --count',
  '--word-diff --color-words --ignore-all-space --ignore-space-change --ignore-blank-lines --find-renames',
  '--find-copies --minimal --patience --histogram --unified --function-context --exit-code --check --no-ext-diff',
  '--no-textconv --submodule --merge-base --cc --binary --full-index --no-prefix --pickaxe-all --pickaxe-regex',
  '--short --branch --porcelain --long --show-stash --ignored --untracked-files --ahead-behind --no-ahead-behind --column --no-renames',
  '--show-toplevel --git-dir --verify --is-inside-work-tree --symbolic-full-name --show-prefix --show-cdup --is-bare-repository --git-common-dir',
  '--others --exclude-standard --modified --deleted --stage --unmerged --directory --error-unmatch --full-name --eol --name-status',
  '--line-number --ignore-case --word-regexp --files-with-matches --files-without-match --fixed-strings --extended-regexp --perl-regexp --heading --break --and --or --show-function',
  '--numbered --email --always --dirty --long --exact-match --is-ancestor --octopus --independent --heads --hash --dereference --objects --batch-check',
  '--tags --quiet --ignore-submodules --text --relative --no-commit-id --no-notes --simplify-by-decoration',
  '--full --strict --no-dangling --unreachable --connectivity-only --non-matching --size --absolute-git-dir --show-superproject-working-tree --local-env-vars',
  '--root --show-email --show-name --show-number --list --verbose --merged --no-merged',
].join(' ');
const LOOK_VALUED =
  '--since --until --after --before --author --committer --grep --max-count --skip --sort --contains --exclude --line-prefix --points-at --date --diff-filter --diff-algorithm --inter-hunk-context --match';
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

const CHOSEN =
  '\\n--(?:sort|format)=(?![^\\n%]*%[^\\n]*G)(?![^\\n]*signature)[^\\n]+|\\n--(?:no-)?(?:merged|contains)(?:=[^\\n…]+|\\n(?!-)[^\\n…]+)?|\\n--points-at[=\\n](?!-)[^\\n…]+';
const SHOWN = '\\n(?:-p|--patch|--stat|--name-only|--name-status|--include-untracked|stash@\\{\\d+\\}|\\d+)';

/** Lists of what there is, which the same words without them would change. */
export const GIT_LISTS = new RegExp(
  [
    `^\\n(?:(?:branch|tag|remote)(?:\\n(?:-[arv]|-vv|-av|-avv|-rv|--all|--remotes|--verbose|--list|--show-current))*`,
    `(?:branch|tag)(?:\\n(?:-[arvl]+|--all|--remotes|--list)|${CHOSEN})*`,
    '(?:branch|tag)(?:\\n-[ar])?\\n(?:-l|--list)(?:\\n(?!-)[^\\n…]+)*',
    'tag\\n-n\\d*(?:\\n(?:-l|--list)(?:\\n(?!-)[^\\n…]+)*)?',
    `stash\\n(?:list|show)(?:${SHOWN})*`,
    '(?:worktree|notes|remote)\\n(?:list|show)(?:\\n--porcelain|\\n-v)?',
    'remote\\nget-url(?:\\n--(?:all|push))*\\n(?!-)[^\\n…]+',
    '(?:submodule|worktree)\\nstatus)$',
  ].join('|'),
);

/** A signature is looked at by a program that a configuration names. */
const SIGNATURE = /%[^%\n]*(?:G|signature)|[=\n]-?signature/;
/** What a remote is asked about by one of its usual names. */
export const SHOWS_REMOTE = /^\nremote\nshow(?:\n-n)?\n(?:origin|upstream)$/;
/** Lists of what there is, and what a remote is asked about. */
export const GIT_LISTS_ALL = new RegExp(`^(?:${GIT_LISTS.source}|${SHOWS_REMOTE.source})$`);

/** A remote of this repository by its usual names, or another machine: a folder may be one of another person. */
const ASKED = new RegExp(`^(?!(?:origin|upstream|${GIT_ADDRESS})$)`);

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
  {
    name: 'git.asks-remote',
    programs: ['git'],
    words: [['ls-remote']],
    firstNot: ASKED,
    class: 'read',
    needs: ['read_repo', 'use_network'],
    examples: [
      ['git', 'ls-remote', '--heads', 'origin'],
      ['git', 'ls-remote', 'https://example.org/x', 'main'],
    ],
    notExamples: [
      ['git', 'ls-remote', '--upload-pack=./p', 'origin'],
      ['git', 'ls-remote', './x'],
      ['git', 'ls-remote', 'ext::id'],
    ],
  },
  {
    name: 'git.shows-remote',
    programs: ['git'],
    words: [['remote'], ['show']],
    written: SHOWS_REMOTE,
    class: 'read',
    needs: ['read_repo', 'use_network'],
    examples: [['git', 'remote', 'show', 'origin']],
    notExamples: [['git', 'remote', 'show', './x']],
  },
  {
    name: 'git.config-look',
    programs: ['git'],
    words: [['config']],
    written: GIT_CONFIG_LOOKS,
    class: 'read',
    // Those of the person and of the machine too, which may hold what signs in somewhere.
    needs: ['read_files', 'read_repo'],
    examples: [
      ['git', 'config', 'user.name'],
      ['git', 'config', '--get', 'core.editor'],
      ['git', 'config', '--global', '--list'],
      ['git', 'config', 'get', 'branch.a/b.remote'],
    ],
    notExamples: [
      ['git', 'config', 'user.name', 'x'],
      ['git', 'config', 'edit'],
      ['git', 'config', '--file', 'x', '--list'],
    ],
  },
];

/** Options of a question to a remote: no program of the other end. */
export const ASK_OPTIONS: KnownOptions = knownOptions(
  'htqb',
  '--heads --branches --tags --refs --quiet --exit-code --get-url --symref --sort=',
);
