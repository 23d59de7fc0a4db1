import { visible } from '@writ/core';

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
  /** Takes the line away, before something else is written. */
  clear(): void;
}

const CLEAR_LINE = '\r\u001b[K';
const HOME = '\u001b[H';
const CLEAR_REST = '\u001b[J';
const CLEAR_END = '\u001b[K';
const CLEAR_ALL = '\u001b[2J';

/** Columns where a terminal does not say how many it has, or that it has none. */
const USUAL_COLUMNS = 80;

/** Draws on a terminal that can; elsewhere a line of progress is dropped, and a text is shown again where it differs. */
export function createLiveView(
  { out, err }: Streams,
  { json, quiet, isDumb }: { readonly json: boolean; readonly quiet?: boolean; readonly isDumb?: boolean },
): LiveView {
  const canDraw = !json && isDumb !== true;
  const hasLine = canDraw && quiet !== true && err.isTTY === true;
  const hasScreen = canDraw && out.isTTY === true;
  let isShown = false;
  let last: string | undefined;
  const clear = (): void => {
    if (isShown) err.write(CLEAR_LINE);
    isShown = false;
  };
  return {
    clear,
    progress(text) {
      if (!hasLine) return;
      if (text === undefined) return clear();
      const columns = (err.columns || USUAL_COLUMNS) - 1;
      err.write(`${CLEAR_LINE}${[...visible(text)].slice(0, columns).join('')}`);
      isShown = true;
    },
    screen(text) {
      if (!hasScreen) {
        if (text !== last) out.write(last === undefined ? `${text}\n` : `\n${text}\n`);
        last = text;
        return;
      }
      const lines = text.split('\n').map((line) => `${line}${CLEAR_END}`);
      out.write(`${last === undefined ? CLEAR_ALL : ''}${HOME}${lines.join('\n')}\n${CLEAR_REST}`);
      last = text;
    },
  };
}
