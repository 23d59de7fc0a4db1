import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MOST_NESTED } from './beneath.ts';
import { hasGitName, isGitName, walkTree } from './tree-walk.ts';

/** Every character that may be seen by nobody, and some that may. */
const FORMAT = Array.from({ length: 0x3000 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
  /\p{Cf}/u.test(one),
);
const MORE = [
  '\ufeff',
  '\ufff9',
  '\ufffb',
  '\ufffd',
  '\ufffe',
  '\uffff',
  '\u{1fffe}',
  '\u{110bd}',
  '\u{1bca0}',
  '\u{e0001}',
  '\u{e0061}',
  'é',
  '\u0130',
  '\u017f',
];
const ENDS = ['', '.', ' ', ' . .', ':x', '::$INDEX_ALLOCATION', '\\x', '.\\x', 'x', '~1', '. x', '\t', '\n'];
const STARTS = [
  '.git',
  '.GIT',
  '.Git',
  'git~1',
  'GIT~1',
  'git~2',
  '.g',
  'git',
  'a\\.git',
  'a\\GIT~1',
  '\\.git',
  'a:.git',
  ' .git',
  '..git',
];

function names(): readonly Buffer[] {
  const texts = [
    ...STARTS.flatMap((start) => ENDS.map((end) => start + end)),
    ...[...FORMAT, ...MORE].flatMap((one) => [`.g${one}it`, `${one}.git`, `.git${one}`, `.git${one} `, `git~${one}1`]),
  ];
  const broken = [[0xff], [0xe2, 0x80], [0xc0, 0x80], [0xed, 0xa0, 0x80]].flatMap((bytes) =>
    ['.git', '.g', ''].map((start) => Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from('it')])),
  );
  return [
    ...texts.map((text) => Buffer.from(text)),
    ...broken,
    Buffer.from('2e676974ff', 'hex'),
    Buffer.from('2e676974ff20', 'hex'),
  ];
}

it('a name is one of git exactly where git takes nothing under it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'writ-names-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const git = (args: readonly string[], input: Uint8Array = new Uint8Array()): Buffer => {
    const settings = ['-c', 'core.protectHFS=true', '-c', 'core.protectNTFS=true'];
    return execFileSync('git', [...settings, ...args], { cwd: dir, input, stdio: ['pipe', 'pipe', 'ignore'] });
  };
  git(['init', '--quiet']);
  const id = git(['hash-object', '-w', '--stdin']).toString().trim();
  const all = [...new Map(names().map((name) => [name.toString('latin1'), name])).values()];
  const entries = all.map((name) => Buffer.concat([Buffer.from(`100644 ${id}\tin/`), name, Buffer.from('/file\0')]));
  git(['update-index', '-z', '--index-info'], Buffer.concat(entries));
  const taken = new Set(git(['ls-files', '-z']).toString('latin1').split('\0'));
  const byGit = all.filter((name) => !taken.has(`in/${name.toString('latin1')}/file`));
  const text = (list: readonly Buffer[]): readonly string[] =>
    list.map((name) => JSON.stringify(name.toString('latin1')));
  expect(text(all.filter(isGitName))).toEqual(text(byGit));
  expect(text(all.filter((name) => hasGitName(Buffer.concat([Buffer.from('in/'), name]))))).toEqual(text(byGit));
  expect(byGit.length).toBeGreaterThan(50);
});

it('no more folders are open at once than may be nested', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'writ-nested-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const walk = () => walkTree(dir, { platform: process.platform, maxEntries: 1000, refuse: (why) => new Error(why) });
  await mkdir(join(dir, 'd/'.repeat(MOST_NESTED)), { recursive: true });
  expect((await walk()).folders.size).toBe(MOST_NESTED);
  await mkdir(join(dir, 'd/'.repeat(MOST_NESTED + 1)));
  await expect(walk()).rejects.toThrow('there are more than 256 folders inside each other');
});
