/** Characters that take two columns: most of East Asia, and pictures. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{1b2ff}\u{1f18e}-\u{1f1ff}\u{1f200}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Those that stand upon the one before. */
const UPON = /\p{Mn}|\p{Me}/u;

/** How many columns a character takes in most terminals. */
export function columnsOf(character: string): number {
  if (UPON.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** How many it takes in any of them: whether another character than those of ASCII takes one or two is for each to say. */
export function mostColumnsOf(character: string): number {
  return character.length === 1 && character < '\u007f' ? 1 : 2;
}

/** A text, and blanks up to so many columns. */
export function paddedTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Columns of a whole line without colours. */
export function widthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + columnsOf(character), 0);
}
