import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectEvidence } from './collect.ts';
import { createFixture, type Fixture } from './testing/fixture.ts';
import type { Changes } from './types.ts';

let f: Fixture;
let base: string;
let here: Changes;
beforeAll(async () => {
  f = createFixture();
  f.write(f.owner, {
    'a.txt': 'one\ntwo\n',
    'moved.txt': 'm\n'.repeat(20),
    'dir/ü.txt': 'ü\n',
    '.gitignore': '*.log\n',
  });
  base = f.commit(f.owner);
  f.clone();
  f.write(f.work, {
    ...{
      'a.txt': 'one\r\n2\n',
      'dir/ü.txt': 'ö\n',
      'renamed.txt': 'm\n'.repeat(20),
      'İ.txt': 'i\n',
      'tab\t.txt': 't\n',
    },
    ...{ 'bin.dat': Buffer.alloc(3000, 7), 'x.log': 'ignored\n', '~backup': 'b\n', 'image.psd': 'p\n' },
  });
  f.git(f.work, 'rm', '--quiet', 'moved.txt');
  here = await collectEvidence(f.request(base));
  expect(here).toMatchObject({ kind: 'changed' });
});
afterAll(() => f.remove());

/** Settings that change what git says about the same files, wherever git looks for settings. */
const SETTINGS = `[core]
	quotePath = false
	autocrlf = true
	fileMode = false
	ignoreCase = true
	excludesFile = ~/ignore
	attributesFile = ~/attributes
	abbrev = 5
	precomposeUnicode = true
[diff]
	context = 9
	interHunkContext = 9
	noprefix = true
	mnemonicPrefix = true
	renames = copies
	algorithm = patience
	external = false
	orderFile = /etc/passwd
	ignoreSubmodules = all
	colorMoved = zebra
[color]
	ui = always
[i18n]
	logOutputEncoding = ISO-8859-1
	commitEncoding = ISO-8859-1
[status]
	showUntrackedFiles = no
[format]
	pretty = raw
[user]
	name = Somebody
[bundle]
	version = 3
[pack]
	compression = 9
[index]
	version = 4
`;

/** What an environment and a home of a node may be like. */
const PLACES: readonly [string, Readonly<Record<string, string>>, number][] = [
  ['another locale', { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', LANGUAGE: 'tr', LC_CTYPE: 'tr_TR.UTF-8' }, 0o022],
  ['no locale and a closed umask', { LANG: '', LC_ALL: '' }, 0o077],
  ['an open umask', { LC_ALL: 'C' }, 0o000],
  ['settings of a home and of the system', { HOME: '', XDG_CONFIG_HOME: '', GIT_CONFIG_SYSTEM: '' }, 0o027],
  [
    'settings in the environment',
    {
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'diff.noprefix',
      GIT_CONFIG_VALUE_0: 'true',
      GIT_CONFIG_KEY_1: 'core.quotePath',
      GIT_CONFIG_VALUE_1: 'false',
      GIT_CONFIG_PARAMETERS: "'diff.context=9'",
      GIT_DIFF_OPTS: '--unified=9',
      GIT_EXTERNAL_DIFF: 'false',
    },
    0o022,
  ],
  [
    'a repository in the environment',
    {
      GIT_DIR: '/nonexistent',
      GIT_WORK_TREE: '/',
      GIT_INDEX_FILE: '/nonexistent/index',
      GIT_OBJECT_DIRECTORY: '/nonexistent/objects',
      GIT_NAMESPACE: 'other',
      GIT_AUTHOR_NAME: 'Somebody',
      GIT_COMMITTER_DATE: '1 +0500',
      GIT_GLOB_PATHSPECS: '1',
      TZ: 'Pacific/Kiritimati',
    },
    0o022,
  ],
];

describe('what a task has changed', () => {
  it.each(PLACES)('is byte for byte the same on a node with %s', async (_, environment, mask) => {
    const home = join(f.root, 'home');
    const files = {
      '.gitconfig': SETTINGS,
      '.config/git/config': SETTINGS,
      ignore: '*\n',
      attributes: '* -diff eol=crlf\n',
    };
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), content);
    }
    const own = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), GIT_CONFIG_SYSTEM: join(home, '.gitconfig') };
    const before = { ...process.env };
    const umask = process.umask(mask);
    Object.assign(process.env, environment, own);
    try {
      expect(await collectEvidence(f.request(base))).toEqual(here);
    } finally {
      process.umask(umask);
      for (const name of Object.keys({ ...environment, ...own })) delete process.env[name];
      Object.assign(process.env, before);
    }
  });

  it('is the same whatever the clone says about itself', async () => {
    const config = join(f.work, '.git', 'config');
    writeFileSync(config, SETTINGS, { flag: 'a' });
    expect(await collectEvidence(f.request(base))).toEqual(here);
  });
});
