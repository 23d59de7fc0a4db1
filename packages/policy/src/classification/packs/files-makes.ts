import type { BuiltInRule } from '../types.ts';

/** Rules about making files and folders, which overwrites none. */
export const FILE_MAKES: readonly BuiltInRule[] = [
  {
    name: 'files.make',
    programs: ['mkdir', 'touch'],
    class: 'config-mutation',
    needs: ['edit_repo'],
    // A file that is only there lets people in, keeps them out, or is obeyed.
    writes: { from: 0, light: true },
    examples: [
      ['touch', 'a'],
      ['mkdir', '-p', 'a/b'],
    ],
    notExamples: [['stat', 'a']],
  },
  {
    name: 'files.make-temporary',
    programs: ['mktemp'],
    // Without a name it is one that nobody has, in the folder for such.
    most: 0,
    class: 'config-mutation',
    needs: ['edit_repo'],
    writes: { folders: ['-p', '--tmpdir'], light: true, elsewhere: 'always' },
    examples: [['mktemp'], ['mktemp', '-d']],
    notExamples: [['mktemp', '/etc/XXXXXX']],
  },
  {
    name: 'files.make-like',
    programs: ['mktemp'],
    operand: /^/,
    class: 'config-mutation',
    needs: ['edit_repo'],
    writes: { folders: ['-p', '--tmpdir'], from: 0, light: true },
    examples: [['mktemp', 'x.XXXXXX']],
    notExamples: [['mktemp']],
  },
];
