const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIZE_UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Longest duration accepted anywhere, milliseconds: one hundred years would never end, so ten it is. */
const LONGEST_MS = 3650 * 86_400_000;

/** `90m`, `8h`, `30s`, `1d`, `1h30m` → milliseconds; undefined where it is none, zero, or over ten years. */
export function parseDuration(text: string): number | undefined {
  return parseSum(text, /(\d+)(ms|s|m|h|d)/y, DURATION_UNITS, LONGEST_MS);
}

/** `8MiB`, `64KiB`, `100B` → bytes; undefined where it is none, zero, or not a safe integer. */
export function parseSize(text: string): number | undefined {
  return parseSum(text, /(\d+)(B|KiB|MiB|GiB)/y, SIZE_UNITS, Number.MAX_SAFE_INTEGER);
}

function parseSum(
  text: string,
  part: RegExp,
  units: Readonly<Record<string, number>>,
  most: number,
): number | undefined {
  let sum = 0;
  let at = 0;
  while (at < text.length) {
    part.lastIndex = at;
    const match = part.exec(text);
    if (!match) return undefined;
    sum += Number(match[1]) * (units[match[2] ?? ''] ?? Number.NaN);
    at = part.lastIndex;
  }
  return sum > 0 && sum <= most ? sum : undefined;
}

/** Milliseconds as the shortest exact text that `parseDuration` reads back (`5400000` → `1h30m`). */
export function formatDuration(ms: number): string {
  let left = Math.max(0, Math.round(ms));
  if (left === 0) return '0s';
  let text = '';
  for (const [unit, size] of Object.entries(DURATION_UNITS).sort((a, b) => b[1] - a[1])) {
    const count = Math.floor(left / size);
    if (count > 0) text += `${count}${unit}`;
    left -= count * size;
  }
  return text;
}

/** What a tree counts as that cannot be counted, bytes: more than any budget, and a sum of some hundred is a number still. */
export const UNCOUNTED_BYTES = 2 ** 44;

/** Like `formatSize`, for what may hold something that cannot be counted, and then says so. */
export function formatCounted(bytes: number): string {
  return bytes >= UNCOUNTED_BYTES ? 'cannot be counted' : formatSize(bytes);
}

/** Bytes as text with one decimal at most (`8388608` → `8MiB`). */
export function formatSize(bytes: number): string {
  const [unit, size] = Object.entries(SIZE_UNITS)
    .reverse()
    .find(([, s]) => bytes >= s) ?? ['B', 1];
  const value = bytes / size;
  return `${Number.isInteger(value) ? value : value.toFixed(1)}${unit}`;
}
