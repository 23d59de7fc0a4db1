import { visible } from '@writ/core';

/** The one form of a reference to a place in a task's output: `log:NAME#offset`. */
export function logReference(task: string, offset: number): string {
  return `log:${task}#${offset}`;
}

/** Transcript bytes as text that is safe to show, and how many of the bytes it covers. */
export interface TranscriptText {
  readonly text: string;
  readonly usedBytes: number;
}

/**
 * Bytes as text: invalid UTF-8 becomes U+FFFD, control and bidirectional characters other than line feed and tab are
 * written out. A character that the end of the page cuts in two is left for the next page, unless `last`.
 */
export function transcriptText(bytes: Uint8Array, last: boolean): TranscriptText {
  const cut = last ? 0 : unfinishedBytes(bytes);
  // Nothing but an unfinished character: it has to be passed, or reading would never go on.
  const usedBytes = cut === bytes.length ? bytes.length : bytes.length - cut;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, usedBytes));
  return {
    text: text
      .split(/([\n\t])/)
      .map(keepLayout)
      .join(''),
    usedBytes,
  };
}

function keepLayout(part: string): string {
  return part === '\n' || part === '\t' ? part : visible(part);
}

/** Length of a UTF-8 sequence at the end of `bytes` that lacks its last bytes; 0 where it is whole or invalid. */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return lead <= 0xf4 ? 4 : 1;
  return lead >= 0xe0 ? 3 : 2;
}
