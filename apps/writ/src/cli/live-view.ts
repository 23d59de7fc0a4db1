import { visible } from '@writ/core';
import { USUAL_COLUMNS } from '../terminal/size.ts';
import { cut, fitting } from './fitting.ts';

/** Where a program writes. */
export interface Streams {
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
}

/** What is drawn again and again on a terminal. */
export interface LiveView {
  /** One line below everything else; undefined takes it away. */
  progress(text: string | undefined): void;
  /** A whole text in place of the one before. */
  screen(text: string): void;
  /** Nothing is drawn any more: what the terminal itself has put below the text, such as `^C`, goes. */
  screenEnd(): void;
  /** Takes the line away, before something else is written; an output that stopped within a line gets its end. */
  clear(): void;
  /** Before output of a task goes to `stream`, which is `text`. */
  passes(stream: NodeJS.WriteStream, text: string | Uint8Array): void;
}

/** Takes away what the line of the cursor holds. */
export const CLEAR_LINE = '\r\u001b[K';
const NEWLINE = 0x0a;
const HOME = '\u001b[H';
const CLEAR_REST = '\u001b[J';
const CLEAR_END = '\u001b[K';
const CLEAR_ALL = '\u001b[2J';

/**
 * Draws on a terminal that can; elsewhere a line of progress is dropped, and a text is written again each time, so that
 * `| head` comes to its end. A line of progress waits while the output above it stands within a line.
 */
export function createLiveView(
  { out, err }: Streams,
  { json, quiet, isDumb }: { readonly json: boolean; readonly quiet?: boolean; readonly isDumb?: boolean },
): LiveView {
  const canDraw = !json && isDumb !== true;
  const hasLine = canDraw && quiet !== true && err.isTTY === true;
  const hasScreen = canDraw && out.isTTY === true;
  let isShown = false;
  let hasDrawn = false;
  /** A terminal whose cursor stands behind output of a task. */
  let within: NodeJS.WriteStream | undefined;
  const hide = (): void => {
    if (isShown) err.write(CLEAR_LINE);
    isShown = false;
  };
  return {
    clear() {
      hide();
      within?.write('\n');
      within = undefined;
    },
    passes(stream, text) {
      hide();
      if (stream.isTTY !== true || text.length === 0) return;
      const last = text.at(-1);
      within = last === '\n' || last === NEWLINE ? undefined : stream;
    },
    progress(text) {
      if (!hasLine) return;
      if (text === undefined) return hide();
      if (within !== undefined) return;
      const columns = (err.columns || USUAL_COLUMNS) - 1;
      err.write(`${CLEAR_LINE}${cut(visible(text), columns)}`);
      isShown = true;
    },
    screen(text) {
      const isFirst = !hasDrawn;
      hasDrawn = true;
      if (!hasScreen) {
        out.write(isFirst ? `${text}\n` : `\n${text}\n`);
        return;
      }
      const lines = fitting(text, out).map((line) => `${line}${CLEAR_END}`);
      out.write(`${isFirst ? CLEAR_ALL : ''}${HOME}${lines.join('\n')}\n${CLEAR_REST}`);
    },
    screenEnd() {
      if (hasScreen && hasDrawn) out.write(CLEAR_LINE);
    },
  };
}
