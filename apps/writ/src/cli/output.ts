import { once } from 'node:events';
import { errorToJson, formatDuration, toWritError, visible } from '@writ/core';
import pc from 'picocolors';
import { paddedTo, widthOf } from '../terminal/columns.ts';
import { createHarmlessDecoder, harmless, harmlessColoured } from '../terminal/harmless.ts';
import { USUAL_COLUMNS } from '../terminal/size.ts';
import { createLiveView, type Streams } from './live-view.ts';
import { wholeRows } from './rows.ts';
import { withHome } from './with-home.ts';

/** Where a command writes: results on `out` (machine readable with `--json`), everything else on `err`. */
export interface Output {
  readonly json: boolean;
  /** The result; a line of JSON with `--json`, else what `text` makes of it. */
  result<T>(value: T, text: (value: T) => string): void;
  /** One item of a stream of results. */
  item<T>(value: T, text: (value: T) => string | undefined): void;
  /**
   * Bytes that a task wrote, never with `--json`: as they are, but on a terminal, which obeys what is in them, only where
   * `raw` was asked for. Resolves when the reader on the other end keeps up.
   */
  raw(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void>;
  /** How wide what people read may be. */
  readonly columns: number;
  /** A text with words of others in it: on a terminal, each row that goes on with a line is marked as one, so that nobody else chooses where a row begins. */
  rows(text: string): string;
  /** For people only, on `err`. */
  note(text: string): void;
  /** One line under everything else that says how it stands, until the next one; nothing where no terminal shows it. */
  progress(text: string | undefined): void;
  /** Shows a text in place of the one shown before, on a terminal; else below it. */
  screen<T>(value: T, text: (value: T) => string): void;
  /** No text takes the place of the last one. */
  screenEnd(): void;
  /** A next step as a line of a text: behind an arrow, with the home that this call named. */
  step(text: string): string;
  /** What went wrong, why, and what to do; on `err`, as JSON with `--json`. */
  failure(error: unknown): void;
  readonly colors: ReturnType<typeof pc.createColors>;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly noColor: boolean;
  /** What tasks wrote goes to a terminal as it is. */
  readonly raw?: boolean;
  /** Only results and errors. */
  readonly quiet?: boolean;
  /** What `--home` named: next steps name it too. */
  readonly home?: string | undefined;
  /** The terminal moves no cursor. */
  readonly isDumb?: boolean;
}

export function createOutput(streams: Streams, options: OutputOptions): Output {
  // One of them may go to a file.
  const isColoured = !options.noColor && streams.err.isTTY === true && streams.out.isTTY === true;
  const colors = pc.createColors(isColoured);
  const live = createLiveView(streams, options);
  const line = (text: string): void => {
    live.clear();
    streams.out.write(`${text}\n`);
  };
  // Whatever a node, a task or a peer put into a text: a terminal gets nothing to obey but this program's own colours.
  const shown = isColoured ? harmlessColoured : harmless;
  const step = (text: string): string => `  ${colors.dim('→')} ${visible(withHome(text, options.home))}`;
  const decode = { stdout: createHarmlessDecoder(), stderr: createHarmlessDecoder() };
  return {
    progress: live.progress,
    screenEnd: live.screenEnd,
    step,
    screen: (value, text) => (options.json ? line(JSON.stringify(value)) : live.screen(shown(text(value)))),
    json: options.json,
    columns: streams.err.columns || USUAL_COLUMNS,
    colors,
    rows: (text) =>
      streams.out.isTTY === true ? wholeRows(harmless(text), { columns: streams.out.columns || USUAL_COLUMNS }) : text,
    result: (value, text) => line(options.json ? JSON.stringify(value) : shown(text(value))),
    item(value, text) {
      if (options.json) return line(JSON.stringify(value));
      const said = text(value);
      if (said !== undefined) line(shown(said));
    },
    async raw(stream, bytes) {
      const target = stream === 'stdout' ? streams.out : streams.err;
      const isSafe = target.isTTY !== true || options.raw === true;
      const said = isSafe ? bytes : decode[stream](bytes);
      live.passes(target, said);
      if (!target.write(said)) await once(target, 'drain');
    },
    note(text) {
      if (options.json || options.quiet === true) return;
      live.clear();
      streams.err.write(`${shown(text)}\n`);
    },
    failure(thrown) {
      const error = toWritError(thrown);
      if (options.json) {
        const nextSteps = error.nextSteps.map((next) => withHome(next, options.home));
        return line(JSON.stringify({ error: { ...errorToJson(error), nextSteps } }));
      }
      live.clear();
      streams.err.write(`${colors.red('error')} ${error.code}: ${harmless(error.message)}\n`);
      for (const next of error.nextSteps) streams.err.write(`${step(next)}\n`);
    },
  };
}

/** A table for people: columns as wide on the screen as their widest cell, every cell made visible. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => visible(cell)));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  return cells
    .map((row) =>
      row
        .map((cell, column) => paddedTo(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Time left until `atMs`, for people. */
export function timeLeft(atMs: number, nowMs: number): string {
  const left = atMs - nowMs;
  return left <= 0 ? 'over' : formatDuration(Math.ceil(left / 1000) * 1000);
}
