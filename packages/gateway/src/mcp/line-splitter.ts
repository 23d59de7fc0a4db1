const NEWLINE = 0x0a;

/** Bytes of a connection as the lines of text in it. */
export interface LineSplitter {
  take(chunk: Buffer): void;
  /** How much there is of a line that has begun and not ended, bytes. */
  heldBytes(): number;
}

/** What becomes of the lines. */
export interface LineTaker {
  /** Longest line, bytes. */
  readonly largestBytes: number;
  readonly onLine: (line: string) => void;
  /** Called once, for the first line that is longer; nothing is taken after it. */
  readonly onTooLong: () => void;
}

/** Holds at most one line, as the pieces that came. */
export function createLineSplitter({ largestBytes, onLine, onTooLong }: LineTaker): LineSplitter {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isOver = false;
  const hold = (piece: Buffer): void => {
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes <= largestBytes) return;
    isOver = true;
    held = [];
    heldBytes = 0;
    onTooLong();
  };
  const takeLine = (): void => {
    const line = Buffer.concat(held).toString('utf8');
    held = [];
    heldBytes = 0;
    onLine(line);
  };
  return {
    take(chunk) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && !isOver; end = chunk.indexOf(NEWLINE, from)) {
        hold(chunk.subarray(from, end));
        if (!isOver) takeLine();
        from = end + 1;
      }
      if (!isOver) hold(chunk.subarray(from));
    },
    heldBytes: () => heldBytes,
  };
}
