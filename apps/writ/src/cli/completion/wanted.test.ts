import { describe, expect, it } from 'vitest';
import { definedProgram } from '../leaf-commands.ts';
import { wantedNext } from './wanted.ts';

const program = definedProgram();
const words = (...typed: string[]): readonly string[] => wantedNext(program, typed).words.map(({ word }) => word);

describe('what could come next', () => {
  it('is a command, first or below another, and none that is hidden', () => {
    expect(words('')).toEqual(expect.arrayContaining(['init', 'delegate', 'task', 'doctor', 'help']));
    expect(words('')).not.toContain('complete');
    expect(words('task', 'sh')).toEqual(expect.arrayContaining(['show', 'watch']));
    expect(words('task', 'sh')).not.toContain('help');
  });

  it('is an option behind a dash, of this command', () => {
    expect(words('delegate', '--')).toEqual(expect.arrayContaining(['--peer', '--detach', '--help']));
    expect(words('task', 'list', '-')).not.toContain('--detach');
  });

  it('is one of the values of an option that has few', () => {
    expect(words('task', 'list', '--side', '')).toEqual(['asked', 'executing']);
    expect(words('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  it.each([
    [['task', 'show', ''], 'task'],
    [['task', 'result', '--patch', ''], 'task'],
    [['--json', '--home', 'x', 'task', 'show', ''], 'task'],
    [['peer', 'show', ''], 'peer'],
    [['delegate', '-p', ''], 'peer'],
    [['lease', 'grant', ''], 'peer'],
    [['lease', 'grant', 'beta', ''], 'profile'],
    [['lease', 'revoke', ''], 'lease'],
    [['approval', 'deny', ''], 'approval'],
    [['window', 'close', ''], 'window'],
    [['session', 'end', ''], 'session'],
    [['execution', 'show', ''], 'execution'],
    [['approver', 'remove', ''], 'approver'],
    [['delegate', '--workspace', ''], 'workspace'],
  ])('%j wants a name of kind %s', (typed, kind) => {
    expect(wantedNext(program, typed).named).toBe(kind);
  });

  it('takes the peer that was typed before for whose profiles count', () => {
    expect(wantedNext(program, ['delegate', '--peer', 'beta', '--profile', ''])).toMatchObject({
      ...{ named: 'profile', peer: 'beta' },
    });
  });

  it.each([
    [['policy', 'validate', '']],
    [['audit', 'export', '--output', '']],
    [['delegate', '-p', 'beta', '--', '']],
    [['run', '--', 'cat', '']],
    [['verify', '']],
    [['mesh', 'up', '--dir', '']],
  ])('%j wants a path', (typed) => {
    expect(wantedNext(program, typed)).toMatchObject({ words: [], isPath: true });
  });

  it('is nothing where all operands are there, and for a command that is none', () => {
    expect(wantedNext(program, ['task', 'show', 'x', ''])).toEqual({ words: [], isPath: false });
    expect(wantedNext(program, ['tsk', 'show', '']).named).toBeUndefined();
    expect(wantedNext(program, []).words.length).toBeGreaterThan(0);
  });
});
