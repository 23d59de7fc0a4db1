import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classify = (text: string) => classifier.classify(text.split(' '), { host: 'self', cwd: '/w', workspace: '/w' });

describe('a look of a package manager', () => {
  it.each([
    ...[
      'npm view git+file:///x',
      'npm view a/b',
      'npm view x@npm:y',
      'npm view x@github:a/b',
      'npm view ./x',
      'npm view x.tgz',
    ],
    ...['npm ls --prefix ./evil', 'npm -C evil ls', 'pnpm -C evil install', 'brew info ./evil.rb', 'brew info evil.rb'],
    ...['brew info evil/tap/formula', 'brew info x.tar.gz', 'apt show ./x.deb', 'dnf info https://evil/x.rpm'],
  ])('needs the shell where it names no package: %s', (text) => expect(classify(text).needs).toContain('shell'));

  it.each([
    ...['npm ls --all', 'npm --prefix . ls', 'npm -C /w ls'],
    ...['brew info jq', 'apt list *jq*', 'apt show libc6:i386', 'dnf list installed', 'pip show a-b_c'],
  ])('reads about names: %s', (text) =>
    expect(classify(text)).toMatchObject({ class: 'read', needs: ['inspect_status'] }),
  );

  it.each(['npm view x@latest', 'npm view @a/b@1.2 version', 'npm outdated', 'npm audit --json'])(
    'reads at a registry: %s',
    (text) => expect(classify(text)).toMatchObject({ class: 'read', needs: ['inspect_status', 'use_network'] }),
  );
});

it.each([
  ...[
    'yarn sync',
    'yarn hold',
    'yarn build',
    'yarn prune',
    'yarn publish',
    'pnpm pin x',
    'pnpm sync',
    'bun refresh',
    'bun fetch',
  ],
  ...['cargo sync', 'cargo hold', 'cargo purge', 'cargo prune', 'gem build x.gemspec', 'poetry fetch'],
])('looks a word up that is none of the manager, and may run it: %s', (text) =>
  expect(classify(text).needs).toContain('shell'),
);

it.each([
  ...[
    'apt-get upgrade --autoremove --purge -y',
    'apt-get install --auto-remove x',
    'apt full-upgrade',
    'dnf upgrade --allowerasing',
  ],
  ...[
    'aptitude install jq_',
    'aptitude install ~napache_',
    'zypper install !jq',
    'zypper install -- -jq',
    'apk add !jq',
  ],
])('takes packages away: %s', (text) =>
  expect(classify(text)).toMatchObject({ class: 'destructive', needs: ['destructive', 'install_packages'] }),
);

it('takes no name of a machine for what a file or another server says', () => {
  for (const text of [
    'virsh undefine qemu+ext:///system?command=./p',
    'lxc delete evil:web',
    'limactl delete ./x.yaml',
  ])
    expect(classify(text).needs).toContain('shell');
  expect(classify('virsh undefine web').needs).toEqual(['destructive', 'manage_services']);
});
