import { KEPT_GIT_WORDS } from '@writ/core';

/** Collects what one call of git writes until its mark has come on both streams. */
export interface AnswerReader {
  /** Takes bytes; what it comes to so far. */
  take(stream: 'stdout' | 'stderr', bytes: Buffer): 'more' | 'too-much' | 'whole';
  /** Of a whole answer. */
  exitCode(): number;
  stdout(): Buffer;
  stderr(): string;
}

/** `mark` is not to be guessed by whatever git writes; more than `maxBytes` on standard output are too much. */
export function createAnswerReader(mark: string, maxBytes: number): AnswerReader {
  const ending = new RegExp(`${mark} ([0-9]+)\n$`);
  /** Longer than what stands behind git's output. */
  const tailBytes = mark.length + 16;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let [stdoutTail, stderrTail, stderr] = ['', '', ''];
  const ended = (): RegExpExecArray | null => ending.exec(stdoutTail);
  const ownBytes = (): number => bytes - (ended()?.[0].length ?? 0);
  return {
    take(stream, chunk) {
      const text = chunk.subarray(-tailBytes).toString('latin1');
      if (stream === 'stdout') {
        bytes += chunk.length;
        stdoutTail = (stdoutTail + text).slice(-tailBytes);
        if (ended() === null ? bytes > maxBytes + tailBytes : ownBytes() > maxBytes) return 'too-much';
        chunks.push(chunk);
      } else {
        if (stderr.length < KEPT_GIT_WORDS) stderr += chunk.toString('utf8');
        stderrTail = (stderrTail + text).slice(-tailBytes);
      }
      return ended() !== null && stderrTail.endsWith(`${mark}\n`) ? 'whole' : 'more';
    },
    exitCode: () => Number(ended()?.[1]),
    stdout: () => Buffer.concat(chunks).subarray(0, ownBytes()),
    stderr: () => stderr.replace(`${mark}\n`, ''),
  };
}
