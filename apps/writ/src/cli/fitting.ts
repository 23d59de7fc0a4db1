import { columnsOf } from '../terminal/columns.ts';
import { type TerminalSize, USUAL_COLUMNS, USUAL_ROWS } from '../terminal/size.ts';

const COLOUR = /(\p{Cc}\[[\d;]*m)/u;
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
        left -= columnsOf(character);
        if (left < 0) return taken;
        taken += character;
      }
      return taken;
    })
    .join('');
}
