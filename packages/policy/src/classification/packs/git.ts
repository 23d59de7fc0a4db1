import type { KnownOptions, RulePack } from '../types.ts';
import { GIT_FETCHES, GIT_KEEPING, GIT_KEEPS } from './git-keeps.ts';
import { GIT_LAYS } from './git-lays.ts';
import { ASK_OPTIONS, GIT_LISTS_ALL, GIT_LOOKS, LOOKS_KNOWN } from './git-looks.ts';
import { GIT_RUNS } from './git-runs.ts';
import { knownOptions, optionNames, SAYS, wordList } from './option-names.ts';

const WRITES = wordList('add commit fetch notes worktree tag branch remote gc');
const STEPS =
  '--abort --continue --skip --quit --no-edit --signoff --verbose --quiet --stat --no-stat --no-verify --ff --strategy-option=';
const FETCHED =
  '--all --append --depth= --deepen= --unshallow --tags --no-tags --prune --prune-tags --force --jobs= --dry-run --quiet --verbose --progress --recurse-submodules --no-recurse-submodules --set-upstream --shallow-since= --atomic --multiple --refetch --filter=';
const LISTED = '--list --sort= --contains= --no-contains= --merged= --no-merged= --points-at= --format= --column';

/** What each command that changes something knows. Not among them: editors, signing programs, strategies, and what runs at the other end. */
const CHANGES: Readonly<Record<string, KnownOptions>> = {
  add: knownOptions(
    'AunvfN',
    '--all --update --no-all --dry-run --verbose --force --intent-to-add --refresh --ignore-errors --chmod= --renormalize --sparse',
  ),
  am: knownOptions(
    'q3ks',
    `--3way --keep-cr --whitespace= --directory= --exclude= --include= --scissors --no-scissors ${STEPS}`,
  ),
  apply: knownOptions(
    'Rv3zNq',
    '--check --stat --numstat --summary --index --cached --3way --reverse --reject --verbose --quiet --whitespace= --recount --directory= --exclude= --include= --allow-empty',
    '-C -p',
  ),
  bisect: knownOptions('', '--no-checkout --first-parent --term-old= --term-new= --term-good= --term-bad='),
  branch: knownOptions(
    'arvqfdDmMcCtl',
    `--all --remotes --delete --force --move --copy --track --no-track --set-upstream-to= --unset-upstream --show-current --verbose --quiet --create-reflog ${LISTED}`,
    '-u',
  ),
  checkout: knownOptions(
    'fqt',
    '--ours --theirs --detach --orphan= --track --no-track --force --quiet --guess --no-guess --progress --merge',
    '-b -B',
  ),
  'checkout-index': knownOptions('afunq', '--all --force --index --quiet'),
  'cherry-pick': knownOptions(
    'nxs',
    `--no-commit --mainline= --allow-empty --keep-redundant-commits --empty= ${STEPS}`,
    '-m -X',
  ),
  clean: knownOptions('fdxXnq', '--force --dry-run --quiet', '-e --exclude'),
  clone: knownOptions(
    'qvnl4',
    '--quiet --verbose --no-checkout --bare --mirror --depth= --single-branch --no-single-branch --tags --no-tags --recurse-submodules --recursive --shallow-submodules --filter= --progress --local --no-local --no-hardlinks --sparse --jobs= --shallow-since=',
    '-b --branch -o --origin -j',
  ),
  commit: knownOptions(
    'aqvnsio',
    '--all --amend --no-edit --quiet --verbose --allow-empty --allow-empty-message --signoff --no-signoff --no-verify --verify --only --include --no-gpg-sign --dry-run --short --status --no-status --reset-author --porcelain --no-post-rewrite',
    '-m --message --author --date --fixup --squash -C --reuse-message',
  ),
  config: knownOptions(
    'lz',
    '--global --local --worktree --system --list --get --get-all --get-regexp --add --replace-all --unset --unset-all --show-origin --show-scope --null --name-only --type= --bool --int --path --default= --includes --no-includes',
  ),
  fetch: knownOptions('qvafktnpP46', FETCHED, '-j'),
  gc: knownOptions('q', '--auto --prune --no-prune --aggressive --quiet --force --keep-largest-pack'),
  init: knownOptions('q', '--quiet --bare --object-format= --shared', '-b --initial-branch'),
  merge: knownOptions(
    'qvn',
    `--no-ff --ff-only --squash --no-squash --no-commit --commit --allow-unrelated-histories --autostash --no-autostash --progress ${STEPS}`,
    '-m --message -X',
  ),
  mv: knownOptions('fknv', '--force --dry-run --verbose'),
  notes: knownOptions('f', '--force --ignore-missing --ref=', '-m --message -C'),
  prune: knownOptions('nv', '--dry-run --verbose --progress', '--expire'),
  pull: knownOptions(
    'qvafktnpr46',
    `--rebase --no-rebase --ff --ff-only --no-ff --autostash --no-autostash --no-edit --squash --no-squash --no-commit --commit --stat --no-stat --signoff --allow-unrelated-histories ${FETCHED}`,
    '-X',
  ),
  push: knownOptions(
    'fuqvnd46',
    '--force --force-with-lease --no-force-with-lease --force-if-includes --mirror --delete --tags --follow-tags --all --branches --prune --set-upstream --quiet --verbose --dry-run --no-verify --atomic --no-atomic --progress --porcelain --thin --no-thin --no-signed',
  ),
  'read-tree': knownOptions('mun', '--reset --empty --dry-run --trivial --aggressive'),
  rebase: knownOptions(
    'qvnrf',
    `--autosquash --no-autosquash --autostash --no-autostash --keep-base --rebase-merges --no-rebase-merges --ignore-date --committer-date-is-author-date --reapply-cherry-picks --no-reapply-cherry-picks --update-refs --force-rebase --root --fork-point --no-fork-point --apply --merge ${STEPS}`,
    '--onto -X',
  ),
  'reflog delete': knownOptions('nv', '--dry-run --verbose --rewrite --updateref'),
  'reflog expire': knownOptions(
    'nv',
    '--all --expire= --expire-unreachable= --dry-run --verbose --stale-fix --rewrite --updateref --single-worktree',
  ),
  remote: knownOptions(
    'vf',
    '--verbose --tags --no-tags --mirror --push --add --delete --all --prune --dry-run --auto --fetch --no-fetch',
    '-t -m',
  ),
  replace: knownOptions('dlf', '--delete --list --force --graft --format= --raw'),
  reset: knownOptions(
    'qN',
    '--hard --soft --mixed --merge --keep --quiet --intent-to-add --no-refresh --recurse-submodules',
  ),
  restore: knownOptions(
    'SWqm',
    '--staged --worktree --quiet --ours --theirs --progress --merge --overlay --no-overlay --ignore-unmerged',
    '-s --source',
  ),
  revert: knownOptions('ns', `--no-commit --mainline= --reference ${STEPS}`, '-m -X'),
  rm: knownOptions('rfnq', '--cached --force --dry-run --quiet --ignore-unmatch --sparse'),
  stash: knownOptions(
    'uakqSp0123456789',
    '--include-untracked --all --keep-index --no-keep-index --quiet --index --staged --stat',
    '-m --message',
  ),
  submodule: knownOptions(
    'fqN',
    '--init --recursive --remote --depth= --jobs= --force --quiet --merge --rebase --checkout --no-fetch --all --cached --files --single-branch --progress',
    '-b --branch --name -j',
  ),
  switch: knownOptions(
    'dftqm',
    '--detach --force --discard-changes --track --no-track --guess --no-guess --merge --quiet --progress --no-progress --ignore-other-worktrees',
    '-c -C --create --force-create --orphan',
  ),
  'symbolic-ref': knownOptions('dq', '--delete --quiet --short --no-recurse'),
  tag: knownOptions(
    'afdln0123456789',
    `--annotate --force --delete --create-reflog --no-sign ${LISTED}`,
    '-m --message',
  ),
  'update-ref': knownOptions('d', '--no-deref --create-reflog', '-m'),
  worktree: knownOptions(
    'fdqnv',
    '--force --detach --checkout --no-checkout --lock --track --no-track --guess-remote --expire= --dry-run --verbose --porcelain --quiet',
    '-b -B --reason',
  ),
};

/** git. */
export const gitPack: RulePack = {
  topic: 'git',
  programs: [
    {
      names: ['git'],
      valued: ['-C'],
      flags: optionNames('P', '--no-pager --no-optional-locks --literal-pathspecs'),
      commands: { ...CHANGES, ...LOOKS_KNOWN, 'ls-remote': ASK_OPTIONS },
      elsewhere: ['-C'],
      folders: ['-C'],
      // Behind a command `--help` shows a manual, through a program that settings name.
      answers: [...SAYS, '-h', '-v', 'help', '--exec-path', '--html-path', '--man-path', '--info-path'],
      explains: '-h',
    },
  ],
  rules: [
    ...GIT_LOOKS,
    {
      name: 'git.change',
      programs: ['git'],
      words: [WRITES],
      writtenNot: GIT_LISTS_ALL,
      class: 'config-mutation',
      needs: ['edit_repo'],
      examples: [
        ['git', 'commit', '-m', 'x'],
        ['git', 'add', '.'],
        ['git', 'branch', 'x'],
      ],
      notExamples: [
        ['git', 'push'],
        ['git', 'worktree', 'list'],
        ['git', '-c', 'core.hooksPath=x', 'commit'],
      ],
    },
    {
      name: 'git.push',
      programs: ['git'],
      words: [['push']],
      class: 'config-mutation',
      needs: ['push_repo', 'use_network'],
      target: { kind: 'branch', from: 2, within: [1] },
      examples: [['git', 'push', 'origin', 'main']],
      notExamples: [['git', 'pull']],
    },
    {
      name: 'git.push-force',
      programs: ['git'],
      words: [['push']],
      options: ['-f', '--force', '--force-with-lease', '--force-if-includes', '--mirror', '--delete', '-d', '--prune'],
      class: 'destructive',
      needs: ['push_repo', 'use_network', 'destructive'],
      target: { kind: 'branch', from: 2, within: [1] },
      examples: [
        ['git', 'push', '--force', 'origin', 'main'],
        ['git', 'push', 'origin', 'main', '-f'],
        ['git', 'push', '--forc'],
      ],
      notExamples: [
        ['git', 'push', 'origin', 'main'],
        ['git', 'fetch', '--force'],
      ],
    },
    {
      name: 'git.push-over',
      programs: ['git'],
      words: [['push']],
      operand: /^[+:]/,
      class: 'destructive',
      needs: ['push_repo', 'use_network', 'destructive'],
      target: { kind: 'branch', from: 2, within: [1] },
      examples: [
        ['git', 'push', 'origin', '+main'],
        ['git', 'push', 'origin', ':main'],
      ],
      notExamples: [['git', 'push', 'origin', 'a:main']],
    },
    {
      name: 'git.discard',
      programs: ['git'],
      words: [
        wordList(
          'clean filter-branch filter-repo update-ref prune checkout-index read-tree replace restore checkout rm symbolic-ref',
        ),
      ],
      writtenNot: GIT_KEEPS,
      class: 'destructive',
      needs: ['edit_repo', 'destructive'],
      examples: [
        ['git', 'clean', '-fdx'],
        ['git', 'checkout', '--', '.'],
        ['git', 'restore', 'a'],
        ['git', 'rm', 'a'],
      ],
      notExamples: [
        ['git', 'switch', 'main'],
        ['git', 'checkout', '-b', 'x'],
        ['git', 'restore', '--staged', 'a'],
      ],
    },
    {
      name: 'git.reset',
      programs: ['git'],
      words: [['reset', 'switch', 'rebase', 'merge', 'pull', 'gc', 'worktree', 'fetch']],
      options: wordList('--hard --merge --keep --discard-changes -f --force -B --prune -p --prune-tags -P --autostash'),
      writtenNot: GIT_FETCHES,
      class: 'destructive',
      needs: ['edit_repo', 'destructive'],
      examples: [
        ['git', 'reset', '--hard'],
        ['git', 'switch', '-f', 'main'],
        ['git', 'fetch', '--prune', '.', 'a:b'],
        ['git', 'fetch', '--prune', '--prune-tags'],
      ],
      notExamples: [
        ['git', 'fetch', '--prune'],
        ['git', 'reset', 'a'],
        ['git', 'switch', 'main'],
      ],
    },
    {
      name: 'git.unstage',
      programs: ['git'],
      words: [['reset']],
      except: ['--hard', '--merge', '--keep'],
      class: 'config-mutation',
      needs: ['edit_repo'],
      examples: [
        ['git', 'reset', 'a'],
        ['git', 'reset', '--soft', 'HEAD~1'],
      ],
      notExamples: [['git', 'reset', '--hard']],
    },
    {
      name: 'git.delete',
      programs: ['git'],
      words: [['branch', 'tag']],
      options: ['-d', '-D', '-f', '-M', '-C', '--delete', '--force'],
      class: 'destructive',
      needs: ['edit_repo', 'destructive'],
      examples: [
        ['git', 'branch', '-D', 'x'],
        ['git', 'tag', '-d', 'v1'],
      ],
      notExamples: [['git', 'branch', 'x']],
    },
    {
      name: 'git.drop',
      programs: ['git'],
      words: [
        ['stash', 'reflog', 'worktree', 'remote', 'submodule', 'notes', 'bisect'],
        ['drop', 'clear', 'expire', 'delete', 'remove', 'rm', 'deinit', 'prune', 'set-url'],
      ],
      writtenNot: GIT_FETCHES,
      class: 'destructive',
      needs: ['edit_repo', 'destructive'],
      examples: [
        ['git', 'stash', 'drop'],
        ['git', 'reflog', 'expire', '--all'],
        ['git', 'remote', 'rm', 'x'],
      ],
      notExamples: [
        ['git', 'stash', 'list'],
        ['git', 'stash'],
      ],
    },
    ...GIT_KEEPING,
    ...GIT_LAYS,
    ...GIT_RUNS,
  ],
};
