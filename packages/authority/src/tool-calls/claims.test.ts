import type { Json } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { commandIn, pathsOf, urlsIn } from './claims.ts';

const pathsIn = (input: Json) => pathsOf({ paths: [], input });

describe('the paths that a raw input names', () => {
  it.each([
    ...['path', 'paths', 'file', 'files', 'file_path', 'filePath', 'abs_path', 'absolute_path', 'notebook_path'],
    ...['old_path', 'new_path', 'source', 'destination', 'from', 'to', 'directory', 'dir', 'locations'],
  ])('are those under %s, one or many, as they stand or in an object', (key) => {
    expect(pathsIn({ [key]: 'a' })).toEqual(['a']);
    expect(pathsIn({ [key]: ['a', { path: 'b', line: 7 }] })).toEqual(['a', 'b']);
    expect(pathsIn({ [key]: { path: 'c' } })).toEqual(['c']);
  });

  it('are all of them, wherever they stand', () => {
    expect(pathsIn({ path: 'a', locations: [{ path: 'b' }], to: 'c', other: 'd' })).toEqual(['a', 'c', 'b']);
  });

  it('cannot be told where one of them is no text', () => {
    const inputs: readonly Json[] = [
      { path: '' },
      { path: 7 },
      { path: true },
      { path: {} },
      { paths: ['a', null] },
      { path: [['a']] },
      { path: { path: '' } },
    ];
    for (const input of inputs) expect(pathsIn(input)).toBeUndefined();
  });

  it('are those beside it too, and first, where each is one', () => {
    expect(pathsOf({ paths: ['x', 'y'], input: { path: 'a' } })).toEqual(['x', 'y', 'a']);
    expect(pathsOf({ paths: ['x'], input: null })).toEqual(['x']);
    expect(pathsOf({ paths: ['x', ''], input: null })).toBeUndefined();
    expect(pathsOf({ paths: ['x'], input: { path: 7 } })).toBeUndefined();
  });

  it('are none where nothing is named', () => {
    const inputs: readonly Json[] = [{}, null, 7, 'a', [], [{ path: 'a' }], { path: null }, { path: [] }];
    for (const input of inputs) expect(pathsIn(input)).toEqual([]);
  });
});

describe('the addresses that a raw input names', () => {
  it('are all of them, or cannot be told', () => {
    expect(urlsIn({ url: 'https://a.example/x', uri: 'http://b.example' })?.map(({ href }) => href)).toEqual([
      ...['https://a.example/x', 'http://b.example/'],
    ]);
    expect(urlsIn({ urls: ['https://a.example/', 'no address'] })).toBeUndefined();
    expect(urlsIn({ url: 7 })).toBeUndefined();
    expect(urlsIn({ path: 'https://a.example/' })).toEqual([]);
  });
});

describe('the command that a raw input is', () => {
  it.each<[Json, object]>([
    [{ command: 'npm test' }, { argv: ['npm', 'test'] }],
    [{ cmd: 'npm  test' }, { argv: ['npm', 'test'] }],
    [{ argv: ['npm', 'a b'] }, { argv: ['npm', 'a b'] }],
    [{ command: 'npm', args: ['test', 'a b'] }, { argv: ['npm', 'test', 'a b'] }],
    [{ command: 'npm', args: [] }, { argv: ['npm'] }],
    [{ command: 'sh', args: ['-c', 'npm test'] }, { argv: ['npm', 'test'] }],
    [{ command: 'a && b' }, { argv: ['sh', '-c', 'a && b'] }],
    [{ command: ' npm test' }, { argv: ['sh', '-c', ' npm test'] }],
    [{ command: 'npm test ' }, { argv: ['sh', '-c', 'npm test '] }],
    [{ command: 'a\nb' }, { argv: ['sh', '-c', 'a\nb'] }],
    [{ command: 'A=$B c' }, { argv: ['sh', '-c', 'A=$B c'] }],
    [{ command: ['/bin/bash', '-c', 'npm test'] }, { argv: ['npm', 'test'] }],
    [{ command: ['/usr/bin/zsh', '-lc', 'npm test'] }, { argv: ['npm', 'test'] }],
    [{ command: ['dash', '-c', 'a'] }, { argv: ['a'] }],
    [{ command: ['/opt/bin/bash', '-c', 'npm test'] }, { argv: ['/opt/bin/bash', '-c', 'npm test'] }],
    [{ command: ['bash2', '-c', 'npm test'] }, { argv: ['bash2', '-c', 'npm test'] }],
    [{ command: ['fish', '-c', 'npm test'] }, { argv: ['fish', '-c', 'npm test'] }],
    [{ command: ['bash', '-cx', 'npm test'] }, { argv: ['bash', '-cx', 'npm test'] }],
    [{ command: ['bash', '-xc', 'npm test'] }, { argv: ['bash', '-xc', 'npm test'] }],
    [{ command: ['bash', '-c', 'npm test', 'x'] }, { argv: ['bash', '-c', 'npm test', 'x'] }],
    [{ command: ['bash', '-c'] }, { argv: ['bash', '-c'] }],
    [
      { command: ['npm'], cwd: 'sub' },
      { argv: ['npm'], cwd: 'sub' },
    ],
    [
      { command: ['npm'], workdir: '/w' },
      { argv: ['npm'], cwd: '/w' },
    ],
    [
      { command: ['npm'], working_directory: { path: 'x' } },
      { argv: ['npm'], cwd: 'x' },
    ],
  ])('%j is %j', (input, expected) => {
    expect(commandIn(input)).toEqual(expected);
  });

  it('cannot be told where it is none, or more than one', () => {
    const inputs: readonly Json[] = [
      ...[null, {}, 'npm test', ['npm', 'test'], { command: '' }, { command: ' ' }, { command: [] }, { command: 7 }],
      ...[{ command: ['npm', 7] }, { command: null }, { command: 'a', cmd: 'a' }, { command: 'a', argv: ['a'] }],
      ...[
        { command: ['npm'], args: ['x'] },
        { command: 'npm', args: 'x' },
        { command: 'npm', args: [7] },
      ],
      ...[
        { command: 'npm', cwd: 'a', workdir: 'a' },
        { command: 'npm', cwd: 7 },
        { command: 'npm', cwd: ['a', 'b'] },
      ],
    ];
    for (const input of inputs) expect(commandIn(input)).toBeUndefined();
  });
});
