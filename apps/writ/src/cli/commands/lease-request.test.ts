import { describe, expect, it } from 'vitest';
import { askedText } from './lease-request.ts';

describe('a lease that was asked for', () => {
  it('is shown by this node where its person is asked', () => {
    for (const options of [{}, { peer: 'Self' }]) {
      expect(askedText('ap-1', '2h', options)).toBe(
        'asked; it waits for a person, 2h at most: writ approval show ap-1',
      );
    }
  });

  it('is a question of the peer where that is asked, which no command here shows', () => {
    const asked = 'asked; it waits for a person at beta, 2h at most, who sees it there as ap-1; ';
    expect(askedText('ap-1', '2h', { peer: 'beta' })).toBe(`${asked}once it is lent, delegate again`);
    const again = 'the same command again says what became of it';
    expect(askedText('ap-1', '2h', { peer: 'beta', key: 'once' })).toBe(asked + again);
  });
});
