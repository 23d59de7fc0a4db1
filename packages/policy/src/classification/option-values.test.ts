import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseArguments } from './options.ts';
import { PACKS } from './packs/index.ts';
import type { Argument } from './types.ts';
import { WRAPPERS } from './wrappers.ts';

/** One line of the file, which says how its lines are written and found. */
interface Valued {
  readonly program: string;
  readonly words: readonly string[];
  readonly options: readonly string[];
}

function readLine(line: string): Valued {
  const [call = '', options = ''] = line.split(': ');
  const [program = '', ...words] = call.split(' ');
  return { program, words, options: options.split(' ') };
}

const text = readFileSync(new URL('../../cases/option-values.txt', import.meta.url), 'utf8');
const LINES = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const literal = (one: string): Argument => ({ text: one, shape: 'literal' });

/** True where the word behind the option would be read as one of the command, although the option takes it. */
function leavesValue({ program, words, options }: Valued, option: string): boolean {
  const wrapper = WRAPPERS.find(({ names }) => names.includes(program));
  if (wrapper) return wrapper.flags.includes(option) || options.length === 0;
  const spec = PACKS.flatMap(({ programs }) => programs).find(({ names }) => names.includes(program));
  const { operands, options: read } = parseArguments([...words, option, 'VALUE'].map(literal), spec);
  return read.every(({ known }) => known) && operands.some((one) => one.text === 'VALUE');
}

it.each(LINES)('takes the next argument, or nobody knows: %s', (line) => {
  const one = readLine(line);
  expect(one.options.filter((option) => leavesValue(one, option))).toEqual([]);
});

it('holds what was seen of many programs', () => {
  expect(LINES.length).toBeGreaterThan(100);
  expect(new Set(LINES.map((line) => readLine(line).program)).size).toBeGreaterThan(40);
});
