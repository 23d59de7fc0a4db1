import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLE_REF } from './collect.ts';
import { type Shipment, shipWorkingTree } from './ship.ts';
import { createFixture, type Fixture, LIMITS, NODE_ID, TASK } from './testing/fixture.ts';

let f: Fixture;
beforeEach(() => {
  f = createFixture();
  f.write(f.owner, { 'top.txt': 'one\n' });
  f.commit(f.owner);
  f.write(f.owner, { 'secret.env': 'KEY=secret\n', new: 'n\n' });
  f.write(f.root, { ignored: 'secret.env\n' });
});
afterEach(() => f.remove());

const ship = (repository = f.owner): Promise<Shipment> =>
  shipWorkingTree({
    ...{ ...f.gitWork, guard: f.guard, repository, peerHas: [], nodeId: NODE_ID, task: TASK },
    ...{ store: f.store, limits: LIMITS, words: f.words },
  });

/** What is sent that is not committed. */
async function sent(repository = f.owner): Promise<readonly string[]> {
  const { commit, bundle } = await ship(repository);
  f.git(repository, 'fetch', '--quiet', await f.store.pathOf(bundle?.sha256 ?? ''), BUNDLE_REF);
  return f.git(repository, 'diff', '--name-only', 'HEAD', commit).split('\n');
}

/** Whether the owner's git ignores the file, as `git check-ignore` says it. */
function ignores(repository = f.owner): boolean {
  try {
    return f.git(repository, 'check-ignore', 'secret.env') === 'secret.env';
  } catch {
    return false;
  }
}

const everywhere = (...how: string[]): string => f.git(f.root, 'config', '--global', ...how);
/** Names the file of patterns in another file of settings. */
const ignoring = (file: string): string => f.git(f.root, 'config', '--file', file, 'core.excludesFile', '~/ignored');

/** What is set, by a condition that holds in the owner's repository (`true`) or does not. */
const CASES: readonly (readonly [string, boolean, () => void])[] = [
  ...(
    [
      ['gitdir:~/', true],
      ['gitdir:~/owner/', true],
      ['gitdir:~/owner', false],
      ['gitdir:~/OWNER/', false],
      ['gitdir/i:~/OWNER/', true],
      ['gitdir:./owner/', true],
      ['gitdir:owner/', true],
      ['gitdir:**/owner/**', true],
      ['gitdir:~/elsewhere/', false],
      ['onbranch:main', true],
      ['onbranch:ma*', true],
      ['onbranch:other/', false],
      ['hasconfig:remote.*.url:https://git.example.org/**', true],
      ['hasconfig:remote.*.url:https://other.example.org/**', false],
      ['nothing:known', false],
    ] as const
  ).map(([condition, holds]): readonly [string, boolean, () => void] => [
    `includeIf.${condition}`,
    holds,
    () => {
      f.git(f.owner, 'remote', 'add', 'origin', 'https://git.example.org/a');
      ignoring(join(f.root, 'more'));
      everywhere(`includeIf.${condition}.path`, 'more');
    },
  ]),
  ...['~/sub/more', 'sub/more', '%ROOT%/sub/more'].map((path): readonly [string, boolean, () => void] => [
    `a path ${path}`,
    true,
    () => {
      mkdirSync(join(f.root, 'sub'));
      ignoring(join(f.root, 'sub/more'));
      everywhere('includeIf.gitdir:~/owner/.path', path.replace('%ROOT%', f.root));
    },
  ]),
  [
    'files that include others',
    true,
    () => {
      everywhere('includeIf.onbranch:main.path', 'sub/one');
      mkdirSync(join(f.root, 'sub'));
      f.git(f.root, 'config', '--file', 'sub/one', 'includeIf.gitdir:~/owner/.path', '../two');
      ignoring(join(f.root, 'two'));
    },
  ],
  ['a file that is not there', false, () => everywhere('includeIf.gitdir:~/.path', 'nowhere')],
  [
    'what comes after it',
    false,
    () => {
      ignoring(join(f.root, 'more'));
      everywhere('includeIf.gitdir:~/.path', 'more');
      everywhere('core.excludesFile', '~/nowhere');
    },
  ],
  [
    'the repository',
    true,
    () => {
      ignoring(join(f.owner, '.git/more'));
      f.git(f.owner, 'config', 'include.path', 'more');
    },
  ],
  [
    'the repository, over what is said everywhere',
    false,
    () => {
      everywhere('core.excludesFile', '~/ignored');
      f.git(f.owner, 'config', '--file', '.git/more', 'core.excludesFile', '');
      f.git(f.owner, 'config', 'includeIf.onbranch:main.path', 'more');
    },
  ],
  [
    'the repository, by a remote that another file of it names',
    true,
    () => {
      ignoring(join(f.root, 'more'));
      everywhere('includeIf.hasconfig:remote.*.url:https://x.example.org/**.path', 'more');
      f.git(f.owner, 'config', '--file', '.git/remotes', 'remote.x.url', 'https://x.example.org/a');
      f.git(f.owner, 'config', 'include.path', 'remotes');
    },
  ],
  [
    'the settings of its working tree alone',
    true,
    () => {
      f.git(f.owner, 'config', 'extensions.worktreeConfig', 'true');
      ignoring(join(f.root, 'more'));
      f.git(f.owner, 'config', '--worktree', 'include.path', '~/more');
    },
  ],
];

describe('what the owner’s git goes by in a repository is what counts where it is shipped', () => {
  it.each(CASES)('%s (%s)', async (_, holds, arrange) => {
    arrange();
    expect(ignores()).toBe(holds);
    expect(await sent()).toEqual(holds ? ['new'] : ['new', 'secret.env']);
  });

  it('in a linked working tree', async () => {
    f.git(f.owner, 'worktree', 'add', '--quiet', '-b', 'other', join(f.root, 'linked'));
    f.write(join(f.root, 'linked'), { 'secret.env': 'KEY=secret\n', new: 'n\n' });
    ignoring(join(f.root, 'more'));
    everywhere('includeIf.onbranch:other.path', 'more');
    expect([ignores(), ignores(join(f.root, 'linked'))]).toEqual([false, true]);
    expect(await sent()).toEqual(['new', 'secret.env']);
    expect(await sent(join(f.root, 'linked'))).toEqual(['new']);
  });

  it('where its owner comes to it by a link, and where its path has signs that settings are written with', async () => {
    const odd = join(f.root, 'o "d\\d\n;#');
    f.git(f.root, 'clone', '--quiet', f.owner, odd);
    f.write(odd, { 'secret.env': 'KEY=secret\n', new: 'n\n' });
    symlinkSync(odd, join(f.root, 'work'));
    ignoring(join(f.root, 'more'));
    everywhere('includeIf.gitdir:~/work/.path', 'more');
    expect(await sent(odd)).toEqual(['new', 'secret.env']);
    expect(await sent(join(f.root, 'work'))).toEqual(['new']);
    f.git(odd, 'config', 'core.excludesFile', '~/ignored');
    expect(await sent(odd)).toEqual(['new']);
  });

  it.each<readonly [string, string, () => void]>([
    [
      'a circle',
      'exceeded maximum include depth',
      () => {
        f.git(f.root, 'config', '--file', 'more', 'include.path', 'more');
        everywhere('includeIf.gitdir:~/.path', 'more');
      },
    ],
    [
      'a circle of the repository’s',
      'exceeded maximum include depth',
      () => f.git(f.owner, 'config', 'include.path', 'config'),
    ],
    [
      'a file that is none of settings',
      'bad config line',
      () => {
        f.write(f.owner, { '.git/more': '[core' });
        f.git(f.owner, 'config', 'include.path', 'more');
      },
    ],
    [
      'a folder',
      'bad config',
      () => {
        mkdirSync(join(f.root, 'more'));
        everywhere('includeIf.gitdir:~/.path', 'more');
      },
    ],
  ])('or it is refused: %s', async (_, why, arrange) => {
    arrange();
    await expect(ship()).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining(why),
      nextSteps: [expect.stringContaining('git config --list'), expect.anything()],
    });
  });

  it('or it is refused: a pipe that nobody writes to', async () => {
    execFileSync('mkfifo', [join(f.owner, '.git/more')]);
    f.git(f.owner, 'config', 'include.path', 'more');
    await expect(ship()).rejects.toThrow('it took too long');
  });

  it('and runs nothing that files of the repository name, nor changes them', async () => {
    const programs = [
      'core.fsmonitor',
      'core.sshCommand',
      'core.pager',
      'core.editor',
      'alias.config',
      'filter.x.clean',
    ];
    const more = join(f.owner, '.git/more');
    for (const name of programs) f.git(f.owner, 'config', '--file', more, name, `touch ${join(f.root, 'ran')}; false`);
    f.git(f.owner, 'config', '--file', more, 'core.hooksPath', join(f.root, 'hooks'));
    f.git(f.owner, 'config', '--file', more, 'core.worktree', '/nowhere');
    f.git(f.owner, 'config', '--file', more, 'extensions.objectFormat', 'sha256');
    ignoring(more);
    f.write(f.owner, {
      '.git/config': `${readFileSync(join(f.owner, '.git/config'), 'utf8')}[include]\n\tpath = more\n`,
    });
    const files = (): string => execFileSync('find', [join(f.owner, '.git'), '-type', 'f', '-newer', more]).toString();
    const before = files();
    const { bundle } = await ship();
    expect(bundle).toBeDefined();
    expect(files()).toBe(before);
    expect(existsSync(join(f.root, 'ran'))).toBe(false);
  });
});
