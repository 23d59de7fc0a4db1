import { describe, expect, it } from 'vitest';
import { type Bounds, changesFrom, gainsBeyond, isShut, narrowBounds, readBounds, writeBounds } from './bounds.ts';
import type { CompiledPolicy } from './policy-index.ts';
import { finish } from './slices.ts';
import { BASE, load } from './testing/fixtures.ts';

const less = BASE.replace('max_depth = 2', 'max_depth = 1');
const other = BASE.replace('max_concurrent = 2', 'max_concurrent = 1');
const more = BASE.replace('max_depth = 2', 'max_depth = 3');
const narrowed = (bounds: Bounds, next: CompiledPolicy): Bounds => finish(narrowBounds(bounds, next));
const texts = (state: string): unknown => JSON.parse(state);

describe('the texts that bound a policy', () => {
  it('are the accepted one, then each that took something away, and none twice', () => {
    const accepted = load(BASE);
    expect(narrowed([accepted], accepted)).toEqual([accepted]);
    expect(narrowed([accepted], load(more))).toEqual([accepted]);
    const once = narrowed([accepted], load(less));
    expect(texts(writeBounds(once))).toEqual({ accepted: BASE, since: [less] });
    expect(narrowed(once, load(less))).toBe(once);
    const twice = narrowed(once, load(other));
    expect(texts(writeBounds(twice))).toEqual({ accepted: BASE, since: [less, other] });
    const both = less.replace('max_concurrent = 2', 'max_concurrent = 1');
    expect(texts(writeBounds(narrowed(twice, load(both))))).toEqual({ accepted: BASE, since: [both] });
  });

  it('are sixteen at most; one more lets nobody in until a person accepts', () => {
    let bounds = readBounds(writeBounds([load(BASE)]));
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
      what: 'is a peer',
    });
    expect(isShut(readBounds(writeBounds(bounds)))).toBe(true);
  });

  it.each(['', '[]', '1', '{"accepted":1,"since":[]}', '{"accepted":"x"}', '{"accepted":"schema = 1","since":["x"]}'])(
    'are none that lets anybody in where they cannot be read: %j',
    (state) => {
      expect(isShut(readBounds(state))).toBe(true);
    },
  );

  it('are no reason to shut where they can', () => {
    expect(isShut(readBounds(writeBounds([load(BASE), load(less)])))).toBe(false);
  });
});

describe('the changes from what was accepted', () => {
  const state = writeBounds([load(BASE), load(less)]);
  const lines = (text: string): readonly string[] =>
    changesFrom(state, load(text)).map(({ subject, effect, what }) => `${subject} ${effect}: ${what}`);

  it('are gains beyond every text, and losses from the accepted one', () => {
    expect(lines(less)).toEqual(['laptop loses: work may go on for 2 hops']);
    expect(lines(BASE)).toEqual(['laptop gains: work may go on for 2 hops']);
    expect(lines(more)).toEqual(['laptop gains: work may go on for 3 hops']);
    expect(lines(less.replace('max_concurrent = 2', 'max_concurrent = 1'))).toEqual([
      'laptop loses: work may go on for 2 hops',
      'desk loses: may have 2 tasks at once',
    ]);
  });

  it('are everything where the state cannot be read', () => {
    expect(changesFrom('', load(BASE))).toContainEqual({ subject: 'laptop', effect: 'gains', what: 'is a peer' });
  });
});
