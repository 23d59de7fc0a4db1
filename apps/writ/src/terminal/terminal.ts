import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { isatty, ReadStream, WriteStream } from 'node:tty';
import { WritError } from '@writ/core';
import { createLineEditor } from './line-editor.ts';
import { type TerminalSize, USUAL_COLUMNS, USUAL_ROWS } from './size.ts';

/** The terminal that a person sits at: asked and written to directly, past every redirection. */
export interface Terminal {
  write(text: string): void;
  /** As it is now; what is usual where it does not say. */
  size(): TerminalSize;
  /** A line, shown while it is typed. Throws CANCELLED after Ctrl-C. */
  askLine(prompt: string): Promise<string>;
  /** A line that is not shown. Throws CANCELLED after Ctrl-C. */
  askSecret(prompt: string): Promise<string>;
  /** Aborted by Ctrl-C, which is no signal while the terminal is open. */
  readonly interrupted: AbortSignal;
  /** Gives it back as it was, with its echo; twice is harmless. */
  close(): void;
}

/**
 * Opens the device. Nothing that is typed is echoed until `close`, and what is typed while nothing is asked is dropped: no
 * answer is ever one to a question that was not seen yet. Throws NOT_APPROVER where it is no terminal.
 */
export function openTerminal(device: string): Terminal {
  const output = openDevice(device, constants.O_WRONLY);
  const input = new ReadStream(openDevice(device, constants.O_RDONLY));
  const write = (text: string): void => void writeSync(output, text);
  const interrupt = new AbortController();
  const editor = createLineEditor(write, () => interrupt.abort());
  input.setRawMode(true);
  input.on('data', (chunk: Buffer) => editor.take(chunk));
  // A terminal that went away is nobody who answers.
  for (const event of ['end', 'error'] as const) input.on(event, () => editor.interrupt());
  let isOpen = true;
  return {
    write,
    size: () => sizeOf(device),
    askLine: (prompt) => editor.ask(prompt, { isSecret: false }),
    askSecret: (prompt) => editor.ask(prompt, { isSecret: true }),
    interrupted: interrupt.signal,
    close() {
      if (!isOpen) return;
      isOpen = false;
      input.setRawMode(false);
      input.destroy();
      closeSync(output);
    },
  };
}

function sizeOf(device: string): TerminalSize {
  const stream = new WriteStream(openDevice(device, constants.O_WRONLY));
  const [columns, rows] = stream.getWindowSize();
  stream.destroy();
  return { columns: columns || USUAL_COLUMNS, rows: rows || USUAL_ROWS };
}

/** Refuses: there is no terminal. */
export function noTerminal(cause?: unknown): never {
  throw new WritError('NOT_APPROVER', 'an approver answers at a terminal, and this process has none', {
    nextSteps: ['type the same command in a terminal', 'an agent cannot answer for its person'],
    cause,
  });
}

function openDevice(device: string, flags: number): number {
  let file: number;
  try {
    file = openSync(device, flags | constants.O_NOCTTY);
  } catch (cause) {
    return noTerminal(cause);
  }
  if (isatty(file)) return file;
  closeSync(file);
  return noTerminal();
}
