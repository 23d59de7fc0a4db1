import { visible } from '@writ/core';
import { mostColumnsOf } from '../terminal/columns.ts';
import type { TerminalSize } from '../terminal/size.ts';

/** Widest row, columns: what is narrower than the terminal is wrapped by nobody else. */
const WIDEST = 100;
const NARROWEST = 8;
/** In front of what begins a line, and of what goes on with one. A line begins with a word of this program, so that none begins like the second. */
const FIRST: string = '  ';
const FURTHER = '  | ';
/** One column more than it takes, at least: a terminal that wraps at its edge would begin a row that has no mark. */
const EDGE = 1;

/**
 * Lines broken for a terminal, each further row marked as one. Left to the terminal, whoever wrote a line chose where its rows
 * begin, and could make them look like lines of the question.
 */
export function toRows(
  lines: readonly string[],
  { columns }: Pick<TerminalSize, 'columns'>,
  { first = FIRST, widest = WIDEST }: { readonly first?: string; readonly widest?: number } = {},
): readonly string[] {
  const width = Math.min(widest, Math.max(NARROWEST, columns)) - EDGE;
  return lines.flatMap((line) => {
    const rows: string[] = [];
    let [row, left] = ['', width - first.length];
    for (const character of line) {
      const taken = mostColumnsOf(character);
      if (taken > left) {
        rows.push(row);
        [row, left] = ['', width - FURTHER.length];
      }
      row += character;
      left -= taken;
    }
    return [...rows, row].map((text, at) => `${at === 0 ? first : FURTHER}${text}`);
  });
}

/** What a task or a peer says, every row of it marked as somebody's words: none looks like a line of this program. */
export function inTheirWords(text: string, size: Pick<TerminalSize, 'columns'>): readonly string[] {
  return toRows(text.split('\n').map(visible), size, { first: FURTHER });
}

/** A result that holds words of others, as wide as the terminal is; its own lines begin where a line does. */
export function wholeRows(text: string, size: Pick<TerminalSize, 'columns'>): string {
  return toRows(text.split('\n'), size, { first: '', widest: size.columns }).join('\n');
}
