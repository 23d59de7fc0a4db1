import type { Execution } from '@writ/lease-store';
import type { CommandProcesses, CommandView, OutputPiece, WatchedCommand } from './types.ts';
import { isFinal } from './view.ts';
import type { Listening } from './wakeups.ts';

/** Where a watch reads from. */
export interface WatchParts {
  /** Undefined: it is gone. */
  readonly get: () => Execution | undefined;
  readonly view: (execution: Execution) => CommandView;
  /** What keeps it from being started, in words. */
  readonly heldUp: () => string | undefined;
  readonly readOutput: (offset: number) => ReturnType<CommandProcesses['readOutput']>;
  /** Resolves when nothing more becomes of one that has ended. */
  readonly settled: () => Promise<unknown>;
  readonly news: Listening;
  readonly signal: AbortSignal;
}

/** Each state and each piece of output from `offset` on, live; the last state comes after the last piece. */
export async function* watchCommand(parts: WatchParts, offset: number): AsyncGenerator<WatchedCommand> {
  const { get, view, heldUp, readOutput, settled, news, signal } = parts;
  let next = offset;
  let said: string | undefined;
  try {
    while (!signal.aborted) {
      // Looked at before its output: what it has written when it is final is all that there is.
      const execution = get();
      if (execution === undefined) return;
      const isOver = isFinal(execution);
      // What holds it up changes without the command.
      const saying = `${execution.version} ${heldUp() ?? ''}`;
      if (!isOver && saying !== said) yield { kind: 'state', command: view(execution) };
      said = saying;
      for (;;) {
        const page = await readOutput(next);
        for (const piece of page.pieces) yield outputOf(piece, page);
        if (page.pieces.length === 0) break;
        next = page.next;
      }
      if (isOver) {
        await settled();
        yield { kind: 'state', command: view(execution) };
        return;
      }
      await news.next(signal);
    }
  } finally {
    news.stop();
  }
}

function outputOf(
  piece: OutputPiece,
  { pieces, next }: Awaited<ReturnType<CommandProcesses['readOutput']>>,
): WatchedCommand {
  const { stream, atMs, data, droppedBytes } = piece;
  const following = pieces[pieces.indexOf(piece) + 1];
  return {
    ...{ kind: 'output', stream, atMs, next: following?.offset ?? next },
    ...(data === undefined ? {} : { data }),
    ...(droppedBytes === undefined ? {} : { droppedBytes }),
  };
}
