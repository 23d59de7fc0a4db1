import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classify = (...argv: string[]) => classifier.classify(argv, { host: 'self', cwd: '/w', workspace: '/w' });

describe('a variable that is set for a command', () => {
  it.each([
    ...['XDG_CONFIG_HOME=/w/x', 'RUSTC_WRAPPER=./p', 'GOFLAGS=-toolexec=./p', 'CC=./p', 'MAKEFLAGS=x', 'LUA_INIT=x'],
    ...['GCONV_PATH=.', 'OPENSSL_CONF=./x', 'OPENSSL_MODULES=.', 'DOTNET_STARTUP_HOOKS=./x', 'APT_CONFIG=./x'],
    ...['RIPGREP_CONFIG_PATH=./x', 'PSQLRC=./x', 'ANSIBLE_CONFIG=./x', 'LD_PRELOAD=./x.so', 'PATH=.', 'GIT_DIR=x'],
    ...[
      'DEBIAN_FRONTEND=noninteractive@exec',
      'DEBIAN_FRONTEND=x',
      'LANG=x@y',
      'CI=a:b',
      'DEBUG=a@b',
      'TERM=a@b',
      'VERBOSE=a@b',
    ],
    ...['A_NAME_NOBODY_KNOWS=1', 'lang=C', 'TZ=/w/x', 'TZ=:/w/x', 'TZ=../x', 'LANG=../x', 'TERM=./x', 'COLUMNS=a'],
  ])('decides what else runs, and needs the shell: %s', (text) => {
    for (const given of [classify('env', text, 'ls'), classify('sh', '-c', `${text} ls`)])
      expect([given.class, given.needs]).toEqual(['destructive', ['destructive', 'read_files', 'shell']]);
  });

  it.each([
    ...['LANG=C', 'LANG=de_DE.UTF-8', 'LC_ALL=C', 'LANGUAGE=de:en', 'TZ=UTC', 'TZ=Europe/Berlin', 'TERM=dumb'],
    ...['COLUMNS=200', 'LINES=50', 'NO_COLOR=1', 'FORCE_COLOR=0', 'CLICOLOR_FORCE=1', 'CI=true', 'DEBUG=app:*'],
    ...['DEBIAN_FRONTEND=noninteractive', 'LS_COLORS=di=01;34', 'LANG='],
  ])('is about showing only, and changes nothing: %s', (text) => {
    const { class: is, needs } = classify('env', text, 'ls');
    expect([is, needs]).toEqual(['read', ['read_files']]);
  });
});

it('decides with a value that is evaluated', () => {
  expect(classify('env', 'DEBIAN_FRONTEND=noninteractive;exec v47', 'apt-get', 'install', 'x').needs).toContain(
    'shell',
  );
});

it('leaves a target where a number is set, and none where words are', () => {
  expect(classify('env', 'FOO=1', 'rm', 'x')).toMatchObject({ target: 'self/path//w/x' });
  for (const text of ['FOO=a', 'HOME=1', 'BASH_ENV=1', 'CI=/x'])
    expect(classify('env', text, 'rm', 'x')).not.toHaveProperty('target');
});
