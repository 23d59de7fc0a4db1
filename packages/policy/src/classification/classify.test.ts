import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';
import type { CommandPlace } from './types.ts';

const PLACE: CommandPlace = { host: 'self', cwd: '/w', workspace: '/w' };
const grammar = await testGrammar();
const classifier = createCommandClassifier({ grammar });
const classify = (...argv: string[]) => classifier.classify(argv, PLACE);
const classifyScript = (script: string) => classifier.classify(['sh', '-c', script], PLACE);

describe('what a shell script does', () => {
  it.each([
    'ls *.log',
    'ls ./*.log',
    'cd x && ls',
    "cat <<'EOF'\nhi $x\nEOF",
    'cat <<\\EOF\nhi `x`\nEOF',
    'cat <<"EOF"\nhi $x\nEOF',
    'cat <<EOF\nhi\nEOF',
    '{ ls; }',
    '! ls',
    'while true; do ls; done',
    'ls 2>&1 >/dev/null',
    'ls # rm x',
    'echo "a\\"; rm x"',
    'set -e; ls',
    '< x',
    'echo {}',
    'LANG=C ls',
    'time -p ls',
    'ls {a,b}',
    'ls "*"',
    'if ls; then ls; else ls; fi',
  ])('reads: %s', (script) => {
    expect(classifyScript(script).class).toBe('read');
  });

  it.each([
    ['rm ./*', undefined],
    ['if true; then rm x; fi', 'x'],
    ['(rm x)', 'x'],
    ['ls & rm x', 'x'],
    ['r""m x', 'x'],
    ['\\rm x', 'x'],
    ['r\\m x', 'x'],
    ['"rm" x', 'x'],
    ['ls\nrm x', 'x'],
    ['rm ~/x', undefined],
    ['exec rm x', 'x'],
    ['command rm x', 'x'],
    ['{ rm x; } > /dev/null', 'x'],
    ['ls || rm x', 'x'],
    ['sudo sh -c "rm x"', 'x'],
    ['sh -c "sh -c \'rm x\'"', 'x'],
    ['rm -- -x', '-x'],
    ['\trm\tx', 'x'],
    ['ls|rm x', 'x'],
    ['rm "*"', '*'],
    ['until false; do rm x; done', 'x'],
    ['cd /etc; rm x', undefined],
    ['rm x; rm y', undefined],
    ['rm x; rm ./x', 'x'],
  ])('takes away: %j, at %s', (script, path) => {
    const { class: is, target } = classifyScript(script);
    expect(is).toBe('destructive');
    expect(target).toBe(path === undefined ? undefined : `self/path//w/${path}`);
  });

  it.each([
    'git re*',
    'cat <<EOF\n$x\nEOF',
    'true <<E\n`id`\nE',
    'true <<E\n\\$(id)\nE',
    'cat <<-E\n\t$x\n\tE',
    'cat <<-E\nhi\nE',
    "cat <<-'E'\nhi\nE",
    'cat <<"E"x\nhi\nEx',
    'echo a\v#; ls',
    'echo a\f#; ls',
    'echo a\u00a0#; ls',
    'echo a\u2003#; ls',
    'echo a\u0085#; ls',
    'echo a\\\t#; ls',
    'ls\n\\\n rm -rf x',
    'ls \\\n\\\n rm -rf x',
    'ls \\\n# c\nrm x',
    'echo a\\\f#; ls',
    'echo a\u001b[2K; ls',
    'find . 2>&1 -delete',
    'find . >o -delete',
    "ls >& 'a$(rm x)'",
    "echo ''\\a",
    'ls a\ud800',
    'for i in a; do ls; done',
    'f() { rm x; }; ls',
    'PATH=. ls',
    'export PATH=.; ls',
    "$'rm' x",
    'echo "$(rm x)"',
    'echo `rm x`',
    'ls <(rm x)',
    'eval rm x',
    'echo $((1+1))',
    'a[0]=1; ls',
    '',
    '# c',
    "echo 'a' 'b",
    'if ls; then',
    'alias ls=rm; ls',
    'trap "rm x" EXIT',
    `echo \${x}`,
    'cat x | sh',
    'cat x | bash -s',
    'coproc rm x',
    'select x in a; do rm x; done',
    'ls $',
    'cat < /dev/tcp/x/1',
    'let x=1',
    '((1))',
    'a=$(rm x)',
    'case a in b) rm x;; esac',
    'xargs -I{} sh -c "rm {}"',
    'ls\r\nls',
    `ls ${'a '.repeat(9000)}`,
    '('.repeat(500),
  ])('cannot be decided: %j', (script) => {
    const { class: is, target } = classifyScript(script);
    expect([is, target]).toEqual(['destructive', undefined]);
  });

  it.each([
    ['echo a > out', 'config-mutation'],
    ['ls | tee out', 'config-mutation'],
    ['ls &>x', 'config-mutation'],
    ['ls >&b', 'config-mutation'],
    ['> x', 'config-mutation'],
    ['echo hi >| x', 'config-mutation'],
    ['echo a > .git/hooks/pre-commit', 'destructive'],
    ['echo a >> /etc/x', 'destructive'],
    ['cd /; > x', 'destructive'],
    ['echo a > ../x', 'destructive'],
    ['{ ls; } > /etc/x', 'destructive'],
    ['ls > *', 'destructive'],
  ])('writes, and where counts: %s is %s', (script, is) => {
    expect(classifyScript(script).class).toBe(is);
  });
});

describe('wrappers', () => {
  it.each([
    [['nice', 'rm', 'x']],
    [['timeout', '-s', 'KILL', '5', 'rm', 'x']],
    [['setsid', '-f', 'rm', 'x']],
    [['stdbuf', '-oL', 'rm', 'x']],
    [['nohup', 'rm', 'x']],
    [['doas', 'rm', 'x']],
    [['watch', 'rm', 'x']],
    [['busybox', 'rm', 'x']],
    [['bash', '-euo', 'pipefail', '-c', 'rm x']],
    [['ionice', '-c', '3', 'rm', 'x']],
    [['RM', 'x']],
    [['./rm', 'x']],
    [['/bin/rm', 'x']],
    [['time', '-p', 'rm', 'x']],
  ])('are taken off: %j', (argv) => {
    expect(classify(...argv)).toMatchObject({ class: 'destructive', rule: 'files.remove', target: 'self/path//w/x' });
  });

  it.each([
    [['sudo']],
    [['sudo', '-i']],
    [['env', '-S', 'rm x']],
    [['env', 'PATH=.', 'ls']],
    [['timeout', '--odd', '5', 'ls']],
    [['nice', '-n', '5', '-x', 'ls']],
    [['bash']],
    [['bash', 'x.sh']],
    [['bash', '-c']],
    [['./sudo', 'ls']],
    [['bash', '--rcfile', 'x', '-c', 'ls']],
    [['xargs', 'git', 'log']],
    [['xargs', '-I', 'ls', 'ls']],
    [['xargs', '-I', '%', 'sh', '-c', 'rm %']],
    [['ssh', 'db']],
    [['ssh', '-o', 'ProxyCommand=rm x', 'db', 'ls']],
    [['ssh', 'self', 'rm', 'x']],
    [['ssh', 'db', '-o', 'x', 'ls']],
    [['find', '.', '-exec', 'rm']],
    [['find', '.', '-exec', 'sh', '-c', 'rm {}', ';']],
    [['find', '.', '-exec', 'ls', '{}', ';', '-delete']],
    [['chroot', '/x', 'rm', '/y']],
    [['chroot', '/x', 'id']],
    [['chroot', '--userspec', 'u', '/x', 'ls']],
    [['chroot', '/x']],
    [['su', '-c', 'rm x']],
    [['']],
    [[]],
    [['ls', 'a\0b']],
    [['python3', '-']],
    [['sudo', ...Array.from({ length: 20 }, () => 'sudo'), 'ls']],
    [['echo', 'x'.repeat(200_000)]],
  ])('hide what runs, or where: %j', (argv) => {
    const { class: is, target } = classify(...argv);
    expect([is, target]).toEqual(['destructive', undefined]);
  });

  it.each([
    ['curl -o /x --output /y https://a.example'],
    ['curl -o /x -c /y https://a.example'],
    ['curl -o /x -D /y https://a.example'],
    ['curl -o /x -K /y'],
    ['curl -o /x -w %output{/y} https://a.example'],
    ['curl -o /x -T /y https://a.example'],
    ['curl -o /x -d @/y https://a.example'],
    ['wget -O /x -a /y https://a.example'],
    ['wget -O /x -i /y'],
    ['sort -o /x --output=/y z'],
    ['psql -h db -d app -o |id -c drop\u00a0table\u00a0x'],
    ['psql -h db -d app --dbname b -c drop'],
  ])('that do more than to one thing have no one target: %s', (written) => {
    const { class: is, target } = classify(...written.split(' ').map((word) => word.replaceAll('\u00a0', ' ')));
    expect([is, target]).toEqual(['destructive', undefined]);
  });

  it.each(['command cd', 'builtin cd', 'time cd', 'cd', 'pushd', 'ls; time -p cd'])(
    '%s leaves no path told',
    (moves) => {
      expect(classifyScript(`${moves} x; rm y`)).toMatchObject({ class: 'destructive' });
      expect(classifyScript(`${moves} x; rm y`).target).toBeUndefined();
    },
  );

  it('have a number of characters for all their scripts together', () => {
    const script = `ls ${'a '.repeat(2000)}`;
    const twice = ['find', '.', '-exec', 'sh', '-c', script, ';', '-exec', 'sh', '-c', script, ';'];
    expect(classify('sh', '-c', script).class).toBe('read');
    expect(classify(...twice, '-exec', 'sh', '-c', script, ';')).toMatchObject({ class: 'destructive' });
  });

  it('send commands to another machine, whose things are others', () => {
    expect(classify('ssh', '-oBatchMode=yes', 'root@DB', 'systemctl', 'restart', 'nginx').target).toBe(
      'db/service/nginx',
    );
    expect(classify('ssh', 'db', 'rm', 'x').target).toBeUndefined();
    expect(classify('ssh', 'db', 'echo a > /w/x').class).toBe('destructive');
  });

  it('are shown with what is inside', () => {
    const { commands } = classify('sudo', 'sh', '-c', 'df -h; systemctl restart nginx');
    expect(commands.map(({ argv, rule }) => [argv.join(' '), rule])).toEqual([
      ['df -h', 'system.disk'],
      ['systemctl restart nginx', 'services.run'],
    ]);
  });
});

describe('targets', () => {
  it.each([
    [['git', 'push', '-u', 'origin', 'main'], 'self/branch/origin/main'],
    [['git', 'push', 'origin', '+a:main'], 'self/branch/origin/main'],
    [['git', 'push', 'origin', 'HEAD'], undefined],
    [['git', 'push', 'origin', 'main', 'dev'], undefined],
    [['git', '-C', '/x', 'push', '-f', 'origin', 'main'], undefined],
    [['systemctl', 'restart', 'nginx.service'], 'self/service/nginx'],
    [['systemctl', 'restart', 'a', 'b'], undefined],
    [['systemctl', 'restart', 'ng*'], undefined],
    [['systemctl', '-H', 'db', 'restart', 'nginx'], undefined],
    [['systemctl', 'restart', '--odd', 'nginx'], undefined],
    [['kubectl', 'delete', 'deployment', 'api'], undefined],
    [['kubectl', 'delete', 'deployment', 'api', '--context=p', '-n', 'w'], 'self/kubernetes/p/w/deployment/api'],
    [['docker', '--context', 'prod', 'rm', 'web'], 'self/container/prod/web'],
    [['docker', '-H', 'tcp://x', 'rm', 'web'], undefined],
    [['rm', '../../etc//x'], 'self/path//etc/x'],
    // Where `a` leads, nobody can say here.
    [['rm', 'a/../../etc//x'], undefined],
    [['rm', 'a\nb'], undefined],
    [['apt', 'install', 'jq=1'], 'self/package/jq'],
    [['apt', 'install', './x.deb'], undefined],
    [['psql', '-d', 'app', '-h', 'db', '-c', 'drop table x'], 'self/database/db/app'],
    [['psql', '-d', 'app', '-c', 'drop table x'], undefined],
    [['mysql', '-h', 'db', '-D', 'app', '-e', 'drop table x', 'other'], undefined],
    [['mysql', '-h', 'db', '-P', '3307', '-D', 'app', '-e', 'drop table x'], undefined],
    [['psql', '-d', 'app', '-h', 'db', '-U', 'x', '-c', 'drop table x'], undefined],
    [['psql', '-d', 'app', '-h', 'db', '-c', 'drop table other.x'], undefined],
    [['psql', '-d', 'app', '-h', 'db', '-c', 'drop database other'], undefined],
    [['curl', '-o', '/etc/x', 'https://x'], 'self/path//etc/x'],
    [['service', 'nginx', 'restart'], 'self/service/nginx'],
    [['tee', 'a', '/etc/b'], undefined],
  ])('of %j: %s', (argv, target) => {
    expect(classify(...argv).target).toBe(target);
  });

  it('are none of this place where there is no workspace', () => {
    expect(classifier.classify(['tee', 'x'], { host: 'self' })).not.toHaveProperty('target');
    expect(classifier.classify(['tee', '/w/x'], { host: 'self' }).class).toBe('destructive');
  });
});

describe('programs nobody knows', () => {
  it.each([
    [['made-up-tool', '--go']],
    [['./ls']],
    [['/tmp/ls']],
    [['/usr/bin/x/ls']],
    [['git', 'st']],
    [['rm\u00a0x']],
  ])('change something, and no window covers them: %j', (argv) => {
    expect(classify(...argv)).toMatchObject({ class: 'config-mutation', known: false });
  });

  it('are known by a rule of the configuration, and the strictest rule wins', () => {
    const rule = (match: string[], is: 'read' | 'destructive', target?: number) => {
      return { match, class: is, needs: ['edit_system'], ...(target === undefined ? {} : { target }) };
    };
    const commands = [
      rule(['made-up-tool', 'show'], 'read'),
      rule(['made-up-tool', 'drop', '*'], 'destructive', 2),
      rule(['rm', '**'], 'read'),
      rule(['ls', '**'], 'destructive'),
    ];
    const configured = createCommandClassifier({ grammar, commands });
    const of = (...argv: string[]) => configured.classify(argv, PLACE);
    expect(of('sudo', 'made-up-tool', 'show')).toMatchObject({ class: 'read', rule: 'commands[0]', known: true });
    expect(of('sh', '-c', 'made-up-tool drop x')).toMatchObject({
      class: 'destructive',
      target: 'self/made-up-tool/x',
    });
    expect(of('rm', 'x').class).toBe('destructive');
    expect(of('ls', 'x')).toMatchObject({ class: 'destructive', needs: ['edit_system'] });
    expect(of('sh', '-c', 'made-up-tool sho?').class).toBe('destructive');
  });
});

describe('a rule that names a file by its absolute path', () => {
  const of = (file: string, is: 'read' | 'config-mutation' | 'destructive', ...argv: string[]) =>
    createCommandClassifier({
      grammar,
      commands: [{ match: [file, '**'], class: is, needs: ['edit_repo'], target: 1 }],
    }).classify(argv, PLACE);

  it.each(['/opt/tool/deploy', '/usr/bin/deploy', '/opt/tool/Deploy', '/opt/tool/ls'])(
    'knows %s, and that file alone',
    (file) => {
      expect(of(file, 'config-mutation', file, 'site')).toMatchObject({
        ...{ class: 'config-mutation', rule: 'commands[0]', known: true, needs: ['edit_repo'] },
        target: expect.stringMatching(/\/site$/),
      });
      const base = file.slice(file.lastIndexOf('/') + 1);
      for (const other of [`/tmp/${base}`, `./${base}`, `/opt/tool/../tool/${base}`]) {
        expect(of(file, 'config-mutation', other, 'site').rule, other).not.toBe('commands[0]');
      }
    },
  );

  it('makes nothing milder that looks like a stricter program', () => {
    expect(of('/opt/tool/rm', 'read', '/opt/tool/rm', '-r', 'x').class).toBe('destructive');
    expect(of('/opt/tool/git', 'read', '/opt/tool/git', 'add', 'x')).toMatchObject({
      ...{ class: 'config-mutation', rule: 'unknown-program', known: false },
    });
    expect(of('/opt/tool/ls', 'destructive', '/opt/tool/ls', 'x').class).toBe('destructive');
  });

  it('holds inside of wrappers and scripts too', () => {
    expect(of('/opt/tool/deploy', 'read', 'sudo', '/opt/tool/deploy', 'x').commands).toContainEqual(
      expect.objectContaining({ rule: 'commands[0]' }),
    );
    expect(of('/opt/tool/deploy', 'read', 'sh', '-c', '/opt/tool/deploy x')).toMatchObject({ class: 'read' });
  });
});

describe('the folder of a command', () => {
  it.each([
    [
      ['sh', '-c', 'cd sub && ./s.sh'],
      [true, true],
    ],
    [
      ['sh', '-c', 'cat a; ./s.sh'],
      [undefined, undefined],
    ],
    [['sudo', '-D', '/x', './s.sh'], [true]],
    [['./s.sh'], [undefined]],
  ])('of %j is known or not: %j', (argv, unplaced) => {
    expect(classify(...argv).commands.map((command) => command.unplaced)).toEqual(unplaced);
  });
});

describe('what nobody can say the effect of', () => {
  const { classify } = createCommandClassifier({
    grammar,
    commands: [{ match: ['deploy', '**'], class: 'config-mutation', needs: ['manage_services'] }],
  });
  const needsOf = (...argv: string[]): readonly string[] => classify(argv, PLACE).needs;

  it.each([
    [['frobnicate', 'x']],
    [['git', 'frob']],
    [['/opt/x/ls']],
    [['node', 'x.js']],
    [['node', '-e', '1']],
    [['strace', 'ls']],
    [['sh', '-c', 'ls $x']],
    [['env', 'LD_PRELOAD=/x.so', 'ls']],
    [['timeout', '5', 'frobnicate']],
    [['sh', '-c', 'ls && frobnicate']],
  ])('%j needs the shell, for which no other capability stands in', (argv) => {
    expect(needsOf(...argv)).toContain('shell');
  });

  it.each([
    [['systemctl', 'restart', 'nginx']],
    [['rm', '-rf', '/srv/x']],
    [['env', 'LANG=C', 'ls']],
    [['deploy', 'staging']],
  ])('%j does not: a rule says what it does', (argv) => {
    expect(needsOf(...argv)).not.toContain('shell');
  });
});

describe('a rule of a change that waits', () => {
  const of = (is: 'read' | 'config-mutation' | 'destructive', needs: readonly string[], ...argv: string[]) =>
    createCommandClassifier({
      grammar,
      commands: [{ match: [argv[0] ?? '', '**'], class: is, needs, target: 1, onlyStricter: true }],
    }).classify(argv, PLACE);

  it('makes no command known and gives no target, but for what it needs', () => {
    expect(of('read', [], 'setarch', 'x')).toMatchObject({ class: 'config-mutation', known: false, needs: ['shell'] });
    expect(of('config-mutation', ['edit_system'], 'frob', 'x')).toMatchObject({
      ...{ known: false, needs: ['edit_system', 'shell'] },
    });
    expect(of('config-mutation', [], 'frob', 'x')).not.toHaveProperty('target');
  });

  it('makes one that is known stricter, and never milder', () => {
    expect(of('destructive', [], 'ls', 'x')).toMatchObject({ class: 'destructive', known: true, rule: 'reading.look' });
    expect(of('read', [], 'rm', 'x').class).toBe('destructive');
    expect(of('read', ['edit_system'], 'ls', 'x').needs).toEqual(expect.arrayContaining(['edit_system']));
    const unknown = of('destructive', [], 'frob', 'x');
    expect(unknown).toMatchObject({ class: 'destructive', known: false, rule: 'unknown-program' });
    expect(unknown).not.toHaveProperty('target');
  });
});
