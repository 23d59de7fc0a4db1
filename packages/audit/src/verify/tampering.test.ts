import { describe, expect, it } from 'vitest';
import { TAMPERINGS, tamperOften } from '../testing/tamper/tamper.ts';

describe('verifying', () => {
  it('finds every kind of tampering and names the entry, and calls nothing tampered that is not', async () => {
    const count = TAMPERINGS.length * 2;
    const figures = await tamperOften(count, 7);
    expect(figures.failures).toEqual([]);
    expect(figures).toMatchObject({ tamperings: count, found: count, exact: count, untouched: 2, falseAlarms: 0 });
  });
});
