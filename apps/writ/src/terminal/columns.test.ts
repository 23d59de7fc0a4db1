import { expect, it } from 'vitest';
import { mostColumnsOf, paddedTo, widthOf } from './columns.ts';

it('counts the columns of a line as most terminals show it', () => {
  expect(['beta', '北京', 'e\u0301', '🦊x', ''].map(widthOf)).toEqual([4, 4, 1, 3, 0]);
  expect(['beta', '北京', 'e\u0301', 'too long'].map((text) => paddedTo(text, 5))).toEqual([
    'beta ',
    '北京 ',
    'e\u0301    ',
    'too long',
  ]);
});

it('says what a character takes where it takes most', () => {
  expect(['a', '~', 'é', '京', '🦊'].map(mostColumnsOf)).toEqual([1, 1, 2, 2, 2]);
});
