import { constants } from 'node:os';
import type { Readable } from 'node:stream';

/** Descriptor on which the process beside a program says how that ended. */
export const ENDING_FD = 6;

/** Exit status of a shell for what a signal ended, less that signal. */
const SIGNALLED = 128;
/** What is told of a program that exited, and nothing before it. */
const EXITED = 'exited\n';
/** More than that is said by nobody but a program that wants to be heard. */
const KEPT_CHARACTERS = 1024;

/** Listens to how a program ended that another process waited for. */
export interface ToldEnding {
  /**
   * The signal behind an exit status; null where it is an exit status. To be called when nobody is left who could tell. A
   * program can forge that it was ended by the signal that its status names, as it can send itself that signal.
   */
  signalOf(exitCode: number | null): Promise<string | null>;
}

/** `said` is the other end of `ENDING_FD`. */
export function listenToEnding(said: Readable): ToldEnding {
  let text = '';
  said.setEncoding('utf8');
  said.on('data', (piece: string) => {
    if (text.length < KEPT_CHARACTERS) text += piece;
  });
  said.on('error', () => {});
  // Not `once` of the library: that one rejects where the pipe breaks, and nobody may be waiting.
  const closed = new Promise<void>((resolve) => said.once('close', () => resolve()));
  return {
    async signalOf(exitCode) {
      if (exitCode === null || exitCode <= SIGNALLED) return null;
      await closed;
      // Whoever told nothing was ended before its program was: the status is its own.
      return text === EXITED ? null : signalName(exitCode - SIGNALLED);
    },
  };
}

function signalName(number: number): string | null {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] ?? null;
}
