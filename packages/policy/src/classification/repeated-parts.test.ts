import { describe, expect, it } from 'vitest';
import { allExpressions, type Expression } from '../testing/expressions.ts';

/**
 * An expression that can read a part of a text in two ways takes twice as long for each such part, once the text ends otherwise: some
 * forty parts hold a node up for years. So every part of every example is repeated, in front of an end that does not fit.
 */
const COUNTS = [3, 6, 8, 10, 12, 14, 17, 20, 23, 26, 30, 40];
/** Longest part that is repeated, characters. */
const LONGEST = 24;
const ENDS = ['!', '\n!'];
/** Far more than what a text of a thousand characters takes where each is looked at a few times, milliseconds. */
const TOO_LONG_MS = 30;

function costOf(work: () => void): number {
  const began = performance.now();
  work();
  const tookMs = performance.now() - began;
  if (tookMs < TOO_LONG_MS) return tookMs;
  // Again, and what this process worked: the machine may have been at something else.
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** How often a part is repeated when it takes too long; undefined: it does not. */
function explodesAt(of: RegExp, start: string, part: string, end: string): number | undefined {
  return COUNTS.find((count) => costOf(() => of.test(`${start}${part.repeat(count)}${end}`)) > TOO_LONG_MS);
}

function* partsOf({ texts }: Expression): Generator<readonly [start: string, part: string]> {
  const seen = new Set<string>();
  for (const text of texts) {
    for (let from = 0; from < text.length; from += 1) {
      for (let to = from + 1; to <= Math.min(text.length, from + LONGEST); to += 1) {
        const [start, part] = [text.slice(0, from), text.slice(from, to)];
        const key = JSON.stringify([start, part]);
        if (seen.has(key)) continue;
        seen.add(key);
        yield [start, part];
      }
    }
  }
}

/** The first part that explodes; undefined: none does. */
function explosionOf(expression: Expression): string | undefined {
  const of = new RegExp(expression.of.source, expression.of.flags.replace(/[gy]/g, ''));
  for (const [start, part] of partsOf(expression)) {
    for (const end of ENDS) {
      const count = explodesAt(of, start, part, end);
      if (count !== undefined) return `${JSON.stringify([start, part, end])}, ${count} times, with ${of.source}`;
    }
  }
  return undefined;
}

describe('an expression', () => {
  it('reads each part of a text in one way, however often it stands there', { timeout: 240_000 }, () => {
    const all = allExpressions();
    expect(all.length).toBeGreaterThan(100);
    expect(all.flatMap((one) => explosionOf(one) ?? [])).toEqual([]);
  });

  it('that reads a part in two ways is found', () => {
    expect(explosionOf({ of: /^(?:a|b|ab)+$/, texts: ['ab'] })).toContain('["","ab","!"]');
    expect(explosionOf({ of: /^(?:;? ?b ?)+$/, texts: ['; b '] })).toBeDefined();
    expect(explosionOf({ of: /^(?:a|b)+$/, texts: ['ab'] })).toBeUndefined();
  });
});
