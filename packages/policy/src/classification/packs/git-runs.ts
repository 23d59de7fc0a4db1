import type { BuiltInRule } from '../types.ts';

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
    words: [['config', 'branch', 'notes', 'commit', 'merge', 'tag', 'revert', 'cherry-pick', 'pull', 'add', 'remote']],
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
