import type { BuiltInRule, RulePack } from '../types.ts';
import { CHECKED, wordList } from './option-names.ts';
import { PACKAGE_CHECKS } from './package-checks.ts';
import { MANAGERS } from './package-managers.ts';
import { PACKAGE_PLACES } from './package-places.ts';

/** Commands of one manager. */
interface Commands {
  readonly looks?: string;
  /** Looks that ask a registry. */
  readonly asks?: string;
  /** What runs the code of the folder, to build or to test it. */
  readonly checks?: string;
  readonly installs?: string;
  readonly upgrades?: string;
  readonly removes?: string;
  readonly publishes?: string;
  /** Options of the others with which it takes packages away as well. */
  readonly takes?: string;
}

/**
 * What the first word means to each manager, for no two have the same: what one knows, another looks up among scripts, aliases and programs of
 * the folder. `test`, and what builds, runs those too, which is what the command is for.
 */
const COMMANDS: Readonly<Record<string, Commands>> = {
  'apt apt-get aptitude': {
    ...{ looks: 'list show search policy', installs: 'install reinstall', upgrades: 'upgrade update build-dep' },
    removes: 'remove purge autoremove autopurge clean autoclean full-upgrade dist-upgrade',
    takes: '-f --fix-broken --auto-remove --autoremove --purge --allow-remove-essential --allow-downgrades',
  },
  'dnf yum': {
    ...{ looks: 'list info search', asks: 'check-update', installs: 'install reinstall' },
    upgrades: 'upgrade update',
    ...{ removes: 'remove rm erase autoremove clean distro-sync dsync downgrade', takes: '--allowerasing' },
  },
  zypper: {
    ...{ looks: 'search info', installs: 'install', upgrades: 'update refresh' },
    ...{ removes: 'remove rm clean dist-upgrade dup', takes: '--clean-deps --force-resolution' },
  },
  apk: {
    ...{ looks: 'list info search policy', installs: 'add', upgrades: 'upgrade update fetch' },
    ...{ removes: 'del', takes: '--purge' },
  },
  brew: {
    ...{
      looks: 'list ls info',
      asks: 'search outdated',
      installs: 'install reinstall',
      upgrades: 'upgrade update fetch pin',
    },
    ...{ removes: 'uninstall remove rm autoremove cleanup', takes: '--zap' },
  },
  snap: { looks: 'list', asks: 'info find', installs: 'install', upgrades: 'refresh', removes: 'remove' },
  flatpak: { looks: 'list info', asks: 'search', installs: 'install', upgrades: 'update', removes: 'uninstall remove' },
  npm: {
    // It obeys the folder as the others of node do, and for names it runs nothing that this says.
    ...{ looks: 'ls list why explain root prefix', asks: 'view show info search outdated ping whoami' },
    ...{
      checks: 'test t tst',
      installs: 'install add i',
      upgrades: 'ci update upgrade dedupe',
      removes: 'uninstall remove rm r un unlink prune',
    },
    publishes: 'publish unpublish deprecate dist-tag owner access token',
  },
  pnpm: {
    ...{
      installs: 'install add i',
      ...{ checks: 'test t', upgrades: 'update upgrade dedupe fetch' },
      removes: 'remove rm uninstall un prune',
    },
    publishes: 'publish unpublish deprecate dist-tag owner access token',
  },
  yarn: { checks: 'test', installs: 'install add', removes: 'remove' },
  bun: { checks: 'test', installs: 'install add i', upgrades: 'update', removes: 'remove rm' },
  'pip pip3': { looks: 'list show freeze check', installs: 'install', removes: 'uninstall' },
  pipx: { looks: 'list', installs: 'install reinstall', upgrades: 'upgrade', removes: 'uninstall' },
  gem: {
    ...{ looks: 'list info', asks: 'search outdated', installs: 'install', upgrades: 'update fetch' },
    ...{ removes: 'uninstall cleanup', publishes: 'yank owner' },
  },
  cargo: {
    // What is built runs scripts of its own, which may come from elsewhere first.
    checks: 'check c clippy build b test t bench doc d tree metadata fmt',
    ...{ installs: 'install add', upgrades: 'update fetch', removes: 'uninstall remove rm clean' },
    publishes: 'publish yank owner',
  },
  go: { checks: 'build test vet list', installs: 'install', removes: 'clean' },
  uv: { installs: 'add', upgrades: 'sync build', removes: 'remove clean', publishes: 'publish' },
  poetry: { installs: 'install add', upgrades: 'update sync build', removes: 'remove', publishes: 'publish' },
};

/** A name, maybe with a version: no file, which may be a program, no address, and no place that a package is fetched from to be looked at. */
const NAMES =
  /^(?!.*\.(?:rb|json|tar|t?gz|txz|xz|bz2|zst|zip|whl|egg|gem|[drs]?rpm|deb|apk|snap|flatpakref)$)(?:@[\w.-]+\/)?[\w.+~*^$][\w.+~*^$@<>=| -]*(?::(?:amd64|arm64|armhf|i386|all|any))?$/i;

type Kind = Pick<BuiltInRule, 'class' | 'needs' | 'target' | 'plainOperands'>;
const KINDS = {
  looks: { class: 'read', needs: ['inspect_status'], plainOperands: NAMES },
  asks: { class: 'read', needs: ['inspect_status', 'use_network'], plainOperands: NAMES },
  checks: { class: 'config-mutation', needs: ['run_tests'], plainOperands: CHECKED },
  installs: { class: 'config-mutation', needs: ['install_packages'], target: { kind: 'package', from: 1 } },
  upgrades: { class: 'config-mutation', needs: ['install_packages'] },
  removes: { class: 'destructive', needs: ['destructive', 'install_packages'], target: { kind: 'package', from: 1 } },
  publishes: { class: 'destructive', needs: ['destructive', 'use_network'] },
} satisfies Readonly<Record<string, Kind>>;

/** The rules of one manager, with each of its words as an example. */
function rulesOf(names: string, commands: Commands): readonly BuiltInRule[] {
  const programs = wordList(names);
  const [first = ''] = programs;
  const about = { programs, notExamples: [[first, 'of-tomorrow']] };
  const rules = Object.entries(KINDS).flatMap(([kind, is]): readonly BuiltInRule[] => {
    const words = wordList(commands[kind as keyof typeof KINDS] ?? '');
    const examples = programs.flatMap((program) => words.map((word) => [program, word]));
    return words.length === 0 ? [] : [{ ...about, ...is, name: `packages.${first}-${kind}`, words: [words], examples }];
  });
  const changes = wordList(`${commands.installs ?? ''} ${commands.upgrades ?? ''}`);
  const options = wordList(commands.takes ?? '');
  if (options.length === 0) return rules;
  const examples = options.map((option) => [first, changes[0] ?? '', option]);
  const { class: is, needs } = KINDS.removes;
  return [
    ...rules,
    { ...about, name: `packages.${first}-takes`, words: [changes], options, class: is, needs, examples },
  ];
}

/** What package managers do. */
export const packagesPack: RulePack = {
  topic: 'packages',
  programs: MANAGERS,
  rules: [
    ...Object.entries(COMMANDS).flatMap(([names, commands]) => rulesOf(names, commands)),
    ...PACKAGE_PLACES,
    ...PACKAGE_CHECKS,
    {
      name: 'packages.install-removes',
      programs: wordList('apt apt-get aptitude zypper apk'),
      // `jq-`, `jq_`, `!jq` and `-jq` behind it take jq away, and a pattern whatever it finds.
      operand: /[-_]$|^[~?!-]/,
      first: /^(?:install|add|reinstall)$/,
      class: 'destructive',
      needs: ['destructive', 'install_packages'],
      examples: [
        ['apt', 'install', 'jq-'],
        ['aptitude', 'install', 'jq_'],
        ['zypper', 'install', '--', '-jq'],
        ['apk', 'add', '!jq'],
      ],
      notExamples: [
        ['apt', 'install', 'jq'],
        ['apt', 'search', 'jq-'],
      ],
    },
    {
      name: 'packages.takes-back',
      programs: ['dnf', 'yum'],
      words: [['swap', 'history', 'module', 'group', 'groups', 'offline-upgrade', 'system-upgrade']],
      firstNot: /^(?:list|info|summary|userinstalled|provides)$/,
      class: 'destructive',
      needs: ['destructive', 'install_packages', 'shell'],
      examples: [
        ['dnf', 'swap', 'a', 'b'],
        ['dnf', 'history', 'undo', '1'],
        ['dnf', 'module', 'remove', 'x'],
      ],
      notExamples: [['dnf', 'history', 'list']],
    },
    {
      name: 'packages.query-far',
      programs: ['dpkg', 'rpm'],
      options: ['-l', '-L', '-s', '-S', '-q', '--list', '--status', '--search', '--query', '--version'],
      except: ['-r', '-P', '-e', '--remove', '--purge', '--erase'],
      operand: /:\/\//,
      class: 'read',
      needs: ['inspect_status', 'use_network'],
      examples: [['rpm', '-qp', 'https://example.org/x.rpm']],
      notExamples: [['rpm', '-qa']],
    },
    {
      name: 'packages.query',
      programs: ['apt-cache', 'dpkg-query'],
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['apt-cache', 'policy', 'jq'],
        ['dpkg-query', '-W'],
      ],
      notExamples: [
        ['apt-mark', 'hold', 'jq'],
        ['apt-cache', '-o', 'x=y', 'policy', 'jq'],
      ],
    },
    {
      name: 'packages.dpkg-list',
      programs: ['dpkg', 'rpm'],
      options: ['-l', '-L', '-s', '-S', '-q', '--list', '--status', '--search', '--query'],
      except: ['-r', '-P', '-e', '--remove', '--purge', '--erase'],
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['dpkg', '-l'],
        ['rpm', '-qa'],
      ],
      notExamples: [
        ['dpkg', '-i', 'x.deb'],
        ['rpm', '-e', 'x'],
        ['rpm', '-qa', '--define=%x %(id)'],
        ['rpm', '-qa', '--load=./x'],
      ],
    },
    {
      name: 'packages.dpkg-remove',
      programs: ['dpkg', 'rpm'],
      options: ['-r', '-P', '-e', '--remove', '--purge', '--erase'],
      class: 'destructive',
      needs: ['destructive', 'install_packages'],
      target: { kind: 'package' },
      examples: [
        ['dpkg', '-r', 'jq'],
        ['rpm', '-e', 'jq'],
      ],
      notExamples: [['dpkg', '-l']],
    },
    {
      name: 'packages.pacman',
      programs: ['pacman'],
      options: ['-R', '--remove', '-D', '--database', '-S', '--sync', '-U', '--upgrade'],
      class: 'destructive',
      needs: ['destructive', 'install_packages'],
      examples: [
        ['pacman', '-Rns', 'x'],
        ['pacman', '-Syu'],
      ],
      notExamples: [['pacman', '-Qi', 'x']],
    },
    {
      name: 'packages.script-publish',
      programs: ['yarn', 'bun'],
      // Some versions publish, and for others it is a script of the folder.
      first: /^publish$/,
      class: 'destructive',
      needs: ['destructive', 'use_network', 'shell'],
      examples: [['yarn', 'publish']],
      notExamples: [['yarn', 'test']],
    },
  ],
};
