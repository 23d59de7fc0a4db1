import type { BuiltInRule } from '../types.ts';
import { GIT_ADDRESS, GIT_CONFIG_LOOKS } from './git-addresses.ts';
import { wordList } from './option-names.ts';

const CONFIG_SCOPE = '(?:\\n--(?:global|local|worktree|show-origin|show-scope|null|name-only|type=[a-z]+))*';
const HARMLESS = wordList(
  'user\\.(?:name|email|useconfigonly) pull\\.(?:rebase|ff) push\\.(?:default|autosetupremote|followtags) init\\.defaultbranch fetch\\.(?:prune|prunetags) merge\\.(?:ff|conflictstyle|log) color\\.[a-z.]+ core\\.(?:autocrlf|eol|safecrlf|filemode|ignorecase|quotepath|abbrev|longpaths|precomposeunicode) branch\\.[^\\n…]+\\.(?:merge|rebase) branch\\.(?:sort|autosetuprebase|autosetupmerge) tag\\.sort rebase\\.(?:autosquash|autostash|stat) rerere\\.(?:enabled|autoupdate) commit\\.verbose advice\\.[a-z]+ log\\.(?:date|decorate|abbrevcommit|follow) status\\.[a-z]+ diff\\.(?:algorithm|renames|mnemonicprefix|context)',
).join('|');
const ADDS_ADDRESS = new RegExp(
  `^\\nremote\\n(?:add|set-url)(?:\\n-[ft]|\\n--(?:tags|no-tags|fetch|push|add))*\\n\\w[\\w./-]*\\n(?:${GIT_ADDRESS})$`,
);
const ELSEWHERE = new RegExp(`^(?!(?:origin|upstream|${GIT_ADDRESS})$)`);
/** Setting or taking back one that names nothing that runs. */
const HARMLESS_SETTING = new RegExp(
  `^\\nconfig${CONFIG_SCOPE}(?:(?:\\n(?:set|--add|--replace-all))?\\n(?:${HARMLESS})\\n[^\\n…-][^\\n…]*|\\n(?:unset|--unset)\\n(?:${HARMLESS}))${CONFIG_SCOPE}$`,
  'i',
);
const HARMLESS_CONFIG = new RegExp(`^(?:${HARMLESS_SETTING.source}|${GIT_CONFIG_LOOKS.source})$`, 'i');

/** Rules of git about words and arguments that name a program which it runs, an editor included. */
export const GIT_RUNS: readonly BuiltInRule[] = [
  {
    name: 'git.writes-out',
    programs: ['git'],
    options: ['--output', '--output-directory'],
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [['git', 'log', '--output=x']],
    notExamples: [['git', 'log']],
  },
  {
    name: 'git.runs-text',
    programs: ['git'],
    words: [['rebase']],
    options: ['-x', '--exec', '-i', '--interactive', '--edit-todo'],
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [['git', 'rebase', '-xid', 'main']],
    notExamples: [['git', 'rebase', 'main']],
  },
  {
    name: 'git.rebase-edits',
    programs: ['git'],
    words: [['pull']],
    // An editor, which is a program that a configuration names.
    value: { of: ['--rebase', '-r'], matches: /^i/ },
    class: 'config-mutation',
    needs: ['edit_repo', 'shell'],
    examples: [['git', 'pull', '--rebase=interactive']],
    notExamples: [['git', 'pull', '--rebase']],
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
    name: 'git.runs-scheme',
    programs: ['git'],
    words: [['clone', 'fetch', 'pull', 'push', 'submodule', 'remote', 'ls-remote']],
    // A scheme that git does not know itself, in small letters, is a program of that name, as with two colons.
    operand: /^(?!(?:https?|ftps?|file|git|ssh|git\+ssh|ssh\+git):\/\/)[A-Za-z0-9+.-]+:\/\//,
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [
      ['git', 'fetch', 'ext://x'],
      ['git', 'clone', 'HTTPS://example.org/x'],
      ['git', 'submodule', 'add', 'hg://example.org/x'],
    ],
    notExamples: [
      ['git', 'clone', 'https://example.org/x'],
      ['git', 'clone', 'git+ssh://example.org/x'],
      ['git', 'fetch', 'origin', 'a:b'],
      ['git', 'grep', 'app://x'],
    ],
  },
  {
    name: 'git.push-elsewhere',
    programs: ['git'],
    words: [['push']],
    // What is no address may be a folder, also where it looks like a name.
    first: ELSEWHERE,
    class: 'config-mutation',
    needs: ['push_repo', 'use_network', 'shell'],
    examples: [
      ['git', 'push', './evil.git', 'main'],
      ['git', 'push', 'evil.git', 'main'],
      ['git', 'push', 'file:///x', 'main'],
    ],
    notExamples: [
      ['git', 'push'],
      ['git', 'push', 'origin', 'main'],
      ['git', 'push', 'git@example.org:a/b.git', 'main'],
    ],
  },
  {
    name: 'git.remote-elsewhere',
    programs: ['git'],
    words: [['remote'], ['add', 'set-url']],
    writtenNot: ADDS_ADDRESS,
    class: 'config-mutation',
    needs: ['edit_repo', 'shell'],
    examples: [['git', 'remote', 'add', 'x', '../evil.git']],
    notExamples: [
      ['git', 'remote', 'add', 'x', 'https://example.org/y'],
      ['git', 'remote', '-v'],
    ],
  },
  {
    name: 'git.config',
    programs: ['git'],
    words: [['config']],
    written: HARMLESS_SETTING,
    class: 'config-mutation',
    needs: ['edit_repo'],
    examples: [
      ['git', 'config', '--global', 'user.name', 'x'],
      ['git', 'config', '--unset', 'pull.rebase'],
    ],
    notExamples: [
      ['git', 'config', 'core.editor', 'x'],
      ['git', 'config', 'core.editor'],
    ],
  },
  {
    name: 'git.config-other',
    programs: ['git'],
    words: [['config']],
    // Settings name hooks, editors, filters, aliases and helpers, and more of them than anybody lists.
    writtenNot: HARMLESS_CONFIG,
    class: 'config-mutation',
    needs: ['edit_repo', 'shell'],
    examples: [
      ['git', 'config', 'core.fsmonitor', './p'],
      ['git', 'config', '--global', 'alias.x', '!id'],
      ['git', 'config', 'set', 'core.hooksPath', 'x'],
      ['git', 'config', '--file', 'x', 'user.name', 'y'],
      ['git', 'config', '--edit'],
    ],
    notExamples: [['git', 'config', '--global', 'user.name', 'x']],
  },
  {
    name: 'git.edit-word',
    programs: ['git'],
    words: [['notes'], ['edit']],
    class: 'config-mutation',
    needs: ['edit_repo', 'shell'],
    examples: [['git', 'notes', 'edit']],
    notExamples: [['git', 'notes', 'show']],
  },
];
