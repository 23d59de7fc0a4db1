import { expect, it } from 'vitest';
import { fitting } from './fitting.ts';

it('shows as many lines as there are rows above the cursor, and how many are left out', () => {
  const text = ['1', '2', '3', '4', '5'].join('\n');
  expect(fitting(text, { rows: 6, columns: 20 })).toEqual(['1', '2', '3', '4', '5']);
  expect(fitting(text, { rows: 5, columns: 20 })).toEqual(['1', '2', '3', '… 2 more lines']);
  expect(fitting(text, { rows: 1, columns: 20 })).toEqual(['… 5 more lines']);
  expect(fitting('x'.repeat(90), { rows: 0, columns: 0 })).toEqual(['x'.repeat(80)]);
});

it('cuts a line at the last column, whatever is drawn in colour or is twice as wide', () => {
  expect(fitting('abcdef', { columns: 4 })).toEqual(['abcd']);
  expect(fitting('a\u001b[31mbcd\u001b[39mef', { columns: 2 })).toEqual(['a\u001b[31mb\u001b[39m']);
  expect(fitting('日本語', { columns: 5 })).toEqual(['日本']);
  expect(fitting('😀😀a', { columns: 4 })).toEqual(['😀😀']);
});

it.each(['漢', '✅', '⚡', '⏰', '\u{17000}', '\u{1f18e}', '\u{1f1e9}', '\u{1f680}'])(
  '%s takes two columns',
  (wide) => {
    expect(fitting(wide.repeat(9), { rows: 9, columns: 10 })).toEqual([wide.repeat(5)]);
    expect(fitting('…’ü—'.repeat(9), { rows: 9, columns: 8 })).toEqual(['…’ü—…’ü—']);
  },
);
