import { describe, expect, it } from 'vitest';
import { isOption, parseArguments, skipOptions } from './options.ts';
import { absolutePath, isInsideWorkspace } from './paths.ts';
import { programOf } from './program.ts';
import { classifyRedirect } from './redirects.ts';
import { targetsOf } from './targets.ts';
import type { Argument, CommandPlace, TargetSpec } from './types.ts';
import { unwrap } from './unwrap.ts';

const PLACE: CommandPlace = { host: 'self', cwd: '/w', workspace: '/w' };
const literal = (text: string): Argument => ({ text, shape: 'literal' });
const words = (...texts: string[]): readonly Argument[] => texts.map(literal);

describe('options', () => {
  const spec = { names: [], valued: ['-n', '--name'], flags: ['-a', '-b', '--all'] };
  const parse = (...texts: string[]) => parseArguments(words(...texts), spec);
  const shown = (...texts: string[]) => parse(...texts).options.map(({ name, value }) => [name, value?.text]);

  it('take their value attached, behind `=`, or from the next argument', () => {
    expect(shown('-nx')).toEqual([['-n', 'x']]);
    expect(shown('-n=x')).toEqual([['-n', 'x']]);
    expect(shown('-n', 'x')).toEqual([['-n', 'x']]);
    expect(shown('--name=x=y')).toEqual([['--name', 'x=y']]);
    expect(shown('--name', 'x', 'y')).toEqual([['--name', 'x']]);
    expect(shown('-n')).toEqual([['-n', undefined]]);
    expect(shown('-abn', 'x')).toEqual([
      ['-a', undefined],
      ['-b', undefined],
      ['-n', 'x'],
    ]);
    expect(parse('-nx', 'y').operands).toEqual(words('y'));
    expect(parse('-n', 'x', 'y').operands).toEqual(words('y'));
    expect(parse('--=x').options).toMatchObject([{ name: '--', known: false }]);
  });

  it('end behind `--`, and a lone `-` is none', () => {
    expect(parse('-a', '-', '--', '-b')).toMatchObject({ operands: words('-', '-b'), options: [{ name: '-a' }] });
  });

  it('say how many operands stood in front, and whether the program has them', () => {
    expect(parse('x', '-a', 'y', '-z').options).toMatchObject([
      { name: '-a', before: 1, known: true },
      { name: '-z', before: 2, known: false },
    ]);
  });

  it('are abbreviated where they are long', () => {
    expect(isOption('--fo', ['--force'])).toBe(true);
    expect(isOption('--force', ['--force'])).toBe(true);
    for (const given of ['--', '-', '-f', 'fo', '--forced', '--or']) expect(isOption(given, ['--force'])).toBe(false);
  });

  it('are skipped up to the command, with what they hold', () => {
    const seen: unknown[] = [];
    const skip = (args: readonly Argument[]) =>
      skipOptions(args, { flags: ['-a', '-b'], valued: ['-n', '--name'] }, (name, value) => seen.push([name, value]));
    expect(skip(words('-ab', '-n', 'x', '--name=y', 'ls'))).toBe(4);
    expect(seen).toEqual([
      ['-a', undefined],
      ['-b', undefined],
      ['-n', 'x'],
      ['--name', 'y'],
    ]);
    expect(skip(words('-a', '--', '-b'))).toBe(2);
    expect(skip(words('-', '-a'))).toBe(0);
    expect(skip(words('-a'))).toBe(1);
    expect(skip(words('-n'))).toBe(2);
    expect(skip(words('-az', 'ls'))).toBeUndefined();
    expect(skip(words('-za', 'ls'))).toBeUndefined();
    expect(skip([{ text: 'd/*', shape: 'path' }, literal('x')])).toBe(0);
    expect(skip([{ text: '*', shape: 'any' }, literal('x')])).toBeUndefined();
  });
});

describe('paths', () => {
  it.each([
    ['x', '/w/x'],
    ['./b//c/.', '/w/b/c'],
    ['.././../b/x', '/b/x'],
    ['a/../x', undefined],
    ['/a/../x', undefined],
    ['../../../x', '/x'],
    ['/', '/'],
    ['a~', '/w/a~'],
    ['a b', '/w/a b'],
  ])('%j is %s', (text, path) => {
    expect(absolutePath(literal(text), PLACE)).toBe(path);
  });
  it.each(['', '~', '~/x', 'a\nb', 'a\u007f', '\u001b'])('%j is none that is known', (text) => {
    expect(absolutePath(literal(text), PLACE)).toBeUndefined();
  });
  it('depend on where the command runs, and on nothing that the shell fills in', () => {
    expect(absolutePath(literal('x'), { host: 'self' })).toBeUndefined();
    expect(absolutePath(literal('/x'), { host: 'self' })).toBe('/x');
    expect(absolutePath({ text: '/x/*', shape: 'path' }, PLACE)).toBeUndefined();
  });
  it.each([
    ['/w/x', true],
    ['/w/x/.gitignore', true],
    ['/w', false],
    ['/wx', false],
    ['/x/w/y', false],
    ['/w/.git/config', false],
    ['/w/a/.GIT/x', false],
  ])('%s lies inside the workspace: %s', (path, isInside) => {
    expect(isInsideWorkspace(path, PLACE)).toBe(isInside);
    expect(isInsideWorkspace(path, { ...PLACE, workspace: '/w/' })).toBe(isInside);
  });
  it('lie inside no workspace of another machine, nor where there is none', () => {
    expect(isInsideWorkspace('/w/x', { ...PLACE, host: 'db' })).toBe(false);
    expect(isInsideWorkspace('/w/x', { host: 'self', cwd: '/w' })).toBe(false);
    expect(isInsideWorkspace(undefined, PLACE)).toBe(false);
  });
});

describe('programs', () => {
  const isKnown = (name: string): boolean => ['python', 'gcc', 'node18'].includes(name);
  it.each([
    ['python3', 'python', false],
    ['python3.11', 'python', false],
    ['gcc-12', 'gcc', false],
    ['python3x', 'python3x', true],
    ['node18', 'node18', true],
    ['node20', 'node20', true],
    ['Python', 'python', false],
    ['/usr/bin/python3', 'python', false],
    ['/usr/local/sbin/gcc', 'gcc', true],
    ['/tmp/usr/bin/gcc', 'gcc', false],
    ['./gcc', 'gcc', false],
  ])('%s is %s; for certain: %s', (text, name, isExact) => {
    expect(programOf(text, isKnown)).toEqual({ name, isExact });
  });
});

describe('redirects', () => {
  const of = (operator: string, text: string, shape: Argument['shape'] = 'literal') =>
    classifyRedirect({ operator, to: { text, shape } }, PLACE);
  it.each([
    ['>&', '1'],
    ['>&', '12-'],
    ['<&', '0'],
    ['<&', '-'],
    ['>', '/dev/null'],
  ])('%s%s moves bytes around', (operator, to) => {
    expect(of(operator, to)).toBeUndefined();
  });
  it.each([
    ['>&', '1x', 'redirect.workspace'],
    ['>&', 'x1', 'redirect.workspace'],
    ['>', '1', 'redirect.workspace'],
    ['<', 'in', 'redirect.read'],
    ['<>', 'x', 'undecided'],
    ['<&', 'x', 'undecided'],
    ['<', '/dev/tcp/x/1', 'undecided'],
    ['>', '/etc/x', 'redirect.outside'],
    ['>', '~/x', 'undecided'],
  ])('%s%s: %s', (operator, to, rule) => {
    expect(of(operator, to)?.rule).toBe(rule);
  });
  it('to a pattern cannot be told, whatever stands there', () => {
    expect(of('>', '/dev/null', 'path')).toMatchObject({ rule: 'undecided', targets: [] });
    expect(of('<', 'x*', 'any')).toMatchObject({ rule: 'undecided', targets: [] });
  });
  it('name the file', () => {
    expect(of('>', 'x')).toMatchObject({ targets: ['self/path//w/x'], argv: ['>', 'x'], host: 'self' });
  });
});

describe('names of what is acted on', () => {
  const name = (kind: string, text: string, shape: Argument['shape'] = 'literal') =>
    targetsOf({ kind }, { operands: [{ text, shape }], options: [] }, PLACE)?.[0]?.slice(`self/${kind}/`.length);
  it.each([
    ['service', 'nginx', 'nginx'],
    ['service', 'nginx.service', 'nginx'],
    ['service', 'a.service.d', 'a.service.d'],
    ['service', 'a b', undefined],
    ['service', ' a', undefined],
    ['service', '-a', undefined],
    ['service', '../a', undefined],
    ['package', 'jq=1.7', 'jq'],
    ['package', 'jq/stable', 'jq'],
    ['package', '@scope/name', undefined],
    ['package', 'jq-', undefined],
    ['package', 'g++', undefined],
    ['package', 'a-b', 'a-b'],
    ['package', 'a+b', 'a+b'],
    ['package', './x.deb', undefined],
    ['package', 'Jq', undefined],
    ['package', 'jq x', undefined],
    ['branch', 'main', 'main'],
    ['branch', '+a:refs/heads/main', 'main'],
    ['branch', 'a+b', undefined],
    ['branch', 'x/refs/heads/y', 'x/refs/heads/y'],
    ['branch', 'refs/tags/x', undefined],
    ['branch', 'HEAD', undefined],
    ['branch', 'a..b', undefined],
    ['branch', 'a/', undefined],
    ['branch', '/a', undefined],
    ['branch', 'a b', undefined],
    ['branch', '', undefined],
    ['image', 'a/b:1', 'a/b:1'],
    ['image', 'A/b', undefined],
    ['image', 'a b', undefined],
    ['image', ' a', undefined],
    ['container', 'web_1', 'web_1'],
    ['container', 'a/b', undefined],
  ])('%s %j is %s', (kind, text, canonical) => {
    expect(name(kind, text)).toBe(canonical);
  });
  it('are none where the shell fills them in', () => {
    for (const kind of ['service', 'package', 'branch', 'image', 'container', 'path']) {
      expect(name(kind, 'a', 'any')).toBeUndefined();
    }
  });
  it('stand at the places that the rule says', () => {
    const named = (spec: Omit<TargetSpec, 'kind'>, ...operands: string[]) =>
      targetsOf({ kind: 'container', ...spec }, { operands: words(...operands), options: [] }, PLACE);
    expect(named({ last: true }, 'a', 'b')).toEqual(['self/container/b']);
    expect(named({ only: 0 }, 'a', 'b')).toEqual(['self/container/a']);
    expect(named({ only: 1 }, 'a', 'b', 'c')).toEqual(['self/container/b']);
    expect(named({ from: 1 }, 'a', 'b', 'c')).toEqual(['self/container/b', 'self/container/c']);
    expect(named({ from: 1 }, 'a', 'b', '-x')).toBeUndefined();
    expect(named({ from: 1 }, 'a')).toBeUndefined();
    expect(named({ prefix: 'of=' }, 'if=a', 'of=b')).toEqual(['self/container/b']);
    expect(named({ within: [0], from: 1 }, 'r', 'b')).toEqual(['self/container/r/b']);
    expect(named({ within: [2], from: 1 }, 'r', 'b')).toBeUndefined();
    expect(named({ within: [0], from: 1 }, '*r', 'b')).toBeUndefined();
  });
  it('belong to what an option says, where it says it once', () => {
    const given = (...values: string[]) =>
      targetsOf(
        { kind: 'container', within: ['--context|-c'], withinIfGiven: ['--namespace'] },
        {
          operands: words('a'),
          options: values.map((text) => ({
            name: text.startsWith('n') ? '--namespace' : '--context',
            value: literal(text),
            before: 0,
            known: true,
          })),
        },
        PLACE,
      );
    expect(given('p')).toEqual(['self/container/p/a']);
    expect(given('p', 'n')).toEqual(['self/container/p/n/a']);
    expect(given('p', 'q')).toBeUndefined();
    expect(given('p', 'n', 'n2')).toBeUndefined();
    expect(given('p', 'n/x')).toBeUndefined();
    expect(given()).toBeUndefined();
  });
});

describe('wrappers', () => {
  const inside = (program: string, ...args: string[]) => unwrap(program, words(...args), PLACE);
  const NOWHERE = { host: 'self', workspace: '/w' };

  it.each([
    ['su', ['-', 'u', '-c', 'ls']],
    ['su', ['-l', '-m', '-p', '--login', 'u', '--command', 'ls']],
    ['runuser', ['-u', '-x', '-c', 'ls']],
  ])('%s %j runs a script, somewhere', (program, args) => {
    expect(inside(program, ...args)).toEqual({ kind: 'script', script: 'ls', place: NOWHERE });
  });
  it('%s without a known workspace has none inside either', () => {
    const place = { host: 'self', cwd: '/w' };
    expect(unwrap('su', words('-c', 'ls'), place)).toEqual({ kind: 'script', script: 'ls', place: { host: 'self' } });
    expect(unwrap('find', words('.', '-exec', 'ls', ';'), place)).toMatchObject({ place: { host: 'self' } });
  });
  it.each([[['-x', '-c', 'ls']], [['u']], [['-c']]])('su %j cannot be told', (args) => {
    expect(inside('su', ...args)).toMatchObject({ kind: 'undecided' });
  });

  it.each([
    ...['-d', '-t', '-b', '-e', '-g', '-c', '-p', '--no-title', '--differences', '--color'].map((flag) => [[flag]]),
    [['-n', '2']],
    [['--interval', '2']],
  ])('watch %j joins what is behind', (options) => {
    expect(inside('watch', ...options, 'rm', 'x')).toMatchObject({ kind: 'script', script: 'rm x', place: PLACE });
  });
  it('watch cannot be told with a pattern, an unknown option, or nothing', () => {
    const pattern: Argument = { text: 'd/*', shape: 'path' };
    expect(unwrap('watch', [literal('rm'), pattern], PLACE)).toMatchObject({ kind: 'undecided' });
    expect(inside('watch', '--odd', 'ls')).toMatchObject({ kind: 'undecided' });
    expect(inside('watch', '-t')).toMatchObject({ kind: 'undecided' });
  });

  it('sh runs a script only with -c, whatever options stand there', () => {
    expect(inside('sh', '-e', '-c', 'ls')).toMatchObject({ kind: 'script', script: 'ls' });
    expect(inside('sh', '-e', 'ls')).toMatchObject({ kind: 'undecided' });
    expect(inside('sh', '-c')).toMatchObject({ kind: 'undecided' });
  });

  it('xargs appends something unknown, and puts it where -I says', () => {
    const more = { text: '…', shape: 'any' };
    expect(inside('xargs', 'rm', 'x')).toMatchObject({ commands: [[...words('rm', 'x'), more]] });
    expect(inside('xargs', '-I', '%', 'rm', 'a%b', 'c')).toMatchObject({
      commands: [[literal('rm'), { text: 'a%b', shape: 'any' }, literal('c'), more]],
    });
    expect(inside('xargs', '-n', '1', 'rm', '1')).toMatchObject({ commands: [[...words('rm', '1'), more]] });
  });

  it('env sets variables in front of the command, and nothing behind it', () => {
    expect(inside('env', 'A=1', 'B=2', 'x', 'C=3')).toMatchObject({
      commands: [words('x', 'C=3')],
      variables: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    });
    expect(inside('env', 'A=1')).not.toHaveProperty('commands');
    expect(inside('nice', 'A=1', 'x')).toMatchObject({ commands: [words('A=1', 'x')], variables: [] });
  });

  it('find has its commands, each to its own end, and what it does itself', () => {
    const path = { text: '{}', shape: 'path', within: ['.'] };
    expect(
      inside(
        'find',
        '.',
        '-exec',
        'a',
        '{}',
        ';',
        '-name',
        'x',
        '-exec',
        'c',
        '+',
        'x{}',
        ';',
        '-execdir',
        'd',
        '{}',
        '+',
      ),
    ).toEqual({
      ...{ kind: 'commands', own: words('.', '-name', 'x'), place: NOWHERE, variables: [] },
      commands: [
        [literal('a'), { ...path, isOne: true }],
        [literal('c'), literal('+'), { text: 'x{}', shape: 'any' }],
        [literal('d'), path],
      ],
    });
    expect(inside('find', '.', '-delete')).toEqual({ kind: 'plain' });
    for (const args of [
      ['-exec', ';'],
      ['-exec', '{}', ';'],
      ['-exec', 'a'],
      ['-exec', 'a', 'x{}', '+', ';'],
      ['-exec', 'a', '+'],
      [';', '-exec', 'a'],
    ]) {
      expect(inside('find', ...args)).toMatchObject({ kind: 'undecided' });
    }
  });

  it.each([
    [['db', 'ls'], 'db'],
    [['root@db', 'ls'], 'db'],
    [['a@b@db', 'ls'], undefined],
    [['ssh://db', 'ls'], 'db'],
    [['x', '-o', 'y'], undefined],
    [[], undefined],
  ])('ssh %j leads to %s', (args, host) => {
    const unwrapped = inside('ssh', ...args);
    expect('place' in unwrapped ? unwrapped.place.host : undefined).toBe(host);
  });
});
