import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classify = (argv: readonly string[]) => classifier.classify(argv, { host: 'self', cwd: '/w', workspace: '/w' });
const script = (text: string) => classify(['bash', '-c', text]);

/** Where one argument becomes two, the second of them is the command. */
const MOVED: readonly string[] = [
  ...[
    'env -u ./* ls',
    'env -u {x,rm} cat /x',
    'nice -n {5,./evil} ls',
    'sudo -u {root,-s} ls',
    'sudo -u {root,rm} cat /x',
  ],
  ...['bash -o {posix,-c,"rm x"} -c ls', 'exec -a {a,rm} cat /x', 'watch -n {1,rm} cat /x', 'xargs -n {1,rm} cat'],
  ...['time -f {x,rm} cat /x', 'ssh -l * host ls', 'chrt ./{a,b} ls', 'taskset ./* ls', 'timeout ./{5,evil} ls'],
  ...['env A=./* ls', 'su -c true *', 'su x* -c ls', 'su ~/x -c ls', 'env -C ~/x ls'],
];

describe('an argument that may become several', () => {
  it.each(MOVED)('leaves open where the command begins: %s', (text) =>
    expect(script(text)).toMatchObject({ class: 'destructive', rule: 'undecided' }),
  );

  it.each([
    'find . -exec env -u {} +',
    'xargs su -c ls',
    'xargs -I x su root -c ls x',
    'xargs -a f su root -c true',
    'xargs -a g -I LANG env TERM=dumb LANG=C ls',
    'xargs -I TERM sudo LANG=C TERM=x ls',
    'xargs timeout',
    'xargs env -u',
  ])('may come from a search or the input: %s', (text) => {
    const { class: is, needs } = classify(text.split(' '));
    expect(is).toBe('destructive');
    expect(needs).toEqual(expect.arrayContaining(['destructive', 'shell']));
  });

  it.each([
    'uniq ./*',
    'uniq /etc/pass{wd,wd-}',
    'git clone ./{a,../../x}',
    'uniq a ./*',
    'git worktree add ./{a,../../x}',
  ])('is as many as something stricter needs, and moves what is written: %s', (text) =>
    expect(script(text).class).toBe('destructive'),
  );

  it('is many where find gives all at once, and one where it gives them one by one', () => {
    expect(classify('find . -exec uniq {} +'.split(' ')).class).toBe('destructive');
    expect(classify('find . -exec uniq {} ;'.split(' ')).class).toBe('read');
    expect(script('uniq ~/x').class).toBe('read');
  });

  it('as the value of an option says nothing about what stands behind', () => {
    expect(script('git diff -S ./{a,../../x} b').needs).toContain('shell');
    expect(script('tail -n 5 ./*')).toMatchObject({ class: 'read', needs: ['read_files'] });
    expect(script('cp ./* d').class).toBe('config-mutation');
  });
});

describe('uniq', () => {
  it.each([
    ['uniq a', 'read', ['read_files']],
    ['uniq a b', 'config-mutation', ['edit_repo', 'read_files', 'shell']],
    ['uniq a /etc/passwd', 'destructive', ['destructive', 'edit_repo', 'read_files', 'shell']],
  ])('writes its second operand: %s', (text, is, needs) =>
    expect(classify(text.split(' '))).toMatchObject({ class: is, needs }),
  );
});

it.each(['service ../../tmp/x status', 'service /tmp/x status', 'rc-service ../x status'])(
  'a script that a path names is no look: %s',
  (text) => expect(classify(text.split(' ')).needs).toContain('shell'),
);
