import type { Problem } from './types.ts';

/** Problems that are told one by one. */
const MOST = 50;

/** Gathers problems: neighbours of one kind become one, and beyond some they are counted. */
export interface Problems {
  add(problem: Problem): void;
  /** Whether one is about an entry behind `after` and up to `to`. */
  between(after: number, to: number): boolean;
  /** In the order of the entries; those about none come last. */
  list(): readonly Problem[];
  more(): number;
}

export function createProblems(): Problems {
  const found: Problem[] = [];
  let more = 0;
  return {
    add(problem) {
      const at = found.findIndex((one) => isNeighbour(one, problem));
      const before = found[at];
      if (before !== undefined) found[at] = { ...before, to: problem.to ?? problem.from ?? 0 };
      else if (found.length < MOST) found.push(problem);
      else more++;
    },
    between: (after, to) =>
      found.some(({ from, to: end = from }) => from !== undefined && end !== undefined && from <= to && end > after),
    list: () => found.toSorted((a, b) => (a.from ?? Number.MAX_SAFE_INTEGER) - (b.from ?? Number.MAX_SAFE_INTEGER)),
    more: () => more,
  };
}

/** Whether `next` goes on where `one` ends, and says nothing else. */
function isNeighbour(one: Problem, next: Problem): boolean {
  return (
    next.from !== undefined &&
    (one.to ?? one.from) === next.from - 1 &&
    one.where === next.where &&
    one.kind === next.kind &&
    one.message === next.message
  );
}
