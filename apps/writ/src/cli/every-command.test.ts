import { describe, expect, it } from 'vitest';
import { noTerminal } from '../terminal/terminal.ts';
import { defineCommands } from './commands/index.ts';
import { examplesOf } from './examples.ts';
import { definedProgram, leafCommands } from './leaf-commands.ts';
import { manPage } from './man-page.ts';
import { createProgram, runProgram } from './program.ts';
import { JSON_SHAPES, WITHOUT_JSON } from './shapes/index.ts';
import { callsIn } from './testing/shell-calls.ts';

const commands = leafCommands(definedProgram());
const page = manPage();
const signal = new AbortController().signal;
const base = { json: true, signal, terminal: noTerminal, stopSignal: () => signal } as never;

/** Parses a call as the program does; what it is defined to do is not done. */
async function parse(argv: readonly string[]): Promise<number> {
  return runProgram(
    createProgram('0'),
    ({ program }) => defineCommands({ program, run: () => async () => undefined }),
    base,
    argv,
  );
}

describe.each(commands)('writ $words', ({ words, command }) => {
  it('says what it does, and shows calls of itself that are right', async () => {
    expect(command.description()).not.toBe('');
    const shown = examplesOf(command);
    expect(shown.length).toBeGreaterThan(0);
    const calls = shown.flatMap(callsIn);
    expect(calls.map((argv) => argv.join(' '))).toContainEqual(expect.stringMatching(new RegExp(`^${words}\\b`)));
    for (const argv of calls) expect(await parse(argv), argv.join(' ')).toBe(0);
  });

  it('has a documented shape with --json, or none on purpose', () => {
    expect(words in JSON_SHAPES).toBe(!WITHOUT_JSON.includes(words));
  });

  it('is in the manual page', () => {
    expect(page).toContain(`.SS writ ${words.replaceAll('-', '\\-')}`);
  });
});

it('no shape is of a command that is not there', () => {
  const known = [...commands.map(({ words }) => words), 'complete'];
  expect(Object.keys(JSON_SHAPES).filter((words) => !known.includes(words))).toEqual([]);
});

it('a call of an example is told from what stands around it', () => {
  expect(callsIn('export X="$(writ session start)"')).toEqual([['session', 'start']]);
  expect(callsIn('writ task log TASK > out.txt')).toEqual([['task', 'log', 'TASK']]);
  expect(callsIn("writ run -- sh -c 'a | b' | writ verify x")).toEqual([
    ['run', '--', 'sh', '-c', 'a | b'],
    ['verify', 'x'],
  ]);
  expect(callsIn('kill 1 # writ up')).toEqual([]);
});
