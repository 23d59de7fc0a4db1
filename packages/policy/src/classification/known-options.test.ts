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
    ...[
      ...[
        'git log --option-of-tomorrow=./x',
        'git diff --no-index a /etc/shadow',
        'git grep -n --open-files-in-pager=id x',
      ],
      ...[
        'git diff -b --output=/etc/x',
        'git log -m --output=x',
        'git cat-file --textconv HEAD:a',
        'git -p log',
        'git help -w log',
      ],
      ...[
        'docker ps --option-of-tomorrow=./x',
        'docker --config ./x ps',
        'docker logs --tail --odd=./x web',
        'docker -H ssh://x ps',
      ],
      ...['terraform plan -option-of-tomorrow=./x', 'terraform plan --out=x', 'terraform providers mirror x'],
      ...[
        'curl --option-of-tomorrow=./x https://x',
        'curl -n https://x',
        'curl -H @/etc/shadow https://x',
        'curl -x p https://x',
      ],
      ...[
        'curl --unix-socket /run/x http://x',
        'file -C',
        'file -m x a',
        'diff -l a b',
        'jq -L x .',
        'rg -z x',
        'rg --pre id x',
      ],
      ...[
        'sort --compress-program=id a',
        'find . -files0-from x',
        'sensors -s',
        'smartctl -l scterc,1,1 /dev/sda',
        'ss -D x',
      ],
      ...[
        'systemctl status x --odd',
        'systemctl -H db status x',
        'journalctl --file=/x',
        'helm list --odd',
        'virsh list --odd',
      ],
      ...['wget --odd -qO- https://x', 'psql --odd=x -c select', 'sysctl --odd kernel.hostname'],
    ].map((text) => [text.split(' ')]),
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
    // Would take for ever if an argument could be read in two ways.
    [['git', ...Array.from({ length: 80 }, () => '-C'), 'log']],
    ...[
      ...[
        'git log --oneline -5',
        'git status -sb',
        'git diff -U5 --stat main',
        'git show HEAD:a',
        'git blame -L 1,5 a',
        'git reflog',
      ],
      ...[
        'git branch -a',
        'git tag --list v*',
        'git remote -v',
        'git stash list',
        'git worktree list',
        'git grep -n x',
        'git log -p -3',
      ],
      ...[
        'docker ps -a',
        'docker logs -f --tail 5 web',
        'docker ps --filter a=b --format x',
        'docker compose ps',
        'docker system df -v',
      ],
      ...['terraform plan', 'terraform plan -no-color -input=false', 'terraform show -json x', 'terraform providers'],
      ...['curl -sS https://x', 'curl -fsSL -H a:b -m 5 https://x', 'curl -X GET https://x', 'wget -qO- https://x'],
      ...[
        'ls --color=never -la',
        'grep -rn x .',
        'file -b a',
        'jq -r . a',
        'rg -n x src',
        'find . -name *.log -mtime -7',
        'sort -rnk2 a',
      ],
      ...[
        'ps -eo pid,cmd --sort=-rss',
        'lsof -i:80',
        'df -hT',
        'ss -ltnp',
        'dig +short x',
        'ping -c 1 x',
        'journalctl -xeu nginx -n 50',
      ],
      ...[
        'kubectl get pods -A -o wide',
        'kubectl logs web -p --tail=10',
        'helm list -A',
        'systemctl list-units --type=service',
      ],
    ].map((text) => [text.split(' ')]),
  ])('is none of %j, which reads', (argv) => expect(classify(argv).class).toBe('read'));
});
