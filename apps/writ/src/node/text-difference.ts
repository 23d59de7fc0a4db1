/** Lines around a change that are shown with it. */
const CONTEXT = 2;

/**
 * What turns one text into another, as a patch shows it: lines that go with `-`, lines that come with `+`, those around
 * them with a blank. Empty where they are the same.
 */
export function textDifference(before: string, after: string): string {
  if (before === after) return '';
  const [from, to] = [before.split('\n'), after.split('\n')];
  const steps = stepsBetween(from, to);
  const near = (index: number): boolean =>
    steps.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' ');
  const lines: string[] = [];
  let isCut = false;
  steps.forEach(({ sign, line }, index) => {
    if (!near(index)) {
      isCut = true;
      return;
    }
    if (isCut && lines.length > 0) lines.push('…');
    isCut = false;
    lines.push(`${sign}${line}`);
  });
  return lines.join('\n');
}

interface Step {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** Most pairs of lines that are compared; beyond, what differs is shown whole. */
const MOST_PAIRS = 4_000_000;

function stepsBetween(from: readonly string[], to: readonly string[]): readonly Step[] {
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < from.length - head && tail < to.length - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const same = (lines: readonly string[]): Step[] => lines.map((line) => ({ sign: ' ', line }));
  const middle = between(from.slice(head, from.length - tail), to.slice(head, to.length - tail));
  return [...same(from.slice(0, head)), ...middle, ...same(from.slice(from.length - tail))];
}

/** The longest common lines stay, the others go and come. */
function between(from: readonly string[], to: readonly string[]): readonly Step[] {
  const common = from.length * to.length > MOST_PAIRS ? undefined : commonLengths(from, to);
  const steps: Step[] = [];
  let [a, b] = [0, 0];
  while (a < from.length || b < to.length) {
    const isSame = common !== undefined && a < from.length && from[a] === to[b];
    if (isSame) steps.push({ sign: ' ', line: from[a] ?? '' });
    const goes =
      !isSame && a < from.length && (b >= to.length || lengthAt(common, a + 1, b) >= lengthAt(common, a, b + 1));
    if (goes) steps.push({ sign: '-', line: from[a] ?? '' });
    if (!isSame && !goes) steps.push({ sign: '+', line: to[b] ?? '' });
    if (isSame || goes) a += 1;
    if (isSame || !goes) b += 1;
  }
  return steps;
}

const lengthAt = (common: readonly Uint32Array[] | undefined, a: number, b: number): number => common?.[a]?.[b] ?? 0;

/** How many lines are common behind each pair of places. */
function commonLengths(from: readonly string[], to: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: from.length + 1 }, () => new Uint32Array(to.length + 1));
  for (let a = from.length - 1; a >= 0; a -= 1) {
    const row = lengths[a];
    if (row === undefined) continue;
    for (let b = to.length - 1; b >= 0; b -= 1) {
      row[b] =
        from[a] === to[b]
          ? lengthAt(lengths, a + 1, b + 1) + 1
          : Math.max(lengthAt(lengths, a + 1, b), row[b + 1] ?? 0);
    }
  }
  return lengths;
}
