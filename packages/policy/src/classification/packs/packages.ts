import type { RulePack } from '../types.ts';
import { optionNames, wordList } from './option-names.ts';
import { PACKAGE_PLACES } from './package-places.ts';

const APT = wordList('apt apt-get aptitude');
const OTHERS = wordList('dnf yum zypper apk brew snap flatpak pacman');
const LANGUAGES = wordList('npm pnpm yarn pip pip3 pipx gem cargo go uv poetry bun');
const ALL = [...APT, ...OTHERS, ...LANGUAGES];
/** Options of those of node, `--filter` and what else leads elsewhere aside. */
const NODE =
  '--global --save --save-dev --save-exact --save-optional --save-peer --save-prod --no-save --dev --exact --production --prod --optional --omit --include --legacy-peer-deps --strict-peer-deps --audit --no-audit --fund --no-fund --ignore-scripts --force --yes --dry-run --offline --prefer-offline --package-lock-only --lockfile-only --frozen-lockfile --no-frozen-lockfile --immutable --no-optional --json --long --all --depth --parseable --silent --quiet --verbose --loglevel --progress --no-progress --non-interactive --check-files --recursive --workspaces --include-workspace-root --latest --access --tag --otp --provenance --version --help';

/** Package managers: each reads the same letters in another way. Settings, folders and places that a package comes from are known of none. */
export const packagesPack: RulePack = {
  topic: 'packages',
  programs: [
    {
      names: APT,
      flags: optionNames(
        'yqdsfumVa',
        '--yes --assume-yes --assume-no --quiet --no-install-recommends --install-recommends --install-suggests --reinstall --only-upgrade --no-upgrade --upgrade --purge --simulate --dry-run --download-only --fix-broken --fix-missing --ignore-missing --ignore-hold --allow-downgrades --allow-remove-essential --allow-change-held-packages --no-remove --auto-remove --autoremove --upgradable --upgradeable --installed --all-versions --manual-installed --names-only --full --version --verbose --help --show-progress',
      ),
      valued: ['-t', '--target-release'],
      elsewhere: ['-t', '--target-release'],
    },
    {
      names: ['dnf', 'yum'],
      flags: optionNames(
        'yqvCb',
        '--assumeyes --assumeno --quiet --verbose --best --nobest --refresh --cacheonly --downloadonly --allowerasing --skip-broken --security --bugfix --installed --available --upgrades --updates --all --version --help',
      ),
    },
    {
      names: ['zypper'],
      flags: optionNames(
        'nyqvl',
        '--non-interactive --no-confirm --quiet --verbose --auto-agree-with-licenses --no-recommends --dry-run --force-resolution --clean-deps --version --help',
      ),
    },
    {
      names: ['apk'],
      flags: optionNames(
        'quUfvail',
        '--quiet --no-cache --update-cache --update --upgrade --force --verbose --latest --simulate --all --installed --purge --version --help',
      ),
      valued: ['-t', '--virtual'],
    },
    {
      names: ['brew'],
      flags: optionNames(
        'qvfyn',
        '--cask --casks --formula --formulae --quiet --verbose --force --greedy --dry-run --json --versions --installed --zap --version --help --all',
      ),
    },
    {
      names: ['snap'],
      flags: wordList(
        '--classic --edge --beta --candidate --stable --channel --revision --purge --no-wait --all --version --help',
      ),
    },
    {
      names: ['flatpak'],
      flags: optionNames(
        'yuav',
        '--assumeyes --noninteractive --user --system --delete-data --unused --all --runtime --app --or-update --verbose --version --help',
      ),
    },
    {
      names: ['pacman'],
      flags: optionNames(
        'SRUDQyuscniklogpqtwdvV',
        '--sync --remove --upgrade --database --query --refresh --sysupgrade --recursive --nosave --cascade --unneeded --noconfirm --needed --asdeps --asexplicit --quiet --info --list --print --downloadonly',
      ),
    },
    {
      names: ['npm'],
      flags: optionNames('gDPOESfyqsdvlp', NODE),
      valued: ['-w', '--workspace', '--prefix', '-C'],
      elsewhere: ['--prefix', '-C'],
    },
    {
      names: ['pnpm'],
      flags: optionNames('gDPOEfywrsv', NODE),
      valued: ['-F', '--filter', '--prefix', '--dir', '-C'],
      elsewhere: ['--prefix', '--dir', '-C'],
    },
    { names: ['yarn', 'bun'], flags: optionNames('gDdEPOWfys', NODE) },
    {
      names: ['pip', 'pip3', 'pipx'],
      flags: optionNames(
        'UqvylVha',
        '--upgrade --user --quiet --verbose --yes --no-deps --no-cache-dir --pre --force-reinstall --ignore-installed --no-input --disable-pip-version-check --no-python-version-warning --dry-run --only-binary --no-binary --require-hashes --outdated --uptodate --local --format --json --short --include-deps --force --progress-bar --no-warn-script-location --break-system-packages --all --version --help',
      ),
    },
    {
      names: ['gem'],
      flags: optionNames(
        'Nalrxqdf',
        '--no-document --user-install --force --all --local --remote --executables --conservative --quiet --verbose --versions --no-versions --prerelease --minimal-deps --help',
      ),
      valued: ['-v', '--version'],
    },
    {
      names: ['cargo'],
      flags: optionNames(
        'rqvfn',
        '--release --locked --offline --frozen --quiet --verbose --force --all --workspace --all-targets --all-features --no-default-features --features --lib --bins --bin --tests --test --examples --example --benches --doc --no-run --no-fail-fast --dry-run --dev --build --optional --version --vers --aggressive --precise --undo --keep-going --allow-dirty --help --list',
      ),
      valued: ['-p', '--package', '-j', '--jobs', '-F'],
    },
    {
      names: ['go'],
      singleDash: true,
      flags: wordList(
        '-v -x -n -a -u -t -json -race -short -cover -benchmem -failfast -trimpath -count -timeout -parallel -run -skip -bench -tags -shuffle -list -cache -testcache -modcache -d',
      ),
    },
    {
      names: ['uv', 'poetry'],
      flags: optionNames(
        'qvnDUVh',
        '--quiet --verbose --upgrade --dev --no-dev --frozen --locked --all-extras --extra --all-groups --no-root --no-interaction --only --with --without --sync --dry-run --no-cache --no-deps --version --help',
      ),
      valued: ['-G', '--group', '-E', '--extras'],
    },
    {
      names: ['dpkg', 'dpkg-query', 'apt-mark'],
      flags: optionNames(
        'lLsSrPW',
        '--list --listfiles --status --search --show --remove --purge --version --no-pager',
      ),
      valued: ['-f', '--showformat'],
    },
    {
      names: ['apt-cache'],
      flags: optionNames('qanif', '--quiet --all-versions --names-only --installed --full --recurse --version'),
    },
    {
      names: ['rpm'],
      flags: optionNames(
        'qailLsScdRevh',
        '--query --all --info --list --listfiles --state --last --requires --provides --changelog --scripts --docfiles --configfiles --whatprovides --whatrequires --erase --nodeps --noscripts --test --verbose --version',
      ),
      valued: ['-f', '-p', '--file', '--qf', '--queryformat'],
    },
  ],
  rules: [
    {
      name: 'packages.read',
      programs: [...APT, 'dnf', 'yum', 'zypper', 'apk', 'brew', 'snap', 'flatpak'],
      words: [['list', 'show', 'search', 'policy', 'info', 'ls', 'outdated', 'check-update']],
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['apt', 'list', '--upgradable'],
        ['brew', 'info', 'jq'],
      ],
      notExamples: [
        ['apt', 'install', 'jq'],
        ['apt', '-o', 'x=y', 'list'],
        ['dnf', 'list', '--setopt=pluginpath=./x'],
        ['brew', 'deps', 'jq'],
      ],
    },
    {
      name: 'packages.read-python',
      programs: ['pip', 'pip3', 'pipx'],
      words: [['list', 'show', 'freeze']],
      class: 'read',
      needs: ['inspect_status'],
      examples: [['pip3', 'list']],
      notExamples: [['pip', 'install', 'x']],
    },
    {
      name: 'packages.read-ruby',
      programs: ['gem'],
      words: [['list', 'search', 'info', 'outdated']],
      class: 'read',
      needs: ['inspect_status'],
      examples: [['gem', 'list']],
      notExamples: [['gem', 'list', '--config-file', 'x']],
    },
    {
      name: 'packages.read-node',
      // Of the managers whose folder may name programs this one alone runs none for these words; `npm help` starts a viewer.
      programs: ['npm'],
      words: [['ls', 'list', 'view', 'show', 'info', 'search', 'outdated', 'why', 'explain']],
      class: 'read',
      needs: ['inspect_status'],
      examples: [['npm', 'ls']],
      notExamples: [
        ['npm', 'help', 'install'],
        ['npm', 'freeze'],
      ],
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
      options: ['-l', '-L', '-s', '-S', '-q', '--list', '--status', '--search', '--query', '--version'],
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
      name: 'packages.install',
      programs: ALL,
      words: [['install', 'add', 'i', 'reinstall']],
      class: 'config-mutation',
      needs: ['install_packages'],
      target: { kind: 'package', from: 1 },
      examples: [
        ['apt', 'install', 'jq'],
        ['npm', 'install', '-D', 'vitest'],
        ['npm', 'i'],
        ['brew', 'install', 'jq'],
      ],
      notExamples: [['apt', 'remove', 'jq']],
    },
    ...PACKAGE_PLACES,
    {
      name: 'packages.upgrade',
      programs: ALL,
      words: [
        wordList(
          'upgrade update ci sync refresh full-upgrade dist-upgrade build-dep fetch build test dedupe pin hold unhold',
        ),
      ],
      class: 'config-mutation',
      needs: ['install_packages'],
      examples: [
        ['apt-get', 'upgrade', '-y'],
        ['apt-get', 'update'],
        ['npm', 'ci'],
        ['npm', 'test'],
      ],
      notExamples: [['apt', 'autoremove']],
    },
    {
      name: 'packages.remove',
      programs: ALL,
      words: [
        wordList(
          'remove purge uninstall autoremove erase rm un clean autoclean del autopurge cleanup prune distro-sync downgrade',
        ),
      ],
      class: 'destructive',
      needs: ['destructive', 'install_packages'],
      target: { kind: 'package', from: 1 },
      examples: [
        ['apt', 'remove', 'jq'],
        ['apt-get', 'purge', '-y', 'jq'],
        ['npm', 'uninstall', 'x'],
        ['brew', 'cleanup'],
      ],
      notExamples: [['apt', 'install', 'jq']],
    },
    {
      name: 'packages.publish',
      programs: LANGUAGES,
      words: [['publish', 'unpublish', 'yank', 'deprecate', 'dist-tag', 'owner', 'access', 'token']],
      class: 'destructive',
      needs: ['destructive', 'use_network'],
      examples: [
        ['npm', 'publish'],
        ['cargo', 'yank', 'x'],
      ],
      notExamples: [['npm', 'pack']],
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
  ],
};
