import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { readsAlone } from './alone.ts';
import { ALONE } from './alone-table.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const words = (text: string): readonly string[] => text.split(' ');

function alone(argv: readonly string[], cwd = '/srv/app') {
  return readsAlone(classifier.classify(argv, { host: 'self', cwd }), argv, cwd);
}

describe('a read that needs no person', () => {
  it.each([
    'true',
    'uptime',
    'df -h',
    'ps aux',
    'ps -ef',
    'systemctl status nginx',
    'systemctl --no-pager list-units --type service',
    'journalctl -u nginx -n 50 --no-pager',
    'ss -ltn',
    'ip -br a',
    'docker ps -a',
    'docker logs --tail 20 web',
    'apt list --upgradable',
    'apt-cache policy jq',
    'dpkg -l',
    'rpm -qa',
    'ping -c 1 example.org',
  ])('%s reads no file that was named', (text) => {
    expect(alone(words(text))).toEqual({ paths: [], repository: false });
  });

  it.each([
    ['cat a ../b /etc/hosts', ['/srv/app/a', '/srv/app/../b', '/etc/hosts']],
    ['ls -la', ['/srv/app']],
    ['tail -n 20 log/x', ['/srv/app/log/x']],
    ['grep -rn needle src', ['/srv/app/src']],
    ['grep needle', ['/srv/app']],
  ])('%s says which paths it reads', (text, paths) => {
    expect(alone(words(text))).toEqual({ paths, repository: false });
  });

  it.each(['git status', 'git log -5 --oneline', 'git diff main..dev', 'git show HEAD:src/a.ts', 'git log -n 3 src'])(
    '%s obeys the repository that it is called in',
    (text) => {
      expect(alone(words(text))).toEqual({ paths: [], repository: true });
    },
  );
});

describe('a read that a person looks at first', () => {
  it.each([
    // Options that name files, programs or other places.
    'apt-cache -c=/tmp/x policy',
    'apt-cache -o Dir::Bin::dpkg=/tmp/x policy',
    'apt -o x=y list',
    'date --file=/etc/shadow',
    'date -f /etc/shadow',
    'ss -F /etc/shadow',
    'dmesg -F /etc/shadow',
    'last -f /etc/shadow',
    'journalctl --file /etc/shadow',
    'journalctl -D /tmp',
    'systemctl -H root@host status',
    'pip3 list --log /tmp/x',
    'grep -f /etc/shadow x',
    'grep -R x .',
    'tail -f log',
    'tail -n /etc/shadow',
    'tail -n',
    'wc --files0-from=/etc/shadow',
    'docker -H tcp://x ps',
    'docker logs ../x',
    // Configuration of the folder that they are called in.
    'npm ls',
    'cargo metadata',
    'yarn list',
    'pnpm list',
    'terraform plan',
    'docker compose config',
    'vagrant status',
    // What they print are secrets.
    'ps auxe',
    'ps e',
    'docker inspect web',
    'kubectl get secret x -o yaml',
    // Another repository than the one of the folder, or none.
    'git -C /x status',
    'git --git-dir=/x status',
    'git diff /etc/shadow /etc/hosts',
    'git diff ../../etc/shadow a',
    'git diff --no-index a b',
    'git log --show-signature',
    'git tag --sort=signature:key',
    'git branch --sort=-signature',
    'git for-each-ref --sort=signature',
    'git grep -O x',
    // A wrapper runs it as somebody else, or elsewhere.
    'sudo systemctl status nginx',
    'env LANG=C df -h',
    'timeout 5 df -h',
    './df -h',
    '/tmp/df -h',
  ])('%s', (text) => {
    expect(alone(words(text))).toBeUndefined();
  });

  it('a script, whatever is in it', () => {
    expect(alone(['bash', '-c', 'df -h'])).toBeUndefined();
  });

  it('nothing but a read, whatever the table says', () => {
    const argv = ['df', '-h'];
    const read = classifier.classify(argv, { host: 'self', cwd: '/' });
    expect(readsAlone({ ...read, class: 'config-mutation' }, argv, '/')).toBeUndefined();
    expect(readsAlone(read, argv, '/')).toBeDefined();
    // Two commands in one, none at all, or another than the one that was classified.
    expect(readsAlone({ ...read, commands: [...read.commands, ...read.commands] }, argv, '/')).toBeUndefined();
    expect(readsAlone({ ...read, commands: [] }, argv, '/')).toBeUndefined();
    expect(readsAlone(read, ['true'], '/')).toBeUndefined();
  });
});

it('a rule of the configuration is the owner’s own word', () => {
  const commands = [
    { match: ['backup-status', '**'], class: 'read', needs: ['inspect_status'], examples: [], notExamples: [] },
  ] as const;
  const configured = createCommandClassifier({
    grammar: { parse: () => ({ ok: false, reason: '' }) },
    commands: commands as unknown as NonNullable<Parameters<typeof createCommandClassifier>[0]['commands']>,
  });
  const argv = ['backup-status', '--all', '/x'];
  expect(readsAlone(configured.classify(argv, { host: 'self' }), argv, '/')).toEqual({ paths: [], repository: false });
});

it('no pattern of the table matches a part of an argument', () => {
  const patterns = ALONE.flatMap(({ flags, valued = {} }) => [...(flags ? [flags] : []), ...Object.values(valued)]);
  for (const { source } of patterns) expect(source).toMatch(/^\^.*\$$/s);
  for (const pattern of patterns) expect(pattern.test('-n\n--file=/etc/shadow')).toBe(false);
});
