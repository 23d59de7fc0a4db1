/** Control characters, line and paragraph separators, and the bidirectional and invisible format characters. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/gu;

/** `text` with every character that could move a cursor, reorder or hide text written as `\u{…}`. */
export function visible(text: string): string {
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
