import type { ProgramSpec } from '../types.ts';
import { optionNames, SAYS, wordList } from './option-names.ts';

const PYTHON_PROJECT = {
  flags: optionNames(
    'qvnDUVh',
    '--quiet --verbose --upgrade --dev --no-dev --frozen --locked --all-extras --extra --all-groups --no-root --no-interaction --only --with --without --sync --dry-run --no-cache --no-deps --version --help',
  ),
  valued: ['-G', '--group', '-E', '--extras'],
};

/** Options of those of node, `--filter` and what else leads elsewhere aside. */
const NODE =
  '--global --save --save-dev --save-exact --save-optional --save-peer --save-prod --no-save --dev --exact --production --prod --optional --omit --include --legacy-peer-deps --strict-peer-deps --audit --no-audit --fund --no-fund --ignore-scripts --force --yes --dry-run --offline --prefer-offline --package-lock-only --lockfile-only --frozen-lockfile --no-frozen-lockfile --immutable --no-optional --json --long --all --depth --parseable --silent --quiet --verbose --loglevel --progress --no-progress --non-interactive --check-files --recursive --workspaces --include-workspace-root --latest --access --tag --otp --provenance --audit-level --if-present --version --help';

/** Package managers: each reads the same letters in another way. Settings, folders and places that a package comes from are known of none. */
export const MANAGERS: readonly ProgramSpec[] = [
  {
    names: wordList('apt apt-get aptitude'),
    answers: [...SAYS, '-v', '-h', 'help'],
    explains: '--help',
    flags: optionNames(
      'yqdsfumVa',
      '--yes --assume-yes --assume-no --quiet --no-install-recommends --install-recommends --install-suggests --reinstall --only-upgrade --no-upgrade --upgrade --purge --simulate --dry-run --download-only --fix-broken --fix-missing --ignore-missing --ignore-hold --allow-downgrades --allow-remove-essential --allow-change-held-packages --no-remove --auto-remove --autoremove --upgradable --upgradeable --installed --all-versions --manual-installed --names-only --full --version --verbose --help --show-progress',
    ),
    valued: ['-t', '--target-release'],
    elsewhere: ['-t', '--target-release'],
  },
  {
    names: ['dnf', 'yum'],
    answers: SAYS,
    explains: '--help',
    flags: optionNames(
      'yqvCb',
      '--assumeyes --assumeno --quiet --verbose --best --nobest --refresh --cacheonly --downloadonly --allowerasing --skip-broken --security --bugfix --installed --available --upgrades --updates --all --version --help',
    ),
  },
  {
    names: ['zypper'],
    answers: SAYS,
    flags: optionNames(
      'nyqvl',
      '--non-interactive --no-confirm --quiet --verbose --auto-agree-with-licenses --no-recommends --dry-run --force-resolution --clean-deps --version --help',
    ),
  },
  {
    names: ['apk'],
    answers: SAYS,
    flags: optionNames(
      'quUfvailt',
      '--virtual --quiet --no-cache --update-cache --update --upgrade --force --verbose --latest --simulate --all --installed --purge --version --help',
    ),
  },
  {
    names: ['brew'],
    answers: [...SAYS, '-v', '-h', 'help', '--prefix', '--cellar', '--repository'],
    explains: '--help',
    flags: optionNames(
      'qvfyn',
      '--cask --casks --formula --formulae --quiet --verbose --force --greedy --dry-run --json --versions --installed --zap --version --help --all',
    ),
  },
  {
    names: ['snap'],
    answers: [...SAYS, 'version', 'help'],
    flags: wordList(
      '--classic --edge --beta --candidate --stable --channel --revision --purge --no-wait --all --version --help',
    ),
  },
  {
    names: ['flatpak'],
    answers: SAYS,
    flags: optionNames(
      'yuav',
      '--assumeyes --noninteractive --user --system --delete-data --unused --all --runtime --app --or-update --verbose --version --help',
    ),
  },
  {
    names: ['pacman'],
    answers: [...SAYS, '-V', '-h'],
    flags: optionNames(
      'SRUDQyuscniklogpqtwdvV',
      '--sync --remove --upgrade --database --query --refresh --sysupgrade --recursive --nosave --cascade --unneeded --noconfirm --needed --asdeps --asexplicit --quiet --info --list --print --downloadonly',
    ),
  },
  {
    names: ['npm'],
    answers: [...SAYS, '-v', '-h'],
    explains: '--help',
    flags: optionNames('gDPOESfyqsdvlp', NODE),
    valued: ['-w', '--workspace', '--prefix', '-C'],
    elsewhere: ['--prefix', '-C'],
    folders: ['--prefix', '-C'],
  },
  {
    names: ['pnpm'],
    flags: optionNames('gDPOEfywrsv', NODE),
    valued: ['-F', '--filter', '--prefix', '--dir', '-C'],
    elsewhere: ['--prefix', '--dir', '-C'],
    folders: ['--prefix', '--dir', '-C'],
  },
  { names: ['yarn', 'bun'], flags: optionNames('gDdEPOWfys', NODE) },
  {
    names: ['pip', 'pip3', 'pipx'],
    answers: [...SAYS, '-V', '-h', 'help'],
    explains: '--help',
    flags: optionNames(
      'UqvylVha',
      '--upgrade --user --quiet --verbose --yes --no-deps --no-cache-dir --pre --force-reinstall --ignore-installed --no-input --disable-pip-version-check --no-python-version-warning --dry-run --only-binary --no-binary --require-hashes --outdated --uptodate --local --format --json --short --include-deps --force --progress-bar --no-warn-script-location --break-system-packages --all --version --help',
    ),
  },
  {
    names: ['gem'],
    answers: [...SAYS, '-v', '-h'],
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
      '--release --locked --offline --frozen --quiet --verbose --force --all --workspace --all-targets --all-features --no-default-features --features --lib --bins --bin --tests --test --examples --example --benches --doc --no-run --no-fail-fast --dry-run --dev --build --optional --version --vers --aggressive --precise --undo --keep-going --allow-dirty --check --depth --no-deps --duplicates --format-version --message-format --open --document-private-items --help --list',
    ),
    valued: ['-p', '--package', '-j', '--jobs', '-F'],
  },
  {
    names: ['go'],
    singleDash: true,
    flags: wordList(
      '-v -x -n -a -u -t -m -json -race -short -cover -benchmem -failfast -trimpath -count -timeout -parallel -run -skip -bench -tags -shuffle -list -cache -testcache -modcache -d',
    ),
  },
  { names: ['uv'], answers: [...SAYS, '-V', '-h'], explains: '--help', ...PYTHON_PROJECT },
  // No `answers`: it loads the plugins that the folder names first.
  { names: ['poetry'], ...PYTHON_PROJECT },
  {
    names: ['dpkg', 'dpkg-query', 'apt-mark'],
    answers: SAYS,
    flags: optionNames('lLsSrPW', '--list --listfiles --status --search --show --remove --purge --version --no-pager'),
    valued: ['-f', '--showformat'],
  },
  {
    names: ['apt-cache'],
    answers: SAYS,
    flags: optionNames('qanif', '--quiet --all-versions --names-only --installed --full --recurse --version'),
  },
  {
    names: ['rpm'],
    answers: SAYS,
    flags: optionNames(
      'qailLsScdRevhfp',
      '--query --all --info --list --listfiles --state --last --requires --provides --changelog --scripts --docfiles --configfiles --whatprovides --whatrequires --erase --nodeps --noscripts --test --verbose --version --file --package',
    ),
    // To no letter: what stands behind `-f` in one word is letters of options.
    valued: ['--qf', '--queryformat'],
  },
];
