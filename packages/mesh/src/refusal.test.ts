import { isWritError } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { isRefused, orThrow, refuse } from './refusal.ts';

describe('a refusal', () => {
  const refused = refuse('NOT_FOUND', 'no such thing', ['name another']);

  it('is told from answers, whatever these say', () => {
    expect(isRefused(refused)).toBe(true);
    for (const answer of [{ ...JSON.parse(JSON.stringify(refused)) }, {}, null, undefined, 'refused']) {
      expect(isRefused(answer)).toBe(false);
    }
  });

  it('has no stack: a caller that is denied costs no more than one that is served', () => {
    expect(refused).not.toBeInstanceOf(Error);
    expect(refused).not.toHaveProperty('stack');
  });

  it('is thrown whole where it cannot be returned', () => {
    const thrown = ((): unknown => {
      try {
        return orThrow<string>(refused);
      } catch (error) {
        return error;
      }
    })();
    expect(isWritError(thrown, 'NOT_FOUND')).toBe(true);
    expect(thrown).toMatchObject({ message: 'no such thing', nextSteps: ['name another'] });
    expect(orThrow('found')).toBe('found');
  });
});
