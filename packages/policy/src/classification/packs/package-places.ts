import type { BuiltInRule } from '../types.ts';
import { wordList } from './option-names.ts';

/** Names that the managers have for the folder in which they work, or into which they put what they install. */
const FOLDERS = wordList(
  '--prefix -C --dir --cwd --directory --project --modules-folder --root --target -t --target-dir --install-dir --bindir',
);
/** What is installed for everybody is what `install_packages` is about. */
const GLOBAL = ['-g', '--global'];

/** Words of each manager that works in the folder of a project. */
const IN_FOLDER: Readonly<Record<string, string>> = {
  npm: 'install add i ci update upgrade dedupe',
  pnpm: 'install add i update upgrade dedupe fetch',
  yarn: 'install add',
  bun: 'install add i update',
  uv: 'add sync',
  poetry: 'install add update sync',
};
/** Those that install for the user or the machine where no folder is named. */
const ELSEWHERE = wordList('pip pip3 pipx gem cargo');

type Kind = Pick<BuiltInRule, 'class' | 'needs' | 'target'>;
const INSTALLS: Kind = {
  class: 'config-mutation',
  needs: ['install_packages'],
  target: { kind: 'package', from: 1 },
};

/** Rules of package managers that lay files into a folder of a project, and not where the packages of the machine are. */
export const PACKAGE_PLACES: readonly BuiltInRule[] = [
  ...Object.entries(IN_FOLDER).map(([program, words]) => ({
    ...INSTALLS,
    name: `packages.${program}-lays`,
    programs: [program],
    words: [wordList(words)],
    writes: { folders: FOLDERS, elsewhere: GLOBAL },
    examples: wordList(words).map((word) => [program, word]),
    notExamples: [[program, 'of-tomorrow']],
  })),
  ...ELSEWHERE.map((program) => ({
    ...INSTALLS,
    name: `packages.${program}-lays`,
    programs: [program],
    words: [['install']],
    writes: { folders: program === 'gem' ? [...FOLDERS, '-i', '-n'] : FOLDERS, elsewhere: 'always' as const },
    examples: [[program, 'install', '--target=/etc', 'x']],
    notExamples: [[program, 'list']],
  })),
];
