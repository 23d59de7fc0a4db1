import { UNCOUNTED_BYTES } from '@writ/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedBytes, dueAtMs, dueForRemoval, heldBySender, type Keepable } from './retention.ts';
import type { StorageRules } from './types.ts';

const rules: StorageRules = { doneMs: 10, failedMs: 100, orphanedMs: 1000, budgetBytes: 100 };
const kept = (
  state: Keepable['end']['state'],
  atMs: number,
  unbundled: Keepable['end']['unbundled'] = 'none',
  bytes = 10,
): Keepable => ({ end: { state, atMs, unbundled }, bytes });

const sizeOf = (ones: readonly Keepable[]): number => ones.reduce((sum, { bytes }) => sum + bytes, 0);

describe('what is kept', () => {
  it('has the life of its kind, and none of its own where its work is kept nowhere else', () => {
    const due = (['done', 'failed', 'orphaned'] as const).map((state) => dueAtMs(kept(state, 5).end, rules));
    expect(due).toEqual([15, 105, 1005]);
    expect(dueAtMs(kept('done', 5).end, { ...rules, doneMs: undefined } as unknown as StorageRules)).toBe(5);
    for (const unbundled of ['some', 'unknown'] as const) {
      expect(dueAtMs(kept('done', 5, unbundled).end, rules)).toBeUndefined();
    }
  });

  it('goes when it has had its time', () => {
    const [done, failed, work] = [kept('done', 0), kept('failed', 0), kept('done', 0, 'some')];
    const all = [done, failed, work] as Keepable[];
    expect(dueForRemoval(all, rules, 9, 0)).toEqual([]);
    expect(dueForRemoval(all, rules, 10, 0)).toEqual([done]);
    expect(dueForRemoval(all, rules, 1e9, 0)).toEqual([done, failed]);
  });

  it('goes oldest first where there is more than the budget, unbundled work never', () => {
    const [old, older, work] = [
      kept('failed', 2, 'none', 60),
      kept('failed', 1, 'none', 60),
      kept('failed', 0, 'unknown', 60),
    ];
    expect(dueForRemoval([old, older], rules, 3, 0)).toEqual([older]);
    expect(dueForRemoval([old, older], rules, 3, 41)).toEqual([older, old]);
    expect(dueForRemoval([old, work], rules, 3, 0)).toEqual([old]);
    expect(dueForRemoval([work, work, work], rules, 3, 0)).toEqual([]);
  });

  it('costs nobody else anything where it cannot be counted', () => {
    const of = (sender: string, one: Keepable): Keepable => ({ ...one, record: { sender } });
    const mine = [of('self', kept('failed', 0, 'none', 20)), of('self', kept('failed', 1, 'none', 20))];
    const deep = of('beta', kept('failed', 2, 'unknown', UNCOUNTED_BYTES));
    expect(dueForRemoval([...mine, deep], rules, 3, 10)).toEqual([]);
    expect(countedBytes([...mine, deep], rules, 0)).toBe(90);
    expect(countedBytes([...mine, deep, { ...deep, record: { sender: 'gamma' } }], rules, 0)).toBe(40 + 2 * 33);
    const newest = of('beta', kept('failed', 2, 'none', UNCOUNTED_BYTES));
    expect(dueForRemoval([...mine, newest], rules, 3, 10)).toEqual([newest]);
  });

  it('takes no more than half of the budget for one sender, and an equal share where there are more', () => {
    const of = (sender: string | undefined, unbundled: 'none' | 'some' | 'unknown', bytes: number): Keepable => ({
      ...kept('failed', 0, unbundled, bytes),
      ...(sender === undefined ? {} : { record: { sender } }),
    });
    const [beta, gamma] = [of('beta', 'some', 60), of('gamma', 'unknown', 5)];
    expect(heldBySender([beta, of('self', 'none', 90)], rules, 0)).toEqual([
      { sender: 'beta', bytes: 60, shareBytes: 50 },
    ]);
    expect(heldBySender([beta, gamma, gamma, of(undefined, 'some', 1)], rules, 0)).toEqual([
      { sender: 'beta', bytes: 60, shareBytes: 33 },
      { sender: 'gamma', bytes: 10, shareBytes: 33 },
      { sender: '', bytes: 1, shareBytes: 33 },
    ]);
  });

  it('goes before its time for whoever is over a share alone, whatever others fill, in any order of arrival', () => {
    const arrival = fc.record({
      sender: fc.constantFrom('self', 'beta', 'gamma', 'delta'),
      bytes: fc.integer({ min: 1, max: 60 }),
      unbundled: fc.constantFrom('none' as const, 'none' as const, 'some' as const),
    });
    const told = fc.record({
      arrivals: fc.array(arrival, { maxLength: 40 }),
      otherBytes: fc.integer({ min: 0, max: 120 }),
    });
    fc.assert(
      fc.property(told, ({ arrivals, otherBytes }) => {
        const long = { ...rules, failedMs: 1e9 };
        const roomBytes = Math.max(0, long.budgetBytes - otherBytes);
        let all: readonly Keepable[] = [];
        for (const [atMs, { sender, bytes, unbundled }] of arrivals.entries()) {
          all = [...all, { ...kept('failed', atMs, unbundled, bytes), record: { sender } }];
          const share = roomBytes / new Set(all.map(({ record }) => record?.sender)).size;
          const due = dueForRemoval(all, long, atMs, otherBytes);
          const left = all.filter((one) => !due.includes(one));
          for (const gone of due) {
            expect(gone.end.unbundled).toBe('none');
            const same = all.filter(({ record }) => record?.sender === gone.record?.sender);
            // With what was taken from it, it was over its share.
            expect(sizeOf(same)).toBeGreaterThan(Math.floor(share));
          }
          // What is told is what decides: the count whether anything goes, the share from whom it goes first.
          const isMuch = countedBytes(all, long, otherBytes) > roomBytes;
          expect(due.length > 0).toBe(isMuch && all.some(({ end }) => end.unbundled === 'none'));
          const told = heldBySender(all, long, otherBytes);
          const counts = [...new Set(all.map(({ record }) => record?.sender ?? ''))].map((sender) => {
            const ones = all.filter(({ record }) => record?.sender === sender);
            const removable = sizeOf(ones.filter(({ end }) => end.unbundled === 'none'));
            const held = told.find((one) => one.sender === sender) ?? { bytes: 0, shareBytes: 0 };
            expect(held.bytes).toBe(sizeOf(ones) - removable);
            return { sender, removable, counted: Math.min(held.bytes, held.shareBytes) + removable };
          });
          const most = Math.max(...counts.filter(({ removable }) => removable > 0).map(({ counted }) => counted));
          const first = counts.find(({ sender }) => sender === due[0]?.record?.sender);
          expect(first?.counted ?? most).toBe(most);
          const isLeft = left.some(({ end }) => end.unbundled === 'none');
          expect(!isLeft || countedBytes(left, long, otherBytes) <= roomBytes).toBe(true);
          all = left;
        }
      }),
      { seed: 20_26, numRuns: 300 },
    );
  });

  it('takes nothing from a sender within its share though two others have filled theirs with work that stays', () => {
    const of = (sender: string, one: Keepable): Keepable => ({ ...one, record: { sender } });
    const full = [of('beta', kept('failed', 5, 'some', 50)), of('gamma', kept('failed', 6, 'unknown', 50))];
    const mine = of('self', kept('failed', 0, 'none', 30));
    expect(dueForRemoval([mine, ...full], rules, 7, 0)).toEqual([]);
    const more = of('beta', kept('failed', 7, 'none', 5));
    expect(dueForRemoval([mine, ...full, more], rules, 8, 0)).toEqual([more]);
  });
  it('is chosen in steps that grow with what is kept, not with its square', () => {
    let looks = 0;
    const watched = (atMs: number): Keepable => {
      const one = kept('failed', atMs, 'none', 10);
      return {
        ...one,
        get bytes() {
          looks += 1;
          return 10;
        },
      };
    };
    const many = Array.from({ length: 2000 }, (_, at) => watched(at));
    expect(dueForRemoval(many, { ...rules, failedMs: 1e9 }, 0, 0)).toHaveLength(1990);
    // A look for each sum, two for each comparison of a sort.
    expect(looks).toBeLessThan(2000 * (4 + 2 * Math.log2(2000)));
  });
});
