import { expect, it } from 'vitest';
import { table } from './output.ts';

it('keeps the columns of a table under each other, whatever is in them', () => {
  const text = table(
    ['PEER', 'STATE'],
    [
      ['北京', 'up'],
      ['cafe\u0301', 'up'],
      ['a\u001b[2J', 'up'],
    ],
  );
  expect(text.split('\n')).toEqual(['PEER        STATE', '北京        up', 'cafe\u0301        up', 'a\\u{1b}[2J  up']);
});
