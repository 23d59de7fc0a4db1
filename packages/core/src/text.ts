/**
 * What shows as nothing, as a gap, or over something else: control characters, separators, format characters, fillers, selectors, tags,
 * private use, spaces that are no space, blanks that count as letters or signs, and marks that strike out or frame what stands before them.
 */
const HIDDEN =
  '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Co}\\p{Cn}\\p{Cs}\\p{DI}\\p{Me}\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\u2800\\ufffc\\u{13441}\\u{13442}\\u{1d159}\\u0334-\\u0338\\u20d0-\\u20ff]';
/** A mark without a letter or digit to stand on, or the fifth one on it: it would change what stands beside it. */
const STRAY_MARK = `\\p{M}(?<!(?!${HIDDEN})[\\p{L}\\p{N}](?:(?!${HIDDEN})\\p{M}){0,3}\\p{M})`;
const PRINTABLE_ASCII = /^[ -~]*$/;
const UNSAFE = new RegExp(`${HIDDEN}|${STRAY_MARK}`, 'gu');

/**
 * `text` with every character that could move a cursor, reorder, hide or alter text written as `\u{…}`. Letters of all scripts stay, with
 * their marks. What it gives back stays as it is.
 */
export function visible(text: string): string {
  // The other expression takes longer to be made than a whole short text takes without it.
  if (PRINTABLE_ASCII.test(text)) return text;
  return text.replace(UNSAFE, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** Longest piece of user input that a message repeats, UTF-16 units. */
const QUOTE_LIMIT = 120;

/** What needs nothing done to it: nearly everything that is quoted. */
const PLAIN = /^[ -_a-~]{0,120}$/;

/** User input for a message: in backticks, made visible, cut to 120 characters with the rest counted. */
export function quote(input: string): string {
  if (PLAIN.test(input) && !input.includes('\\u{')) return `\`${input}\``;
  const cut = input.length > QUOTE_LIMIT ? `${input.slice(0, QUOTE_LIMIT)}… (${input.length} characters)` : input;
  // What was typed differs from what stands for a character.
  return `\`${visible(cut.replaceAll('\\u{', '\\u{5c}u{')).replaceAll('`', '\\u{60}')}\``;
}

/** The entry of `known` closest to `word` by edit distance, or undefined where none is close enough to suggest. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(word.slice(0, 64), candidate);
    if (distance <= Math.max(1, Math.floor(candidate.length / 3)) && (best === undefined || distance < best.distance)) {
      best = { word: candidate, distance };
    }
  }
  return best?.word;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** An argument as a shell would need it written, so that where it ends can be seen. */
export function shellWord(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
