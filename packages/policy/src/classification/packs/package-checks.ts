import type { BuiltInRule } from '../types.ts';
import { BELOW, CHECKED, wordList } from './option-names.ts';

/** Names of scripts that say that they build, test or look, and words that may follow; what a script of another name does is in the folder alone. */
const DOES = 'tests?|unit|e2e|lint|check|checks|typecheck|type-check|types|tsc|build|compile|coverage';
const OF_WHAT =
  'all|api|app|browser|ci|cjs|client|code|css|dev|dist|docs|esm|format|integration|js|lib|main|node|prod|production|quick|renderer|server|smoke|static|strict|styles?|ts|ui|web';
const SCRIPTS = new RegExp(`^(?:${DOES})(?:[:-](?:${DOES}|${OF_WHAT}))*$`);

/** Rules of package managers about what asks a registry about what is there, and about what runs the code of the folder. */
export const PACKAGE_CHECKS: readonly BuiltInRule[] = [
  {
    name: 'packages.npm-audit',
    programs: ['npm'],
    words: [['audit']],
    most: 0,
    class: 'read',
    needs: ['inspect_status', 'use_network'],
    examples: [
      ['npm', 'audit'],
      ['npm', 'audit', '--json', '--omit=dev'],
    ],
    notExamples: [['npm', 'audit', 'fix']],
  },
  {
    name: 'packages.npm-audit-fix',
    programs: ['npm'],
    words: [['audit'], ['fix']],
    class: 'config-mutation',
    needs: ['install_packages'],
    writes: { folders: ['--prefix', '-C'] },
    examples: [['npm', 'audit', 'fix']],
    notExamples: [['npm', 'audit']],
  },
  {
    name: 'packages.npm-settings',
    programs: ['npm'],
    words: [['config'], ['get', 'list', 'ls']],
    class: 'read',
    needs: ['inspect_status'],
    examples: [
      ['npm', 'config', 'get', 'registry'],
      ['npm', 'config', 'list'],
    ],
    notExamples: [['npm', 'config', 'set', 'script-shell', './p']],
  },
  ...wordList('npm pnpm yarn bun').map(
    (program): BuiltInRule => ({
      name: `packages.${program}-script`,
      programs: [program],
      words: [['run', 'run-script']],
      first: SCRIPTS,
      plainOperands: CHECKED,
      class: 'config-mutation',
      needs: ['run_tests'],
      examples: [
        [program, 'run', 'build'],
        [program, 'run', 'test:unit'],
      ],
      notExamples: [
        [program, 'run', 'deploy'],
        [program, 'run', 'lint:fix'],
        [program, 'run', 'build:push'],
      ],
    }),
  ),
  {
    name: 'packages.cargo-fetches',
    programs: ['cargo'],
    words: [wordList('check c clippy build b test t bench doc d tree metadata')],
    class: 'config-mutation',
    needs: ['use_network'],
    examples: [['cargo', 'check']],
    notExamples: [['cargo', 'fmt']],
  },
  {
    name: 'packages.cargo-format',
    programs: ['cargo'],
    words: [['fmt', 'fix']],
    class: 'config-mutation',
    needs: ['edit_repo', 'run_tests'],
    plainOperands: CHECKED,
    examples: [
      ['cargo', 'fmt'],
      ['cargo', 'fmt', '--', '../x.rs'],
    ],
    notExamples: [['cargo', 'check']],
  },
  {
    name: 'packages.go-fetches',
    programs: ['go'],
    words: [wordList('build test vet list')],
    plainOperands: BELOW,
    class: 'config-mutation',
    needs: ['use_network'],
    examples: [
      ['go', 'vet', './...'],
      ['go', 'test', '/tmp/x'],
    ],
    notExamples: [['go', 'env']],
  },
  {
    name: 'packages.go-modules',
    programs: ['go'],
    words: [['mod'], ['tidy', 'download', 'verify', 'graph', 'why']],
    class: 'config-mutation',
    needs: ['edit_repo', 'use_network'],
    examples: [['go', 'mod', 'tidy']],
    notExamples: [['go', 'mod', 'edit']],
  },
  {
    name: 'packages.go-format',
    programs: ['go'],
    words: [['fmt']],
    plainOperands: BELOW,
    class: 'config-mutation',
    needs: ['edit_repo', 'use_network'],
    examples: [['go', 'fmt', './...']],
    notExamples: [['go', 'vet']],
  },
  {
    name: 'packages.go-look',
    programs: ['go'],
    words: [['env', 'version', 'doc']],
    // A file of the folder names the version that answers, which is fetched where it is not there.
    plainOperands: /^[\w./]+$/,
    class: 'read',
    needs: ['inspect_status', 'use_network'],
    examples: [
      ['go', 'version'],
      ['go', 'env', 'GOPATH'],
    ],
    notExamples: [
      ['go', 'env', '-w', 'GOFLAGS=-toolexec=./p'],
      ['go', 'env', 'A=b'],
    ],
  },
  {
    name: 'packages.cargo-version',
    programs: ['cargo'],
    // A file of the folder names the programs that answer.
    written: /^\n(?:--version|-V|version|--help|-h|help|--list)$/,
    class: 'config-mutation',
    needs: ['run_tests'],
    examples: [['cargo', '--version']],
    notExamples: [['cargo', 'run', '--version']],
  },
  {
    name: 'packages.pip-asks-outdated',
    programs: ['pip', 'pip3'],
    words: [['list']],
    options: ['--outdated', '--uptodate'],
    class: 'read',
    needs: ['inspect_status', 'use_network'],
    examples: [['pip', 'list', '--outdated']],
    notExamples: [['pip', 'list']],
  },
  {
    name: 'packages.gem-asks-remote',
    programs: ['gem'],
    words: [['list', 'info']],
    options: ['-r', '--remote'],
    class: 'read',
    needs: ['inspect_status', 'use_network'],
    examples: [['gem', 'list', '--remote']],
    notExamples: [['gem', 'list', '--local']],
  },
  {
    name: 'packages.marks',
    programs: ['apt-mark'],
    words: [['showhold', 'showmanual', 'showauto', 'showinstall']],
    class: 'read',
    needs: ['inspect_status'],
    examples: [['apt-mark', 'showhold']],
    notExamples: [['apt-mark', 'hold', 'jq']],
  },
];
