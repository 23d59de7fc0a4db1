import { formatDuration } from '@writ/core';
import type { Terminal } from '../../terminal/terminal.ts';
import type { CliContext } from '../context.ts';
import { CLEAR_LINE } from '../live-view.ts';

/** The line at the bottom of a terminal that says that nothing is asked now. */
export interface WaitingLine {
  /** Draws it, now and each second. */
  show(): void;
  hide(): void;
  /** Writes a line above it. */
  above(line: string): void;
}

/** How often the line is drawn, milliseconds. */
const EVERY_MS = 1_000;

/** `more` says what else there is. A terminal that moves no cursor is told once each time. */
export function createWaitingLine(
  terminal: Terminal,
  { clock, environment }: Pick<CliContext, 'clock' | 'environment'>,
  more: () => string,
): WaitingLine {
  let stop: (() => void) | undefined;
  const canDraw = !environment.isDumbTerminal;
  const show = (): void => {
    if (stop !== undefined) return;
    const sinceMs = clock.monotonicMs();
    const draw = (): void => {
      const seconds = Math.floor((clock.monotonicMs() - sinceMs) / 1000);
      const time = seconds === 0 ? '' : ` for ${formatDuration(seconds * 1000)}`;
      terminal.write(`${CLEAR_LINE}waiting for questions${time}${more()}; Ctrl-C to end`);
    };
    if (canDraw) {
      draw();
      stop = clock.setEvery(EVERY_MS, draw);
    } else {
      terminal.write(`waiting for questions${more()}; Ctrl-C to end\n`);
      stop = () => undefined;
    }
  };
  const hide = (): void => {
    if (stop === undefined) return;
    stop();
    stop = undefined;
    if (canDraw) terminal.write(CLEAR_LINE);
  };
  return {
    show,
    hide,
    above(line) {
      const wasShown = stop !== undefined;
      hide();
      terminal.write(line);
      if (wasShown) show();
    },
  };
}
