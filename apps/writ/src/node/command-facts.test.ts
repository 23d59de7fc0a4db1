import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBasis } from '@writ/authority';
import { createPolicyEngine, type PolicyEngine } from '@writ/policy';
import { createFakeClock } from '@writ/testkit/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedGrammar } from '../testing/installed-grammar.ts';
import { createNodeClassifier, type NodeClassifier, placeOf } from './classification.ts';
import { createCommandFacts } from './command-facts.ts';

let root: string;
let engine: PolicyEngine;
let classifier: NodeClassifier;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'writ-facts-')));
  for (const folder of ['app/nested', 'open/home/keys', 'open/sub', 'other/in'])
    await mkdir(join(root, folder), { recursive: true });
  execFileSync('git', ['init', '-q', join(root, 'app')]);
  await writeFile(join(root, 'open/a'), '');
  await writeFile(join(root, 'open/home/keys/identity.pem'), '');
  await writeFile(join(root, 'other/b'), '');
  await symlink(join(root, 'other/b'), join(root, 'open/out'));
  await symlink(join(root, 'other/in'), join(root, 'open/away'));
  await symlink(join(root, 'other/later'), join(root, 'open/nowhere'));
  await writeFile(join(root, 'open/b'), '');
  engine = createPolicyEngine({ text: policy(root), clock: createFakeClock(0), selfId: 'wn-self' });
  classifier = createNodeClassifier(engine, await installedGrammar());
});
afterAll(() => rm(root, { recursive: true }));

function policy(folder: string): string {
  return `schema = 1
[node]
name = "box"
default_profile = "query"
[workspaces.app]
path = "${join(folder, 'app')}"
[workspaces.open]
path = "${join(folder, 'open')}"
[profiles.query]
capabilities = ["inspect_status", "read_repo"]
runner = "shell"
isolation = "none"
[profiles.reader]
capabilities = ["read_files"]
read_paths = ["${join(folder, 'open')}"]
runner = "shell"
isolation = "none"
[profiles.deployer]
capabilities = ["inspect_status", "read_repo"]
commands = [["./deploy", "staging"], ["node", "deploy.js"], ["backup-status"]]
runner = "shell"
isolation = "none"
[[commands]]
match = ["backup-status"]
class = "read"
needs = ["inspect_status"]
`;
}

/** What a command is asked about under. */
function factsAbout(
  argv: readonly string[],
  over: { cwd?: string; profile?: string; workspace?: string; stdin?: string; searchPath?: string } = {},
) {
  const { cwd = join(root, 'app'), profile = 'query', workspace, stdin, searchPath = '/usr/bin:/bin' } = over;
  const homes = [join(root, 'open/home')];
  const factsOf = createCommandFacts({
    engine,
    homes,
    searchPath,
    user: process.getuid?.(),
    resolvePath: (path) => path,
  });
  const subject = { from: 'self', origin: 'self', session: 's' };
  const basis = writeBasis({ subject, ask: { chain: [], ...(workspace === undefined ? {} : { workspace }) } });
  const classification = classifier.classify(argv, placeOf({ cwd }));
  return factsOf(classification, { argv, cwd, profile, basis, ...(stdin === undefined ? {} : { stdin }) });
}

const classOf: (...args: Parameters<typeof factsAbout>) => string = (...args) => factsAbout(...args).class;

describe('a command of class read is asked about like a change', () => {
  it.each([
    ['where an option names a file', ['grep', '--file=/dev/stdin', 'a'], { profile: 'reader', cwd: 'open' }],
    ['where something is put into it', ['apt-cache', 'policy'], { stdin: 'x' }],
    ['where the folder’s own configuration counts', ['npm', 'ls'], {}],
    ['outside the read paths', ['cat', '/etc/passwd'], { profile: 'reader' }],
    ['where a link leads out of them', ['cat', 'out'], { profile: 'reader', cwd: 'open' }],
    ['behind a link that a path only seems to leave', ['cat', 'away/../b'], { profile: 'reader', cwd: 'open' }],
    ['where one of two paths is outside', ['cat', 'a', '../other/b'], { profile: 'reader', cwd: 'open' }],
    ['in the node’s own home', ['cat', 'home/keys/identity.pem'], { profile: 'reader', cwd: 'open' }],
    ['above the node’s own home', ['grep', '-r', 'KEY', '.'], { profile: 'reader', cwd: 'open' }],
    ['where nothing is there yet', ['cat', 'later'], { profile: 'reader', cwd: 'open' }],
    [
      'where more paths are named than are looked up',
      ['cat', ...Array(65).fill('a')],
      { profile: 'reader', cwd: 'open' },
    ],
    ['without read paths', ['cat', 'a'], { profile: 'query', cwd: 'open' }],
    ['in a repository that is no workspace', ['git', 'status'], { workspace: 'app', cwd: 'other' }],
    [
      'in a folder of the workspace, which may be a repository of its own',
      ['git', 'status'],
      { workspace: 'app', cwd: 'app/nested' },
    ],
    ['in a workspace that was not asked for', ['git', 'status'], {}],
  ] as const)(
    '%s',
    (_, argv, { cwd, ...over }: { cwd?: string; profile?: string; workspace?: string; stdin?: string }) => {
      expect(classOf(argv, { ...over, ...(cwd === undefined ? {} : { cwd: join(root, cwd) }) })).toBe(
        'config-mutation',
      );
    },
  );
});

describe('a command of class read stays one', () => {
  it.each([
    ['where it names nothing', ['df', '-h'], {}],
    ['inside the read paths', ['cat', 'a'], { profile: 'reader', cwd: 'open' }],
    ['in a folder beside the home', ['ls', 'sub'], { profile: 'reader', cwd: 'open' }],
    ['in the workspace that was asked for', ['git', 'status'], { workspace: 'app' }],
    ['where the configuration says so', ['backup-status'], {}],
  ] as const)('%s', (_, argv, { cwd, ...over }: { cwd?: string; profile?: string; workspace?: string }) => {
    expect(classOf(argv, { ...over, ...(cwd === undefined ? {} : { cwd: join(root, cwd) }) })).toBe('read');
  });
});

describe('the target of a path', () => {
  const targetOf = (cwd: string, ...argv: string[]) => factsAbout(argv, { cwd: join(root, cwd) }).target;
  const path = (of: string) => `self/path/${join(root, of)}`;

  it('is where the links of its folders lead', () => {
    expect(targetOf('open', 'rm', 'b')).toBe(path('open/b'));
    expect(targetOf('open', 'rm', './sub/../../open/b')).toBeUndefined();
    expect(targetOf('open/sub', 'rm', '../b')).toBe(path('open/b'));
    expect(targetOf('open', 'rm', 'away/x')).toBe(path('other/in/x'));
    expect(targetOf('open/away', 'rm', 'x')).toBe(path('other/in/x'));
    expect(targetOf('open/away', 'rm', '../b')).toBe(path('other/b'));
  });

  it('is none where others may put a folder in another’s place, and in the node’s own home', async () => {
    await mkdir(join(root, 'open/sub/shared/deep'), { recursive: true });
    await chmod(join(root, 'open/sub/shared'), 0o777);
    expect(targetOf('open/sub', 'rm', 'shared/b')).toBeUndefined();
    expect(targetOf('open/sub', 'rm', 'shared/deep/b')).toBeUndefined();
    await chmod(join(root, 'open/sub/shared'), 0o1777);
    expect(targetOf('open/sub', 'rm', 'shared/b')).toBeUndefined();
    expect(targetOf('open/sub', 'rm', 'shared/deep/b')).toBe(path('open/sub/shared/deep/b'));
    await rm(join(root, 'open/sub/shared'), { recursive: true });
    expect(targetOf('open', 'rm', 'home/keys/identity.pem')).toBeUndefined();
    expect(targetOf('.', 'rm', '-r', 'open')).toBeUndefined();
  });

  it('is none where a name only looks like it: behind a link, a link itself, in a folder that is not there', () => {
    expect(targetOf('open', 'rm', 'away/../b')).toBeUndefined();
    expect(targetOf('open', 'rm', `${root}/open/away/../b`)).toBeUndefined();
    expect(targetOf('open', 'rm', 'out')).toBeUndefined();
    expect(targetOf('open', 'rm', 'none/b')).toBeUndefined();
    expect(targetOf('open', 'ssh', 'web1', 'rm', '/srv/b')).toBeUndefined();
  });

  it('is none where it leads each process elsewhere', () => {
    expect(targetOf('open', 'rm', '/proc/self/cwd/b')).toBeUndefined();
  });

  it('is told with its program where it is no path: another one may have its own of that name', () => {
    expect(factsAbout(['docker', 'rm', 'web']).target).toBe('self/container/web by docker');
    expect(factsAbout(['podman', 'rm', 'web']).target).toBe('self/container/web by podman');
  });
});

describe('what a folder leads is known to no window', () => {
  it.each([
    [['git', 'commit', '-m', 'x']],
    [['git', 'log', '-p']],
    [['npm', 'install', 'left-pad']],
    [['pip3', 'install', '.']],
    [['cargo', 'build']],
    [['sudo', 'make', 'install']],
    [['docker', 'compose', 'up']],
  ])('%j', (argv) => {
    expect(factsAbout(argv).known).toBe(false);
  });

  it('and what it does not lead is', () => {
    expect(factsAbout(['systemctl', 'restart', 'nginx']).known).toBe(true);
    expect(factsAbout(['docker', 'restart', 'web']).known).toBe(true);
    expect(factsAbout(['git', 'status'], { workspace: 'app' }).known).toBe(true);
  });
});

describe('a destructive window covers a removal that is on a list, and is written out', () => {
  it.each([
    [['rm', 'b'], true],
    [['sh', '-c', 'rm b'], false],
    [['sudo', 'rm', 'b'], false],
    [['find', '.', '-exec', 'rm', 'b', ';'], false],
    [['rm', '-rf', 'b'], true],
    [['rm', '--no-preserve-root', 'b'], false],
    [['truncate', '-s', '0', 'b'], true],
    [['truncate', '-r', 'a', 'b'], false],
    [['mkfs', '-t', 'x/p', 'b'], false],
    [['debugfs', '-fa', 'b'], false],
    [['shred', '--random-source=a', 'b'], false],
    [['dd', 'if=a', 'of=b'], false],
    [['docker', 'rm', '-f', 'web'], true],
    [['apt-get', 'purge', '-y', 'jq'], true],
    [['apt-get', 'purge', '-y', 'p.'], false],
    [['dnf', 'remove', '-y', 'python3.11'], true],
    [['apt-get', 'purge', '-o', 'Dpkg::Pre-Invoke::=id', 'jq'], false],
    [['kubectl', '--context', 'c', '-n', 'n', 'delete', 'pod', 'x'], true],
    [['kubectl', '--context', 'c', '-n', 'n', 'delete', 'pod', 'x', '--kubeconfig=y'], false],
    [['psql', '-h', 'db', '-d', 'app', '-c', 'drop table x'], false],
  ])('%j: %s', (argv, is) => {
    expect(factsAbout(argv, { cwd: join(root, 'open') })).toMatchObject({ class: 'destructive', known: is });
  });
});

describe('a window covers, besides its steps, what is on a list', () => {
  it.each([
    [['systemctl', 'restart', 'nginx'], true],
    [['apt-get', 'install', '-y', 'jq'], true],
    [['dnf', 'install', '-y', 'python3.11'], true],
    [['dnf', 'install', '-y', 'python3.11', 'gcc'], false],
    [['touch', 'a'], true],
    [['mkdir', '-p', 'x'], true],
    [['systemctl', 'start', 'debug-shell'], false],
    [['systemctl', 'stop', 'user@1000'], false],
    [['systemctl', 'restart', 'sshd'], false],
    // Who may run or write a file is for a person to say.
    [['chmod', '644', 'nested'], false],
    [['chmod', '4777', 'nested'], false],
    ...['-R', '-vR', '--recursive'].flatMap((flag) => [
      [['chmod', flag, '777', 'nested'], false] as const,
      [['chown', flag, 'nobody', 'nested'], false] as const,
      [['chgrp', flag, 'users', 'nested'], false] as const,
    ]),
    // Outside of the workspace, and where git runs what lies there.
    [['chmod', '777', '/etc/hosts'], false],
    [['chown', 'nobody', '../other/b'], false],
    [['chgrp', 'users', '/etc/hosts'], false],
    [['touch', '/etc/cron.d/x'], false],
    [['mkdir', '/etc/systemd/system/x.d'], false],
    [['mkdir', 'a', '../other/x'], false],
    [['chmod', '755', '.git/hooks/x'], false],
    [['mkdir', '.git'], false],
    [['cat', '/etc/passwd'], false],
    [['apt-cache', '-c=x', 'policy'], false],
    [['apt-get', '-o', 'APT::Update::Pre-Invoke::=x', 'update'], false],
    [['apt-get', 'install', './x.deb'], false],
    ...['x.rpm', 'x.deb', 'x.APK', 'x.snap', 'x.flatpak', 'x.flatpakref', 'x.rb', 'x.whl', 'x.tgz', 'x.tar.gz'].map(
      (name) => [['dnf', 'install', name], false] as const,
    ),
    ...['x.zip', 'a/x', 'http://x', 'x:y', 'jq-'].map((name) => [['apk', 'add', 'jq', name], false] as const),
    ...['pip', 'npm'].map((program) => [[program, 'install', 'x.tgz'], false] as const),
    [['docker', '--config', './d', 'restart', 'web'], false],
    [['systemctl', 'enable', '/tmp/x.service'], false],
    [['kubectl', 'apply', '-f', 'x.yaml'], false],
    [['sysctl', '-p', 'x'], false],
    [['sudo', 'systemctl', 'restart', 'nginx'], false],
  ] as const)('%j: %s', (argv, isCovered) => {
    const { class: is, known } = factsAbout(argv, { workspace: 'app' });
    expect(known && is === 'config-mutation').toBe(isCovered);
  });

  it('and no path where no workspace was asked for, or behind a link that leads out of it', () => {
    expect(factsAbout(['touch', 'a']).known).toBe(false);
    const inOpen = { cwd: join(root, 'open'), workspace: 'open' };
    expect(factsAbout(['touch', 'out'], inOpen).known).toBe(false);
    expect(factsAbout(['mkdir', 'away/x'], inOpen).known).toBe(false);
    expect(factsAbout(['touch', 'nowhere'], inOpen).known).toBe(false);
    expect(factsAbout(['mkdir', '-p', 'new/deep'], inOpen).known).toBe(true);
  });

  it('and nothing of the node’s own home', () => {
    const inOpen = { cwd: join(root, 'open'), workspace: 'open' };
    expect(factsAbout(['touch', 'home/keys/identity.pem'], inOpen).known).toBe(false);
    expect(factsAbout(['touch', 'home/new'], inOpen).known).toBe(false);
    expect(factsAbout(['touch', 'sub'], inOpen).known).toBe(true);
  });
});

describe('a program that PATH finds elsewhere than in the system', () => {
  it('is asked about each time, whatever it is called', async () => {
    const shadow = join(root, 'shadow');
    await mkdir(shadow);
    await writeFile(join(shadow, 'df'), '');
    const searchPath = `${shadow}:/usr/bin:/bin`;
    expect(factsAbout(['df', '-h'], { searchPath })).toMatchObject({ class: 'config-mutation', known: false });
    expect(factsAbout(['uname'], { searchPath })).toMatchObject({ class: 'read', known: true });
  });
});

it('a file of several names is the target of no window', async () => {
  await writeFile(join(root, 'other/named'), '');
  await link(join(root, 'other/named'), join(root, 'other/again'));
  expect(factsAbout(['rm', 'named'], { cwd: join(root, 'other') }).target).toBeUndefined();
});

it('a look at a repository that holds others is asked about: they obey configurations of their own', () => {
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', join(root, 'app'), ...args]);
  const look = () => classOf(['git', 'status'], { workspace: 'app' });
  expect(look()).toBe('read');
  git('init', '-q', 'sub');
  git('-C', 'sub', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
  git('-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
  expect(look()).toBe('config-mutation');
});

describe('a command that the profile lists, and no rule knows', () => {
  const needsOf = (argv: readonly string[], over: Parameters<typeof factsAbout>[1]): readonly string[] =>
    factsAbout(argv, { profile: 'deployer', workspace: 'app', ...over }).needs;

  it.each([[['./deploy', 'staging']], [['node', 'deploy.js']]])('%j needs no shell in the workspace', (argv) => {
    expect(needsOf(argv, {})).toEqual([]);
    expect(factsAbout(argv, { profile: 'deployer', workspace: 'app' })).toMatchObject({
      ...{ class: 'config-mutation', known: false },
    });
  });

  it('needs one with other arguments, under another profile, elsewhere, and with an input', () => {
    expect(needsOf(['./deploy', 'production'], {})).toEqual(['shell']);
    expect(needsOf(['./deploy', 'staging'], { profile: 'query' })).toEqual(['shell']);
    expect(needsOf(['./deploy', 'staging'], { cwd: join(root, 'app/nested') })).toEqual(['shell']);
    expect(needsOf(['./deploy', 'staging'], { workspace: 'open' })).toEqual(['shell']);
    expect(needsOf(['node', 'deploy.js'], { stdin: 'x' })).toEqual(['shell']);
  });

  it('keeps what else it needs', () => {
    expect(needsOf(['backup-status'], {})).toEqual(['inspect_status']);
  });
});
