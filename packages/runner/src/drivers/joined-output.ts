/** Most that is put into one write, bytes; what comes at once may be more. */
const JOINED_BYTES = 64 * 1024;
/** As much may wait to be written while more is read, bytes. */
const MOST_WAITING_BYTES = 256 * 1024;
/** Most lines of the node that wait to be written: one event of an agent can be worth tens of thousands. */
const MOST_WAITING_NOTES = 1000;

/** Where an agent's output goes; each resolves when it is written. */
export interface AgentOutput {
  readonly write: (stream: 'stdout' | 'stderr', bytes: Buffer) => Promise<void>;
  /** Lines about it that the node writes, to standard error. */
  readonly note: (lines: readonly string[]) => Promise<void>;
  /** Lines of its own that it wrote to standard output and that are no events, to standard error: what stands there of it goes on behind them. */
  readonly keep: (lines: Buffer) => Promise<void>;
}

/** Where words of an agent come from: its two streams, and the lines that are kept of the first. */
type Source = 'stdout' | 'stderr' | 'kept';

/** Output that is written one after the other, what waits for it together. */
export interface JoinedOutput {
  words(source: Source, text: Uint8Array): void;
  note(line: string): void;
  /** Resolves when little enough waits that more may be read. */
  room(): Promise<void>;
  /** Resolves when everything so far is written. */
  written(): Promise<void>;
}

/** What becomes one write. */
type Piece =
  | { readonly stream: Source; readonly parts: Uint8Array[]; bytes: number }
  | { readonly stream: 'node'; readonly parts: string[]; bytes: number };

/**
 * Each write costs far more than its bytes, for whoever follows the task is told of it; so what comes while one is under way is
 * written together, in its order. An agent that tells more than that keeps pace with has to wait, and of what it tells at once
 * only so many lines are written, and how many were not.
 */
export function createJoinedOutput(output: AgentOutput): JoinedOutput {
  let queue: Promise<void> = Promise.resolve();
  const waiting: Piece[] = [];
  let waitingBytes = 0;
  let waitingNotes = 0;
  let leftOut = 0;
  const write = (piece: Piece): Promise<void> => {
    waitingBytes -= piece.bytes;
    if (piece.stream === 'kept') return output.keep(Buffer.concat(piece.parts));
    if (piece.stream !== 'node') return output.write(piece.stream, Buffer.concat(piece.parts));
    waitingNotes -= piece.parts.length;
    if (waitingNotes > 0 || leftOut === 0) return output.note(piece.parts);
    const more = `lines left out, for they came all at once: ${leftOut}`;
    leftOut = 0;
    return output.note([...piece.parts, more]);
  };
  const add = (piece: Piece): void => {
    waitingBytes += piece.bytes;
    const last = waiting.at(-1);
    if (last !== undefined && join(last, piece)) return;
    waiting.push(piece);
    queue = queue.then(() => {
      waiting.shift();
      return write(piece);
    });
  };
  return {
    words: (stream, text) => add({ stream, parts: [text], bytes: text.length }),
    note(line) {
      if (waitingNotes >= MOST_WAITING_NOTES) {
        leftOut += 1;
        return;
      }
      waitingNotes += 1;
      add({ stream: 'node', parts: [line], bytes: Buffer.byteLength(line) });
    },
    room: () => (waitingBytes > MOST_WAITING_BYTES ? queue : Promise.resolve()),
    written: () => queue,
  };
}

/** Whether the later piece became a part of the earlier one. */
function join(before: Piece, piece: Piece): boolean {
  if (before.bytes + piece.bytes > JOINED_BYTES) return false;
  if (before.stream === 'node') {
    if (piece.stream !== 'node') return false;
    before.parts.push(...piece.parts);
  } else {
    if (piece.stream !== before.stream) return false;
    before.parts.push(...piece.parts);
  }
  before.bytes += piece.bytes;
  return true;
}
