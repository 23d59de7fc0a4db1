import type { ProgramSpec } from '../types.ts';
import { optionNames, SAYS, wordList } from './option-names.ts';

const PYTHON_PROJECT = {
  flags: optionNames('qvnVh', '--quiet --verbose --version --help'),
  behindCommand: {
    flags: optionNames(
      'DU',
      '--upgrade --dev --no-dev --frozen --locked --all-extras --all-groups --no-root --no-interaction --sync --dry-run --no-cache --no-deps',
    ),
    valued: wordList('-G --group -E --extras --extra --only --with --without'),
  },
};

/** Options of those of node that take no value, `--filter` and what else leads elsewhere aside. */
const NODE =
  '--global --save --save-dev --save-exact --save-optional --save-peer --save-prod --no-save --dev --exact --production --prod --optional --legacy-peer-deps --strict-peer-deps --audit --no-audit --fund --no-fund --ignore-scripts --force --yes --dry-run --offline --prefer-offline --package-lock-only --lockfile-only --frozen-lockfile --no-frozen-lockfile --immutable --no-optional --json --long --all --parseable --silent --quiet --verbose --progress --no-progress --non-interactive --check-files --recursive --workspaces --include-workspace-root --latest --provenance --if-present --version --help';

/** Package managers: each reads the same letters in another way. Settings, folders and places that a package comes from are known of none. */
export const MANAGERS: readonly ProgramSpec[] = [
  {
    names: wordList('apt apt-get aptitude'),
    answers: [...SAYS, '-v', '-h', 'help'],
    explains: '--help',
    flags: optionNames(
      'yqdsfumV',
      '--yes --assume-yes --assume-no --quiet --no-install-recommends --install-recommends --install-suggests --reinstall --only-upgrade --no-upgrade --upgrade --purge --simulate --dry-run --download-only --fix-broken --fix-missing --ignore-missing --ignore-hold --allow-downgrades --allow-remove-essential --allow-change-held-packages --no-remove --auto-remove --autoremove --upgradable --upgradeable --installed --all-versions --manual-installed --names-only --full --version --verbose --help --show-progress',
    ),
    valued: ['-t', '--target-release'],
    elsewhere: ['-t', '--target-release'],
    // In front of the command it takes the next argument for an architecture.
    behindCommand: { flags: ['-a'] },
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
      'quUfvail',
      '--quiet --no-cache --update-cache --update --upgrade --force --verbose --latest --simulate --all --installed --purge --version --help',
    ),
    behindCommand: { valued: ['-t', '--virtual'] },
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
    behindCommand: {
      flags: wordList('--classic --edge --beta --candidate --stable --purge --no-wait --all --version --help'),
      valued: ['--channel', '--revision'],
    },
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
    valued: wordList(
      '-w --workspace --prefix -C --omit --include --depth --loglevel --access --tag --otp --audit-level',
    ),
    elsewhere: ['--prefix', '-C'],
    folders: ['--prefix', '-C'],
  },
  {
    names: ['pnpm'],
    flags: optionNames(
      'rsy',
      '--version --recursive --silent --yes --json --offline --prefer-offline --ignore-scripts --lockfile-only --frozen-lockfile --no-frozen-lockfile --include-workspace-root --if-present',
    ),
    valued: ['-F', '--filter', '--prefix', '--dir', '-C'],
    // What it does not know in front of the command may take that, and did to some versions.
    behindCommand: {
      flags: optionNames('gDPOEfwv', NODE),
      valued: ['--depth', '--loglevel', '--tag', '--otp', '--access'],
    },
    elsewhere: ['--prefix', '--dir', '-C'],
    folders: ['--prefix', '--dir', '-C'],
  },
  // In front of the command each letter is another option to each, and some take a value, which `bun -e` runs.
  { names: ['yarn', 'bun'], flags: ['--version'], behindCommand: { flags: optionNames('gDdEPOWfys', NODE) } },
  {
    names: ['pip', 'pip3', 'pipx'],
    answers: [...SAYS, '-V', '-h', 'help'],
    explains: '--help',
    flags: optionNames(
      'UqvylVha',
      '--upgrade --user --quiet --verbose --yes --no-deps --no-cache-dir --pre --force-reinstall --ignore-installed --no-input --disable-pip-version-check --no-python-version-warning --dry-run --require-hashes --outdated --uptodate --local --json --short --include-deps --force --no-warn-script-location --break-system-packages --all --version --help',
    ),
    valued: ['--only-binary', '--no-binary', '--format', '--progress-bar'],
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
      '--release --locked --offline --frozen --quiet --verbose --force --all --workspace --all-targets --all-features --no-default-features --lib --bins --tests --examples --benches --doc --no-run --no-fail-fast --dry-run --dev --build --optional --version --aggressive --undo --keep-going --allow-dirty --check --no-deps --duplicates --open --document-private-items --help --list',
    ),
    valued: wordList('-p --package -j --jobs -F --features --precise --depth --format-version --message-format'),
    // A name may be left out, and is the next argument where one stands there.
    behindCommand: { valued: wordList('--bin --test --example --version --vers') },
  },
  {
    names: ['go'],
    singleDash: true,
    flags: wordList(
      '-v -x -n -a -u -t -m -json -race -short -cover -benchmem -failfast -trimpath -cache -testcache -modcache -d',
    ),
    valued: wordList('-count -timeout -parallel -run -skip -bench -tags -shuffle -list'),
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
