import type { BuiltInRule } from '../types.ts';
import { GIT_APPLIES_NOTHING } from './git-keeps.ts';
import { GIT_LISTS } from './git-looks.ts';
import { wordList } from './option-names.ts';

const GIT_FOLDER = { folders: ['-C'], leading: true } as const;

/** Rules of git about what lays files into a folder, and overwrites those that are there. */
export const GIT_LAYS: readonly BuiltInRule[] = [
  {
    name: 'git.lays',
    programs: ['git'],
    words: [wordList('merge rebase cherry-pick revert am pull mv submodule stash bisect switch')],
    writtenNot: GIT_LISTS,
    class: 'config-mutation',
    needs: ['edit_repo'],
    writes: GIT_FOLDER,
    examples: [
      ['git', 'stash'],
      ['git', 'switch', 'main'],
    ],
    notExamples: [
      ['git', 'stash', 'list'],
      ['git', 'commit', '-m', 'x'],
    ],
  },
  {
    name: 'git.lays-patch',
    programs: ['git'],
    words: [['apply']],
    writtenNot: GIT_APPLIES_NOTHING,
    class: 'config-mutation',
    needs: ['edit_repo'],
    writes: GIT_FOLDER,
    examples: [['git', 'apply', 'x.patch']],
    notExamples: [['git', 'apply', '--check', 'x.patch']],
  },
  {
    name: 'git.lays-new',
    programs: ['git'],
    words: [['init']],
    class: 'config-mutation',
    needs: ['edit_repo'],
    writes: { ...GIT_FOLDER, from: 1 },
    examples: [['git', 'init', 'x']],
    notExamples: [['git', 'clone', 'https://example.org/x']],
  },
  {
    name: 'git.lays-copy',
    programs: ['git'],
    words: [['clone']],
    class: 'config-mutation',
    needs: ['edit_repo'],
    writes: { ...GIT_FOLDER, from: 2 },
    examples: [['git', 'clone', 'https://example.org/x', 'y']],
    notExamples: [['git', 'init']],
  },
  {
    name: 'git.lays-worktree',
    programs: ['git'],
    words: [['worktree'], ['add', 'move']],
    class: 'config-mutation',
    needs: ['edit_repo'],
    writes: { ...GIT_FOLDER, from: 2 },
    examples: [['git', 'worktree', 'add', '-b', 'x', '../x']],
    notExamples: [['git', 'worktree', 'list']],
  },
  {
    name: 'git.forces-ref',
    programs: ['git'],
    words: [['fetch', 'pull']],
    // A branch that is here already is set to something else, whatever it held.
    operand: /^\+/,
    class: 'destructive',
    needs: ['destructive', 'edit_repo'],
    examples: [['git', 'fetch', 'origin', '+a:b']],
    notExamples: [['git', 'fetch', 'origin', 'a:b']],
  },
  {
    name: 'git.forces-name',
    programs: ['git'],
    words: [['mv', 'notes', 'submodule']],
    options: ['-f', '--force'],
    class: 'destructive',
    needs: ['destructive', 'edit_repo'],
    examples: [['git', 'mv', '-f', 'a', 'b']],
    notExamples: [['git', 'mv', 'a', 'b']],
  },
  {
    name: 'git.forces-switch',
    programs: ['git'],
    words: [['switch']],
    options: ['-C', '--force-create'],
    class: 'destructive',
    needs: ['destructive', 'edit_repo'],
    examples: [['git', 'switch', '--force-create', 'main', 'x']],
    notExamples: [['git', 'switch', '-c', 'x']],
  },
  {
    name: 'git.prunes-remote',
    programs: ['git'],
    words: [['remote'], ['update']],
    options: ['-p', '--prune'],
    class: 'destructive',
    needs: ['destructive', 'edit_repo'],
    examples: [['git', 'remote', 'update', '--prune']],
    notExamples: [['git', 'remote', 'update']],
  },
];
