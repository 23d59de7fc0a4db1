import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import type { CommandRule } from '../types.ts';
import { createCommandClassifier } from './classify.ts';
import { namesProgram } from './program.ts';

const grammar = await testGrammar();
const PLACE = { host: 'self', cwd: '/w', workspace: '/w' };
const classifier = createCommandClassifier({ grammar });
const classify = (argv: readonly string[]) => classifier.classify(argv, PLACE);
const UNDECIDED = { class: 'destructive', rule: 'undecided', needs: ['destructive', 'shell'] };

describe('what stands where a program should', () => {
  it.each(['-x', '+x', 'A=1', '1=2', '!', 'then', '{', 'time=1', ''])('is none: %j', (text) =>
    expect(namesProgram(text)).toBe(false),
  );

  it.each(['ls', 'g++', './a', 'a-b', 'thenx', 'clang++', '[', '.'])('may be one: %j', (text) =>
    expect(namesProgram(text)).toBe(true),
  );

  it.each([
    ...[
      'sudo LANG=C -u root rm -rf /x',
      'sudo LANG=C -s rm -rf /x',
      'sudo a.b=1 rm /x',
      'env 1=2 rm /x',
      'env - rm /x',
    ],
    ...[
      'env a-b=2 rm /x',
      'timeout 5 -k 1 rm /x',
      'nice +5 rm /x',
      'busybox -x rm',
      'watch +x rm /x',
      'nohup A=1 rm /x',
    ],
    ...['bash5 -c ls', 'ksh93 -c ls', 'zsh-5.9 -c ls', '-x', 'A=1 ls'],
  ])('leaves open what runs: %s', (text) => expect(classify(text.split(' '))).toMatchObject(UNDECIDED));

  it.each([
    ...[
      'time A=1 rm -rf /x',
      'time ! rm -rf /x',
      'time -p ! rm -rf /x',
      'time if true; then rm -rf /x; fi',
      '! ! rm /x',
    ],
    ...['time PATH=. ls', 'exec A=1 rm /x', 'command A=1 rm /x', 'time { rm /x; }', 'in rm /x'],
  ])('is undecided where a shell reads it as a word of its own: %s', (script) =>
    expect(classify(['bash', '-c', script])).toMatchObject({ ...UNDECIDED, needs: expect.arrayContaining(['shell']) }),
  );
});

describe('options of a shell', () => {
  it.each([
    ['bash', '-co', 'errexit', 'rm -rf /x'],
    ['zsh', '-x', '-c', 'rm -rf /x'],
    ['sh', '-euo', 'pipefail', '-c', '--', 'rm -rf /x'],
    ['bash', '-c', '-o', 'noglob', '-e', 'rm -rf /x'],
  ])('lead to the script, in front of it and behind its own: %s %s %s %s', (...argv) =>
    expect(classify(argv)).toMatchObject({ class: 'destructive', rule: 'files.remove' }),
  );

  it.each([
    ['bash', '-c', '+x', 'rm -rf /x'],
    ['dash', '-c', '+o', 'noglob', 'rm -rf /x'],
    ['zsh', '+x', '-c', 'rm -rf /x'],
    ['bash', '-c', '-oe', 'errexit', 'ls'],
    ['bash', '-o', 'keyword', '-c', 'ls LD_PRELOAD=./x.so'],
    ['bash', '-o', 'histexpand', '-c', 'ls'],
    ['bash', '+c', 'ls'],
    ['bash', '-c', '-', 'ls'],
    ['bash', '-c', '+', 'ls'],
    ['bash', '-k', '-c', 'ls'],
    ['bash', '-c', '-o'],
  ])('that shells read in two ways, or that nobody knows, leave it open: %s %s %s', (...argv) =>
    expect(classify(argv)).toMatchObject(UNDECIDED),
  );
});

describe('what moves the folder', () => {
  it.each(['chdir /etc; tee passwd', 'chdir /etc; echo x > passwd', 'cd /etc; tee passwd', 'command chdir x; tee y'])(
    'is seen by each of its names: %s',
    (script) => expect(classify(['sh', '-c', script]).class).toBe('destructive'),
  );

  it.each([
    ['env -C /tmp/evil git status', true],
    ['sudo -D /tmp/evil git status', true],
    ['find . -execdir git status ;', true],
    ['ssh db git status', true],
    ['git status', false],
    ['env -C /tmp/evil ls', false],
  ])('needs the shell where the program obeys what it finds there: %s %s', (text, needs) =>
    expect(classify(text.split(' ')).needs.includes('shell')).toBe(needs),
  );

  it.each([
    ['cd /tmp/evil && git status', true],
    ['cd /tmp/evil && npm ls', true],
    ['cd /tmp/evil && docker compose ps', true],
    ['cd /w && cd x && git status', true],
    ['cd - && git status', true],
    ['cd /w && git status', false],
    ['cd . && git status', false],
    ['cd /tmp/evil && docker ps', false],
  ])('of a script: %s %s', (script, needs) =>
    expect(classify(['sh', '-c', script]).needs.includes('shell')).toBe(needs),
  );
});

describe('a rule of the configuration about a wrapper', () => {
  const rule = (match: readonly string[], over: Partial<CommandRule> = {}): CommandRule => ({
    match,
    class: 'destructive',
    needs: ['edit_system'],
    ...over,
  });
  const withRules = (commands: readonly CommandRule[], text: string) =>
    createCommandClassifier({ grammar, commands }).classify(text.split(' '), PLACE);

  it.each([
    'sudo ls',
    'ssh db ls',
    'bash -c ls',
    'nice ls',
    'env ls',
    'timeout 5 ls',
    'watch ls',
    'su x -c ls',
    'xargs ls',
  ])('is asked beside what is inside: %s', (text) => {
    const [program = ''] = text.split(' ');
    expect(withRules([], text).class).toBe('read');
    expect(withRules([rule([program, '**'])], text)).toMatchObject({
      class: 'destructive',
      rule: 'commands[0]',
      needs: expect.arrayContaining(['edit_system', 'read_files']),
    });
  });

  it('makes nothing inside milder, and gives it no target', () => {
    const is = withRules([rule(['sudo', '**'], { class: 'read', needs: [] })], 'sudo rm -rf /x');
    expect(is).toMatchObject({ class: 'destructive', rule: 'files.remove', needs: ['destructive'] });
    const change = [rule(['sudo', '**'], { class: 'config-mutation' })];
    expect(withRules(change, 'sudo rm /x')).not.toHaveProperty('target');
    expect(withRules([rule(['find', '**'])], 'find . -exec ls {} ;').rule).toBe('commands[0]');
  });

  it('that waits makes it stricter, and lets nothing through for its name', () => {
    const is = withRules([rule(['sudo', '**'], { onlyStricter: true })], 'sudo ls');
    expect(is).toMatchObject({ class: 'destructive', rule: 'wrapper.waiting' });
  });
});

it('keeps what a rule needs where an argument may become anything', () => {
  expect(classify(['xargs', 'of-tomorrow']).needs).toEqual(['destructive', 'shell']);
  expect(classify(['xargs', 'git', 'push']).needs).toEqual(['destructive', 'push_repo', 'shell', 'use_network']);
});
