import { describe, expect, it } from 'vitest';
import { type Bounds, changesFrom, gainsBeyond, isShut, narrowBounds, readBounds } from './bounds.ts';
import type { CompiledPolicy } from './policy-index.ts';
import { finish } from './slices.ts';
import { BASE, load } from './testing/fixtures.ts';
import { testId } from './testing/testing.ts';

const less = BASE.replace('max_depth = 2', 'max_depth = 1');
const other = BASE.replace('max_concurrent = 2', 'max_concurrent = 1');
const more = BASE.replace('max_depth = 2', 'max_depth = 3');
const narrowed = (bounds: Bounds, next: CompiledPolicy): Bounds => finish(narrowBounds(bounds, next));
const texts = (bounds: Bounds): readonly string[] => bounds.map(({ text }) => text);

describe('the texts that bound a policy', () => {
  it('are the accepted one, then each that took something away, and none twice', () => {
    const accepted = load(BASE);
    expect(narrowed([accepted], accepted)).toEqual([accepted]);
    expect(narrowed([accepted], load(more))).toEqual([accepted]);
    const once = narrowed([accepted], load(less));
    expect(texts(once)).toEqual([BASE, less]);
    expect(narrowed(once, load(less))).toBe(once);
    const twice = narrowed(once, load(other));
    expect(texts(twice)).toEqual([BASE, less, other]);
    const both = less.replace('max_concurrent = 2', 'max_concurrent = 1');
    expect(texts(narrowed(twice, load(both)))).toEqual([BASE, both]);
  });

  it('are sixteen at most; one more lets nobody in until a person accepts', () => {
    let bounds = readBounds([BASE]);
    // Each gives the laptop one hop more and takes one run away: none lies within another.
    const step = (at: number): string =>
      BASE.replace('max_depth = 2', `max_depth = ${at + 3}`).replace(
        'max_concurrent = 2',
        `max_concurrent = ${99 - at}`,
      );
    const wide = BASE.replace('max_depth = 2', 'max_depth = 64').replace('max_concurrent = 2', 'max_concurrent = 200');
    bounds = [load(wide)];
    for (let at = 0; at < 15; at++) bounds = narrowed(bounds, load(step(at)));
    expect([bounds.length, isShut(bounds)]).toEqual([16, false]);
    bounds = narrowed(bounds, load(step(15)));
    expect([bounds.length, isShut(bounds)]).toEqual([2, true]);
    expect(finish(gainsBeyond(bounds, load(step(15))))).toContainEqual({
      subject: 'desk',
      effect: 'gains',
      what: `is a peer: ${testId('desk')}`,
    });
    expect(isShut(readBounds(texts(bounds)))).toBe(true);
  });

  it.each([[[]], [['schema = 7']], [[BASE, 'schema = 7']], [['']]])(
    'are none that lets anybody in where they cannot be loaded any more (%#)',
    (stored) => {
      expect(isShut(readBounds(stored))).toBe(true);
    },
  );

  it('are compiled once where they are known already', () => {
    const known = load(BASE);
    expect(readBounds([BASE, less], [known])[0]).toBe(known);
    expect(texts(readBounds([BASE, less], [known]))).toEqual([BASE, less]);
  });

  it('are no reason to shut where they can', () => {
    expect(isShut(readBounds([BASE, less]))).toBe(false);
  });
});

describe('the changes from what was accepted', () => {
  const stored = [BASE, less];
  const lines = (text: string): readonly string[] =>
    changesFrom(stored, load(text)).map(({ subject, effect, what }) => `${subject} ${effect}: ${what}`);

  it('are gains beyond every text, and losses from the accepted one', () => {
    expect(lines(less)).toEqual(['laptop loses: work may go on for 2 hops']);
    expect(lines(BASE)).toEqual(['laptop gains: work may go on for 2 hops']);
    expect(lines(more)).toEqual(['laptop gains: work may go on for 3 hops']);
    expect(lines(less.replace('max_concurrent = 2', 'max_concurrent = 1'))).toEqual([
      'laptop loses: work may go on for 2 hops',
      'desk loses: may have 2 tasks at once',
    ]);
  });

  it('are everything where nothing can be read', () => {
    expect(changesFrom([], load(BASE))).toContainEqual({
      subject: 'laptop',
      effect: 'gains',
      what: `is a peer: ${testId('laptop')}`,
    });
  });
});
