import type { ListedCall } from './listed-call.ts';

const COUNT = /^\d{1,9}$/;
const NAME = /^[A-Za-z0-9@][A-Za-z0-9@._:+~-]*$/;
const TIME = /^[A-Za-z0-9:. +-]{1,40}$/;

/**
 * Everything that runs without a person, for the class of a command says what it is for and not what it can be made to do: an
 * option, a file of configuration in its folder or a template may name programs, and files beyond what was granted. What is
 * not listed is asked about. Programs whose configuration comes from where they are called (npm, cargo, terraform, compose …) are
 * not here, nor is what prints secrets (`docker inspect`, `ps e`, `kubectl get secret`).
 */
export const ALONE: readonly ListedCall[] = [
  { programs: ['true', 'false'], operands: 'words' },
  { programs: ['echo', 'printf', 'sleep', 'seq', 'basename', 'dirname'], operands: 'words' },
  { programs: ['pwd', 'whoami', 'nproc', 'arch', 'uptime', 'hostname'], operands: 'none' },
  { programs: ['uname'], flags: /^(-[asnrvmpio]+)$/, operands: 'none' },
  { programs: ['id', 'groups'], flags: /^-[unGgr]+$/, operands: 'names' },
  { programs: ['date'], flags: /^(-u|--utc|-R|-I)$/, operands: 'none' },
  { programs: ['free'], flags: /^-[bkmghwt]+$/, operands: 'none' },
  { programs: ['df'], flags: /^(-[ahHiklPT]+|--total)$/, operands: 'none' },
  { programs: ['ps'], flags: /^-(A|e|f|ef|eF|aux)$/, operands: 'none' },
  { programs: ['ps'], words: ['aux', 'ax', 'auxf', 'axf'], operands: 'none' },
  { programs: ['lsblk', 'lscpu', 'lsmem'], flags: /^-[abfpJ]+$/, operands: 'none' },
  { programs: ['who', 'w'], flags: /^-[abdhsHqu]+$/, operands: 'none' },
  {
    programs: ['systemctl'],
    words: [
      'status',
      'list-units',
      'list-unit-files',
      'list-timers',
      'list-sockets',
      'is-active',
      'is-enabled',
      'is-failed',
    ],
    flags: /^(--no-pager|-l|--full|-a|--all|-q|--quiet|--failed|--no-legend|--plain)$/,
    valued: { '-t': NAME, '--type': NAME, '--state': NAME },
    operands: 'names',
  },
  {
    programs: ['journalctl'],
    flags: /^(--no-pager|-r|--reverse|-x|-e|-k|--dmesg|-b|-q|--quiet|--utc|-a|--no-hostname)$/,
    valued: {
      ...{ '-u': NAME, '--unit': NAME, '-n': COUNT, '--lines': COUNT, '-p': NAME, '--priority': NAME },
      ...{ '-o': /^[a-z-]+$/, '-S': TIME, '--since': TIME, '-U': TIME, '--until': TIME },
    },
    operands: 'none',
  },
  { programs: ['ss'], flags: /^-[tulnpa46xw]+$/, operands: 'none' },
  {
    programs: ['ip'],
    words: ['addr', 'address', 'a', 'link', 'route', 'neigh'],
    flags: /^-(4|6|br|brief|c|o|j|s|d)$/,
    operands: 'none',
  },
  {
    programs: ['ping', 'ping6'],
    flags: /^-[46nq]+$/,
    valued: { '-c': COUNT, '-W': COUNT, '-w': COUNT },
    operands: 'names',
  },
  { programs: ['host', 'nslookup', 'dig'], operands: 'names' },
  {
    programs: ['docker', 'podman'],
    words: ['ps', 'images', 'version', 'info', 'logs', 'stats', 'port'],
    flags: /^(-a|--all|-q|--quiet|--no-trunc|--no-stream|-s|--size|-t|--timestamps)$/,
    valued: { '-n': COUNT, '--tail': COUNT, '--since': TIME, '--until': TIME },
    operands: 'names',
  },
  {
    programs: ['apt', 'aptitude'],
    words: ['list', 'show', 'search'],
    flags: /^(--upgradable|--installed|-a|-q)$/,
    operands: 'names',
  },
  { programs: ['apt-cache'], words: ['policy', 'show', 'search', 'depends', 'rdepends'], operands: 'names' },
  { programs: ['dpkg', 'dpkg-query'], flags: /^(-l|--list|-s|--status|-L|--listfiles|-W|--show)$/, operands: 'names' },
  { programs: ['rpm'], flags: /^-q[ailc]?$/, operands: 'names' },
  { programs: ['cat', 'tac', 'nl'], flags: /^-[AbeEnstTuv]+$/, operands: 'paths' },
  {
    programs: ['head', 'tail'],
    flags: /^(-\d{1,9}|-q|-v)$/,
    valued: { '-n': /^[+-]?\d{1,9}$/, '-c': /^[+-]?\d{1,9}$/ },
    operands: 'paths',
  },
  { programs: ['wc'], flags: /^-[clmwL]+$/, operands: 'paths' },
  { programs: ['ls'], flags: /^-[aAlhtrRSF1dsin]+$/, operands: 'paths' },
  { programs: ['stat'], flags: /^-[ft]$/, operands: 'paths' },
  { programs: ['du'], flags: /^-[achksmx]+$/, operands: 'paths' },
  { programs: ['md5sum', 'sha1sum', 'sha256sum', 'sha512sum', 'cksum'], operands: 'paths' },
  { programs: ['cmp'], flags: /^-[bls]+$/, operands: 'paths' },
  {
    programs: ['grep', 'egrep', 'fgrep'],
    flags: /^-[cEFHhiLlnorsvwx]+$/,
    valued: { '-A': COUNT, '-B': COUNT, '-C': COUNT, '-m': COUNT },
    operands: 'pattern-paths',
  },
  {
    programs: ['git'],
    words: [
      'status',
      'log',
      'diff',
      'show',
      'rev-parse',
      'ls-files',
      'ls-tree',
      'blame',
      'describe',
      'shortlog',
      'rev-list',
      'merge-base',
    ],
    flags:
      /^(-\d{1,6}|-s|--short|-b|--branch|--porcelain|--oneline|--graph|--all|--stat|--name-only|--name-status|--cached|--staged|--no-color|--summary|--decorate|-p|--patch|--abbrev-ref|--show-toplevel|--verify)$/,
    valued: { '-n': COUNT },
    operands: 'revisions',
    repository: true,
  },
  // Without an option some wait for a text that nobody gives them.
  {
    programs: [
      ...[
        'git',
        'docker',
        'podman',
        'kubectl',
        'helm',
        'curl',
        'wget',
        'ssh',
        'rsync',
        'jq',
        'rg',
        'sed',
        'tar',
        'gzip',
      ],
      ...['psql', 'mysql', 'bash', 'systemctl', 'journalctl'],
    ],
    flags: /^(--version|-V)$/,
    operands: 'none',
  },
  {
    programs: ['git'],
    words: ['branch', 'tag'],
    flags: /^(-[arv]|-vv|--list|--show-current)$/,
    operands: 'none',
    repository: true,
  },
  { programs: ['unzip'], flags: /^-l$/, operands: 'paths' },
  { programs: ['sysctl'], flags: /^-[an]$/, operands: 'names' },
  { programs: ['mount'], operands: 'none' },
];
