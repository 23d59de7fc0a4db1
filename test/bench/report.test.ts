import { describe, expect, it } from 'vitest';
import { goal1 } from './report.ts';

const summary = (medianMs: number, p99Ms = medianMs) => ({ samples: 10, medianMs, p99Ms, leastMs: medianMs });

describe('goal1', () => {
  it('divides medians and says which goals are met', () => {
    const ratios = goal1(
      new Map([
        ['delegate', summary(3, 12)],
        ['spawn+unary', summary(2)],
        ['ssh-warm', summary(8)],
        ['ssh-cold', summary(300)],
      ]),
    );
    expect(ratios).toEqual([
      { name: 'delegate / spawn+unary', value: 1.5, atMost: 1.6, met: true },
      { name: 'delegate / ssh-warm', value: 0.375, atMost: 0.3, met: false },
      { name: 'delegate / ssh-cold', value: 0.01, atMost: 0.015, met: true },
      { name: 'delegate p99 / median', value: 4, atMost: 3, met: false },
    ]);
  });

  it('says nothing about what was not measured', () => {
    expect(goal1(new Map([['ssh-warm', summary(8)]]))).toEqual([]);
  });
});
