import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classify = (argv: readonly string[]) => classifier.classify(argv, { host: 'self', cwd: '/w', workspace: '/w' });

describe('an option that may name a program or a file to write', () => {
  it.each([
    [['diff3', '--diff-program=./p', 'a', 'b', 'c']],
    [['rpm', '-qa', '--define=%x %(id)']],
    [['rpm', '-qa', '-D', 'x %(id)']],
    [['rpm', '-qa', '--load=./x']],
    [['rpm', '-qa', '--rcfile=./x']],
    [['rpm', '-qa', '--macros=./x']],
    [['rpm', '-qa', '--some-option-of-tomorrow=./x']],
    [['dnf', 'list', '--setopt=pluginpath=./x']],
    [['dnf', 'list', '-c', './x']],
    [['gem', 'list', '--config-file', 'x']],
    [['npm', 'ls', '--node-options=-r./x']],
    [['go', 'test', '-exec', './p']],
    [['go', 'build', '-toolexec', './p']],
    [['apt-get', '-o', 'Dpkg::Pre-Invoke::=id', 'update']],
    [['apt-get', 'update', '-oDpkg::Pre-Invoke::=id']],
    [['apt', '-c', './x', 'list']],
    [['apt-cache', '-o', 'x=y', 'policy', 'jq']],
    [['kubectl', 'edit', 'deployment/web']],
    [['kubectl', '--kubeconfig', './x', 'get', 'pods']],
    [['systemctl', 'edit', 'nginx']],
    [['hostnamectl', '-H', 'x']],
    [['dmidecode', '--dump-bin', 'x']],
    [['sar', '-o', 'x', '1']],
    [['nvidia-smi', '-r']],
  ])('makes %j no read, and it needs the shell', (argv) => {
    const { class: is, needs } = classify(argv);
    expect(is).not.toBe('read');
    expect(needs).toContain('shell');
  });

  it.each([
    [['diff', '-u', 'a', 'b']],
    [['rpm', '-qa']],
    [['rpm', '-qf', '/bin/ls']],
    [['dpkg', '-l']],
    [['dpkg-query', '-W', '-f', 'x']],
    [['dnf', 'list', '--installed']],
    [['npm', 'ls', '--all', '--json']],
    [['pip', 'list', '--outdated']],
    [['gem', 'list', '--local']],
    [['sar', '-u', '1', '3']],
    [['dmidecode', '-t', 'memory']],
    [['nvidia-smi', '--query-gpu=name', '--format=csv']],
    [['hostnamectl']],
  ])('is none of %j, which reads', (argv) => expect(classify(argv).class).toBe('read'));
});
