import { expect, it } from 'vitest';
import { commandDriver } from './command.ts';

function argvOf(template: readonly string[], prompt: string): readonly string[] {
  const runner = { name: 'fixer', kind: 'command', argv: template } as const;
  const input = { kind: 'prompt', prompt } as const;
  return commandDriver.launch({ runner, input, commands: [], rights: [], isolation: 'none' }, '/w').argv;
}

it('a prompt stands in its argument, whatever it holds', () => {
  expect(argvOf(['fix', '--task={prompt}', '{workspace}'], '--help')).toEqual(['fix', '--task=--help', '/w']);
});

it.each([
  ['alone', ['fix', '{prompt}']],
  ['in front of more', ['fix', '{prompt} now']],
  ['in front of the end of the options', ['fix', '{prompt}', '--']],
])('%s it is no option of the program', (_, template) => {
  for (const prompt of ['--help', '-x', '-'])
    expect(() => argvOf(template, prompt)).toThrow('would take it for an option');
  expect(argvOf(template, 'a -x')[1]).toMatch(/^a -x/);
});

it('behind the end of the options it begins as it likes', () => {
  expect(argvOf(['fix', '--', '{prompt}'], '--help')).toEqual(['fix', '--', '--help']);
});
