/** How each line begins that the node writes. A line of the agent's own that begins so is moved by a space. */
const MARK = '~';

type Stream = 'stdout' | 'stderr';

/**
 * Makes out which lines are the node's: no line of the agent's begins like one, on no stream by itself, nor in the transcript, where
 * both stand in one file. Takes bytes as they are written, in that order, when nothing is taken out of them any more.
 */
export interface Marks {
  ofAgent(stream: Stream, bytes: Buffer): Buffer;
  /** A line of the node's own, without its line break. */
  ofNode(stream: Stream, line: string): Buffer;
}

export function createMarks(): Marks {
  // Each stream is read by itself, and both as they stand in the transcript.
  const isMid = { stdout: false, stderr: false, transcript: false };
  const put = (stream: Stream, bytes: Buffer): Buffer => {
    const last = bytes.at(-1);
    if (last !== undefined) isMid[stream] = isMid.transcript = last !== 0x0a && last !== 0x0d;
    return bytes;
  };
  return {
    ofAgent: (stream, bytes) => put(stream, withoutMark(bytes, !isMid[stream] || !isMid.transcript)),
    ofNode(stream, line) {
      const before = isMid[stream] || isMid.transcript ? '\n' : '';
      return put(stream, Buffer.from(`${before}${MARK} ${line}\n`, 'utf8'));
    },
  };
}

/** Bytes of an agent with no line that begins like one of the node's. */
function withoutMark(bytes: Buffer, isLineStart: boolean): Buffer {
  // A character for each byte, so that none is lost.
  const text = bytes.toString('latin1');
  const first = isLineStart && text.startsWith(MARK) ? ' ' : '';
  return Buffer.from(first + text.replace(/([\r\n])~/g, '$1 ~'), 'latin1');
}
