import type { BuiltInRule } from '../types.ts';
import { wordList } from './option-names.ts';

/** Names that the managers have for the folder in which they work, or into which they put what they install. */
const FOLDERS = wordList(
  '--prefix -C --dir --cwd --directory --project --modules-folder --root --target -t --target-dir --install-dir --bindir',
);
/** What is installed for everybody is what `install_packages` is about. */
const GLOBAL = ['-g', '--global'];

/** Rules of package managers that lay files into a folder of a project, and not where the packages of the machine are. */
export const PACKAGE_PLACES: readonly BuiltInRule[] = [
  {
    name: 'packages.lays',
    programs: wordList('npm pnpm yarn bun uv poetry'),
    words: [['install', 'add']],
    class: 'config-mutation',
    needs: ['install_packages'],
    target: { kind: 'package', from: 1 },
    writes: { folders: FOLDERS, elsewhere: GLOBAL },
    examples: [
      ['npm', 'install', '-D', 'vitest'],
      ['npm', '--prefix', '/etc', 'install'],
    ],
    notExamples: [['npm', 'ls']],
  },
  {
    name: 'packages.lays-again',
    programs: ['npm', 'pnpm'],
    words: [['i', 'ci', 'update', 'upgrade', 'dedupe']],
    class: 'config-mutation',
    needs: ['install_packages'],
    target: { kind: 'package', from: 1 },
    writes: { folders: FOLDERS, elsewhere: GLOBAL },
    examples: [['npm', 'ci']],
    notExamples: [['npm', 'test']],
  },
  {
    name: 'packages.lays-named',
    programs: wordList('pip pip3 pipx gem cargo go'),
    words: [['install']],
    class: 'config-mutation',
    needs: ['install_packages'],
    target: { kind: 'package', from: 1 },
    writes: { folders: FOLDERS, elsewhere: 'always' },
    examples: [
      ['pip', 'install', '--target=/etc', 'x'],
      ['cargo', 'install', '--root', '/usr', 'x'],
    ],
    notExamples: [['pip', 'list']],
  },
  {
    name: 'packages.install-takes-away',
    programs: wordList('apt apt-get aptitude dnf yum zypper apk'),
    words: [['install', 'add', 'reinstall', 'upgrade', 'update', 'build-dep']],
    options: wordList(
      '-f --fix-broken --auto-remove --autoremove --purge --allow-remove-essential --allow-downgrades --allowerasing --force-resolution --clean-deps',
    ),
    class: 'destructive',
    needs: ['destructive', 'install_packages'],
    examples: [
      ['apt-get', 'upgrade', '--autoremove', '--purge', '-y'],
      ['dnf', 'upgrade', '--allowerasing'],
    ],
    notExamples: [['apt-get', 'upgrade', '-y']],
  },
  {
    name: 'packages.replaces',
    programs: wordList('apt apt-get aptitude zypper'),
    // What stands in the way of the new ones is taken away.
    words: [['full-upgrade', 'dist-upgrade']],
    class: 'destructive',
    needs: ['destructive', 'install_packages'],
    examples: [['apt-get', 'dist-upgrade']],
    notExamples: [['apt-get', 'upgrade']],
  },
  {
    name: 'packages.install-removes',
    programs: wordList('apt apt-get aptitude dnf yum zypper apk'),
    words: [['install', 'add', 'reinstall', 'upgrade', 'update']],
    // `jq-`, `jq_`, `!jq` and `-jq` behind `install` take jq away, and a pattern may hold the same.
    operand: /[-_]$|^[-!~?^]/,
    class: 'destructive',
    needs: ['destructive', 'install_packages'],
    examples: [
      ['apt', 'install', 'jq-'],
      ['aptitude', 'install', 'jq_'],
      ['zypper', 'install', '!jq'],
      ['zypper', 'install', '--', '-jq'],
      ['apk', 'add', '!jq'],
    ],
    notExamples: [['apt', 'install', 'g++']],
  },
];
