import { type TerminalSize, USUAL_COLUMNS, USUAL_ROWS } from '../terminal/size.ts';

const COLOUR = /(\p{Cc}\[[\d;]*m)/u;
/** Characters that take two columns: most of East Asia, and pictures. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{1b2ff}\u{1f18e}-\u{1f1ff}\u{1f200}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** The lines of a text that a terminal can show at once, each in one row; the row below them is left to the cursor. */
export function fitting(
  text: string,
  { rows = USUAL_ROWS, columns = USUAL_COLUMNS }: Partial<TerminalSize>,
): readonly string[] {
  const lines = text.split('\n').map((line) => cut(line, columns || USUAL_COLUMNS));
  const room = Math.max(1, (rows || USUAL_ROWS) - 1);
  if (lines.length <= room) return lines;
  return [...lines.slice(0, room - 1), cut(`… ${lines.length - room + 1} more lines`, columns || USUAL_COLUMNS)];
}

/** As much of a line as fits; colours take no room, and all of them stay, so that none is left on. */
export function cut(line: string, columns: number): string {
  let left = columns;
  return line
    .split(COLOUR)
    .map((piece) => {
      if (COLOUR.test(piece)) return piece;
      let taken = '';
      for (const character of piece) {
        left -= WIDE.test(character) ? 2 : 1;
        if (left < 0) return taken;
        taken += character;
      }
      return taken;
    })
    .join('');
}
