import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classOf = (...argv: string[]) => classifier.classify(argv, { host: 'self', cwd: '/w', workspace: '/w' }).class;

/** Part of a list whose place is a command: wherever a shell takes it for a name or a number, the command runs. */
const RUNS = "'a[$(touch p)]'";

/** What some shell evaluates, sets or runs, in forms that a grammar sees as plain words. */
const EVALUATED: readonly string[] = [
  ...[`printf -v ${RUNS} x`, `printf -va[0] x`, `printf %d ${RUNS}`, `printf '%*d' ${RUNS} 1`, `printf '%n' ${RUNS}`],
  ...[
    `printf '%s\n%d' x ${RUNS}`,
    `printf '%(%s)T' ${RUNS}`,
    'printf -v PATH /tmp',
    'printf %n PATH',
    `printf -- -v x`,
  ],
  ...['printf * x', 'printf ./* x', `printf '%s %d' a b`],
  ...[
    `test -v ${RUNS}`,
    `test ! -v ${RUNS}`,
    `test -R ${RUNS}`,
    `test -t ${RUNS}`,
    `test -o ${RUNS}`,
    `'[' -v ${RUNS} ']'`,
  ],
  ...[
    `test 1 -eq ${RUNS}`,
    `test ${RUNS} -lt 1`,
    'test b -eq 1',
    `test -f x -a -v ${RUNS}`,
    'test -f *',
    `[ -v ${RUNS} ]`,
  ],
  ...[
    `[[ -v ${RUNS} ]]`,
    `[[ ${RUNS} -eq 1 ]]`,
    `'[[' -v ${RUNS} ']]'`,
    `(( ${RUNS} ))`,
    '((b))',
    `let ${RUNS}`,
    `'let' ${RUNS}`,
  ],
  ...[
    'read x',
    `read ${RUNS} <<< x`,
    `'read' -a ${RUNS}`,
    'read PATH <<< /tmp; ls',
    `mapfile -C 'rm x #' -c 1`,
    `readarray ${RUNS}`,
  ],
  ...['declare', 'typeset', 'local', 'export', 'readonly'].flatMap((word) => [
    `${word} ${RUNS}=1`,
    `'${word}' ${RUNS}=1`,
    `builtin ${word} ${RUNS}=1`,
    `command ${word} PATH=/tmp`,
    `"${word}" -i b=x`,
  ]),
  ...[
    `unset ${RUNS}`,
    `'unset' ${RUNS}`,
    `builtin unset ${RUNS}`,
    `wait -p ${RUNS} -n`,
    'wait -p PATH',
    `wait ${RUNS}`,
  ],
  ...['exit', 'return', 'break', 'continue', 'shift', 'umask', 'ulimit -n'].map((word) => `${word} ${RUNS}`),
  ...[
    `set -A ${RUNS} x`,
    `set +A ${RUNS} x`,
    'set -o allexport',
    'set -k',
    'set -- x',
    `getopts a ${RUNS} -a`,
    'getopts a PATH',
  ],
  ...[
    `compgen -W '$(touch p)'`,
    'compgen -C rm',
    'complete -C rm x',
    'jobs -x rm x',
    'fc -s x',
    `fc -e 'rm x'`,
    'history -r x',
  ],
  ...[
    `bind -x '"a": rm x'`,
    'enable -f ./x.so x',
    'hash -p ./x ls',
    'alias ls=rm',
    'shopt -s extglob',
    'trap rm EXIT',
    '. ./x',
  ],
  ...[
    'source x',
    'eval rm x',
    'coproc rm x',
    'repeat 1 rm x',
    'noglob rm x',
    '- rm x',
    'emulate sh -c x',
    'autoload x',
  ],
  ...[
    'let x=1',
    'print -v PATH x',
    'pushd +x',
    'dirs -c',
    'zmodload x',
    'setopt globsubst',
    'nocorrect rm x',
    'sched 1 rm x',
  ],
  // What is assigned is evaluated where a number is meant, or later.
  ...['RANDOM', 'SRANDOM', 'OPTIND', 'SECONDS', 'HISTCMD', 'COLUMNS', 'LINES', 'SHLVL', 'b', 'LANG'].map(
    (name) => `${name}=${RUNS}`,
  ),
  ...[
    `: ${RUNS}; RANDOM=_`,
    `COLUMNS=_ ls`,
    `b=${RUNS} ls`,
    "b='`rm x`'",
    `env b=${RUNS} ls`,
    'env COLUMNS=x ls',
    `b+=${RUNS}`,
  ],
  ...[`b='x[$(rm x)]'; echo {a[b]}>/dev/null`, 'echo {a[b]}>/dev/null', 'echo hi {PATH}>&1', 'echo {a[b]}</dev/null'],
  ...['FPATH=x ls', 'NULLCMD=rm', 'READNULLCMD=rm', 'BASH_LOADABLES_PATH=x', 'a[0]=1', 'a=(x)', "a['$(x)']=1"],
];

describe('what a shell evaluates', () => {
  it.each(EVALUATED)('is destructive, since nobody knows what it runs: %s', (script) => {
    expect([classOf('bash', '-c', script), classOf('dash', '-c', script)]).toEqual(['destructive', 'destructive']);
  });

  it.each([
    ...[
      'printf "%s\\n" a',
      "printf '%s' -v",
      "printf -- '%5d' 12",
      "printf '100%% of %b' x",
      'printf "%s" *.log',
      'printf a',
    ],
    ...[
      'test -f a',
      "test '!' -d 'a b'",
      'test a = b',
      'test 1 -lt 2',
      'test',
      "test ''",
      'exit',
      'exit 1',
      'set -e',
      'set +x',
    ],
    ...[
      'set -euo pipefail',
      'umask 077',
      'umask -S u=rwx,go=',
      'ulimit -n 1024',
      'ulimit -a',
      'wait',
      'wait -n 12',
      'shift 2',
    ],
    ...['echo -v x', "echo 'a[$(touch p)]'", 'cd x', ': x', 'COLUMNS=200 ps aux', 'LANG=C ls', 'echo {} >/dev/null'],
    ...['ls {a,b} >/dev/null', '{ ls; } >/dev/null', '{ ls; }>/dev/null'],
  ])('is none of this, which reads: %s', (script) => expect(classOf('bash', '-c', script)).toBe('read'));

  it('is no file of that name', () => {
    expect(classOf('./test', 'x')).toBe('config-mutation');
    expect(classOf('sh', '-c', './read x')).toBe('config-mutation');
  });
});

describe('a shell whose texts the grammar does not know', () => {
  it.each([
    "echo *(Ne:'rm x':)",
    'ls ./*(+f)',
    'ls *',
    '=rm x',
    "x='a[$(rm x)]'",
    'NULLCMD=rm; > x',
    'repeat 2 rm x',
    'noglob rm x',
    '- rm x',
    'print x',
    'x=1 y=(2)',
    'ls ~x',
    'echo "a"',
    'ls {a,b}',
    'ls > x',
    'FPATH=/tmp f',
  ])('is looked into where it is plain: %s', (script) => {
    for (const shell of ['zsh', 'ksh', 'mksh'])
      expect([shell, classOf(shell, '-c', script)]).toEqual([shell, 'destructive']);
  });

  it('and says what plain texts do', () => {
    for (const shell of ['zsh', 'ksh', 'mksh']) {
      expect(classOf(shell, '-c', 'df -h && ls --color=never | head -n 1')).toBe('read');
      expect(classOf(shell, '-c', 'systemctl restart nginx')).toBe('config-mutation');
      expect(classOf(shell, '-c', 'rm x')).toBe('destructive');
    }
  });
});
