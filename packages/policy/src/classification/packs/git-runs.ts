import type { BuiltInRule } from '../types.ts';

const CONFIG_SCOPE = '(?:\\n--(?:global|local|worktree|show-origin|show-scope|null|name-only|type=[a-z]+))*';
const HARMLESS = [
  ...['user\\.(?:name|email|useconfigonly)', 'pull\\.(?:rebase|ff)', 'push\\.(?:default|autosetupremote|followtags)'],
  ...['init\\.defaultbranch', 'fetch\\.(?:prune|prunetags)', 'merge\\.(?:ff|conflictstyle|log)', 'color\\.[a-z.]+'],
  ...['core\\.(?:autocrlf|eol|safecrlf|filemode|ignorecase|quotepath|abbrev|longpaths|precomposeunicode)'],
  ...['branch\\.[^\\n…]+\\.(?:merge|remote|rebase)', 'branch\\.(?:sort|autosetuprebase|autosetupmerge)', 'tag\\.sort'],
  ...[
    'rebase\\.(?:autosquash|autostash|stat)',
    'rerere\\.(?:enabled|autoupdate)',
    'commit\\.verbose',
    'advice\\.[a-z]+',
  ],
  ...[
    'log\\.(?:date|decorate|abbrevcommit|follow)',
    'status\\.[a-z]+',
    'diff\\.(?:algorithm|renames|mnemonicprefix|context)',
  ],
].join('|');
/** Listing, getting one, and setting or taking back one that names nothing that runs. */
const HARMLESS_SETTING = new RegExp(
  `^\\nconfig${CONFIG_SCOPE}(?:\\n(?:--list|-l|list)|\\n(?:--get|--get-all|get)\\n[\\w.-]+|\\n(?!-)[\\w.-]+|(?:\\n(?:set|--add|--replace-all|unset|--unset))?\\n(?:${HARMLESS})(?:\\n[^\\n…-][^\\n…]*)?)${CONFIG_SCOPE}$`,
  'i',
);

/** Rules of git about arguments that name a program which it runs, an editor included. */
export const GIT_RUNS: readonly BuiltInRule[] = [
  {
    name: 'git.runs-programs',
    programs: ['git'],
    options: [
      '-c',
      '--exec-path',
      '--config-env',
      '--exec',
      '--upload-pack',
      '--receive-pack',
      '--ext-diff',
      '--output',
      '-O',
      '--open-files-in-pager',
      '--config',
      '--template',
      '--tool',
      '--extcmd',
      '--to-cmd',
    ],
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [
      ['git', '-c', 'alias.x=!rm -rf .', 'x'],
      ['git', 'rebase', '--exec', 'rm x', 'main'],
    ],
    notExamples: [['git', 'log']],
  },
  {
    name: 'git.runs-each',
    programs: ['git'],
    words: [
      ['submodule', 'bisect'],
      ['foreach', 'run'],
    ],
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [
      ['git', 'submodule', 'foreach', 'rm x'],
      ['git', 'bisect', 'run', 'id'],
    ],
    notExamples: [['git', 'bisect', 'start']],
  },
  {
    name: 'git.runs-filter',
    programs: ['git'],
    words: [['filter-branch', 'filter-repo']],
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [['git', 'filter-branch', '--tree-filter', 'rm x']],
    notExamples: [['git', 'clean', '-fdx']],
  },
  {
    name: 'git.runs-transport',
    programs: ['git'],
    // `ext::` runs what stands behind it, and any other `NAME::` a program of that name.
    operand: /^[a-z0-9+.-]+::/i,
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [
      ['git', 'fetch', 'ext::sh -c id'],
      ['git', 'remote', 'add', 'x', 'ext::id'],
    ],
    notExamples: [['git', 'clone', 'https://example.org/x']],
  },
  {
    name: 'git.config-other',
    programs: ['git'],
    words: [['config']],
    // Settings name hooks, editors, filters, aliases and helpers, and more of them than anybody lists: these here name none.
    writtenNot: HARMLESS_SETTING,
    class: 'config-mutation',
    needs: ['edit_repo', 'shell'],
    examples: [
      ['git', 'config', 'core.fsmonitor', './p'],
      ['git', 'config', '--global', 'alias.x', '!id'],
      ['git', 'config', 'set', 'core.hooksPath', 'x'],
      ['git', 'config', '--file', 'x', 'user.name', 'y'],
      ['git', 'config', 'include.path', 'x'],
    ],
    notExamples: [
      ['git', 'config', '--global', 'user.name', 'x'],
      ['git', 'config', '--get', 'core.editor'],
      ['git', 'config', '--list'],
      ['git', 'config', 'core.editor'],
    ],
  },
  {
    name: 'git.runs-after',
    programs: ['git'],
    words: [['rebase', 'clone']],
    // A command after each step of a rebase; the program at the other end of a clone.
    options: ['-x', '-u', '-i', '--interactive', '--edit-todo'],
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [
      ['git', 'rebase', '-xid', 'main'],
      ['git', 'clone', '-u', './p', '.', 'x'],
    ],
    notExamples: [['git', 'rebase', 'main']],
  },
  {
    name: 'git.edit',
    programs: ['git'],
    words: [['config', 'branch', 'notes', 'commit', 'merge', 'tag', 'revert', 'cherry-pick', 'pull', 'add', 'replace']],
    // An editor, which is a program that a configuration names.
    options: ['--edit', '-e', '--edit-description'],
    class: 'config-mutation',
    needs: ['edit_repo', 'shell'],
    examples: [
      ['git', 'config', '--edit'],
      ['git', 'branch', '--edit-desc'],
    ],
    notExamples: [['git', 'config', 'user.name', 'x']],
  },
  {
    name: 'git.edit-word',
    programs: ['git'],
    words: [['notes', 'config'], ['edit']],
    class: 'config-mutation',
    needs: ['edit_repo', 'shell'],
    examples: [['git', 'notes', 'edit']],
    notExamples: [['git', 'notes', 'show']],
  },
];
