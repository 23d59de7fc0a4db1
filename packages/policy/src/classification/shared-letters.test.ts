import { expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';
import { PACKS } from './packs/index.ts';
import { wordList } from './packs/option-names.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classify = (argv: readonly string[]) => classifier.classify(argv, { host: 'self', cwd: '/w', workspace: '/w' });

/** A letter takes the rest of its word to one program or command, and to these the rest is options, which run, read or write something. */
const HIDES: readonly (readonly string[])[] = [
  ...['git grep -nO./p x', 'git grep -LO./p x', 'git grep -GO./p x', 'git grep -nf/etc/shadow x'].map(wordList),
  ...['git blame -nS/etc/shadow x', 'git shortlog -nS/etc/x', 'kubectl logs -fs http://h x', 'mtr -pF /etc/shadow'].map(
    wordList,
  ),
  ['rpm', '-qfE', '%(id)', '/bin/ls'],
  ['rpm', '-qpE', '%(id)', 'x.rpm'],
  ['rpm', '-qfD', '_dbpath %(id)', '/bin/ls'],
  ['python3', '-Ic', 'import os'],
  ['perl', '-Xe', 'x'],
  ['perl', '-We', 'x'],
  ['ruby', '-We', 'x'],
  ['findmnt', '-UF', '/etc/shadow'],
  ['apk', 'info', '-tp', '/x'],
];

it.each(HIDES.map((argv) => [argv.join(' '), argv] as const))('hides no option behind a letter: %s', (_, argv) => {
  const { class: is, needs } = classify(argv);
  expect(is).not.toBe('read');
  expect(needs).toContain('shell');
});

it.each([
  ...[
    'git grep -n x',
    'git log -n5 -Sfoo',
    'git blame -L 1,5 a',
    'git shortlog -sn',
    'kubectl logs -f web',
    'rpm -qf /bin/ls',
  ],
  ...['mtr -rwc 5 h', 'lsof -iTCP -sTCP:LISTEN', 'blkid -U x', 'lsblk -o name'],
])('knows %s', (text) => expect(classify(text.split(' ')).class).toBe('read'));

/** Letters that take a value to every program of one description, as far as it has them at all. */
const SAME: Readonly<Record<string, string>> = {
  cp: '-t -S',
  touch: '',
  gzip: '-o',
  setcap: '-n -v',
  who: '-n',
  ps: '-o -p -C -u -U -g -G -t -P -d -E -O',
  df: '-o -t',
  sed: '-e -f',
  awk: '-F -v -f',
  apt: '-t',
  pip: '',
  uv: '-G -E',
  dpkg: '-f',
  ss: '-f -A',
  dig: '-x -t -q -p -W -h -c',
  ping: '-c -i -W -s -m -p -t',
  kubectl: '-n',
  docker: '-l',
  'docker-compose': '-p',
  mysql: '-e -h -u -D -P',
  make: '-C -f',
  userdel: '-G -g -u -c',
  iptables: '-A -D -C -I -R -P -N -X -E -t -p -s -d -i -o -j -m -g',
};

it('gives a letter of several programs a value only where all agree', () => {
  const shared = PACKS.flatMap(({ programs }) => programs).filter(({ names }) => names.length > 1);
  const doubtful = shared.flatMap(({ names: [name = ''], valued = [], singleDash }) => {
    const letters = singleDash ? [] : valued.filter((one) => /^-[^-]$/.test(one));
    const agreed = wordList(SAME[name] ?? '');
    return letters.filter((letter) => !agreed.includes(letter)).map((letter) => `${name} ${letter}`);
  });
  expect(doubtful).toEqual([]);
});
