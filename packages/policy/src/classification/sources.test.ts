import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const needsOf = (text: string, workspace = true): readonly string[] =>
  classifier.classify(text.split(' '), { host: 'self', cwd: '/w', ...(workspace ? { workspace: '/w' } : {}) }).needs;

describe('what is read outside of the workspace', () => {
  it.each([
    ...['git diff a /etc/shadow', 'git diff /etc/shadow /dev/null', 'git diff ../x b', 'git diff file:///x y'],
    ...[
      'git clone /srv/x y',
      'git clone ../x y',
      'git fetch file:///srv/x',
      'git pull ../../x main',
      'git am /var/mail/root',
    ],
    ...['git apply /tmp/x.patch', 'git submodule add ../x y', 'git config --list', 'git config --get http.extraheader'],
    ...['tar --directory=/root/.ssh -cf a id_rsa', 'tar -C/root/.ssh -cf a id_rsa', 'tar --dir=/root -cf a x'],
    ...[
      'patch -i /etc/x',
      'patch -d /etc -i x',
      'cp --odd a b',
      'docker cp /etc/shadow web:/x',
      'docker import /etc/x y',
    ],
    ...[
      'docker build /root/.ssh',
      'kubectl cp /etc/shadow b:c',
      'kubectl get -f /etc/shadow',
      'kubectl diff --filename=/x',
    ],
    ...['helm show values /root/x', 'helm push /root/x.tgz y'],
  ])('needs the capability for that: %s', (text) => {
    expect(needsOf(text)).toContain('read_files');
    expect(needsOf(text, false)).toContain('read_files');
  });

  it.each([
    ...['git diff a b', 'git diff main..x', 'git show x', 'git clone https://h/x y', 'git clone h:x ../y'],
    ...['git fetch origin a:b', 'git apply x.patch', 'docker build .', 'docker pull x'],
    ...['kubectl logs -f web', 'helm show values x/y', 'git status'],
  ])('is none of %s', (text) => {
    expect(needsOf(text)).not.toContain('read_files');
    expect(needsOf(text, false)).not.toContain('read_files');
  });

  it.each(['tar --directory=src -cf a x', 'kubectl get -f x.yaml', 'git diff /w/a b', 'git apply /w/x.patch'])(
    'is none inside: %s',
    (text) => expect(needsOf(text)).not.toContain('read_files'),
  );

  it.each(['git grep -f /etc/shadow', 'git ls-files -o -X /etc/shadow', 'git blame -S /etc/shadow x', 'git log -X x'])(
    'is no look where an option names it: %s',
    (text) => expect(needsOf(text)).toContain('shell'),
  );
});

it.each([
  ...['git fetch https://h/x', 'git clone ssh://h/x', 'git pull git@h:x', 'docker push h/x', 'docker login h'],
  ...['helm push x oci://h', 'helm show chart oci://h/x', 'rpm -qp http://h/y', 'kubectl get -f http://h/x'],
])('what goes to an address that is written needs the network: %s', (text) =>
  expect(needsOf(text)).toContain('use_network'),
);

it.each(['write refs/heads/main a b m', 'of-tomorrow', 'expire --all', 'delete HEAD@{1}', 'main'])(
  'a word behind `git reflog` may be a command of it: %s',
  (words) => {
    const argv = ['git', 'reflog', ...words.split(' ')];
    expect(classifier.classify(argv, { host: 'self', cwd: '/w' }).class).not.toBe('read');
  },
);

it.each(['kubectl create x/b', 'kubectl create ../evil', 'kubectl create --dry-run x/b'])(
  'a word that is no kind is a program: %s',
  (text) => expect(needsOf(text)).toContain('shell'),
);
