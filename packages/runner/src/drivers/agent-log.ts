import { visible } from '@writ/core';
import type { AgentReport, AgentUsage } from '../agent-report.ts';

/** Longest line that is noted of one event, UTF-16 units; a tool's whole input may be megabytes. */
const LONGEST_NOTE = 500;

/** How each line begins that the node writes. A line of the agent's own that begins so is moved by a space. */
const MARK = '~';

type Stream = 'stdout' | 'stderr';

/**
 * What an agent does, written down for people and counted for the report: its words on standard output, everything about
 * them (turns, tool calls, what was refused) on standard error, one line each, with a mark that no line of the agent's own
 * begins with: on no stream by itself, nor in the transcript, where both stand in one file.
 */
export interface AgentLog {
  /** What the agent writes to its own standard error; resolves when it is written. */
  own(bytes: Buffer): Promise<void>;
  /** A piece of what the agent says. */
  say(text: string): void;
  /** Ends what it says with a line break, where it has none. */
  endWords(): void;
  note(line: string): void;
  /** A line of the agent's that is no event: kept like a note, without the mark. */
  keep(line: string): void;
  turn(): void;
  toolCall(title: string): void;
  refusal(title: string, reason: string): void;
  /** Replaces what was known of each figure. */
  usage(usage: AgentUsage): void;
  /** The agent says how its work ended. A failure stays one, whatever comes after it. */
  end(verdict: 'completed' | 'failed', message?: string): void;
  readonly ended: boolean;
  /** Calls that were refused so far. */
  readonly refusedCalls: number;
  report(): AgentReport;
  /** Resolves when everything so far is written. */
  written(): Promise<void>;
}

export function createAgentLog(
  write: (stream: Stream, bytes: Buffer) => Promise<void>,
  clean: (text: string) => string,
): AgentLog {
  let queue: Promise<void> = Promise.resolve();
  let turns = 0;
  let toolCalls = 0;
  let refusedCalls = 0;
  let used: AgentUsage | undefined;
  let verdict: AgentReport['verdict'] = 'unfinished';
  let why: string | undefined;
  // Each stream is read by itself, and both as they stand in the transcript.
  const isMid = { stdout: false, stderr: false, transcript: false };
  const put = (stream: Stream, bytes: Buffer): void => {
    const last = bytes.at(-1);
    if (last === undefined) return;
    isMid[stream] = isMid.transcript = !isBreak(last);
    queue = queue.then(() => write(stream, bytes));
  };
  const putOwn = (stream: Stream, bytes: Buffer): void =>
    put(stream, withoutMark(bytes, !isMid[stream] || !isMid.transcript));
  // Half a secret would be found by nobody: it goes before anything is cut.
  const line = (text: string): string => shortened(clean(text));
  const note = (text: string): void =>
    put('stderr', Buffer.from(`${isMid.stderr || isMid.transcript ? '\n' : ''}${MARK} ${line(text)}\n`, 'utf8'));
  return {
    own(bytes) {
      putOwn('stderr', bytes);
      return queue;
    },
    say(text) {
      putOwn('stdout', Buffer.from(text, 'utf8'));
    },
    endWords() {
      if (isMid.stdout) put('stdout', Buffer.from('\n'));
    },
    note,
    keep: (text) => putOwn('stderr', Buffer.from(`${line(text)}\n`, 'utf8')),
    turn() {
      turns += 1;
    },
    toolCall(title) {
      toolCalls += 1;
      note(`tool: ${title}`);
    },
    refusal(title, reason) {
      refusedCalls += 1;
      note(`refused: ${title}: ${reason}`);
    },
    usage(usage) {
      // A figure that cannot be one is not told, rather than losing what was done.
      used = { ...used, ...Object.fromEntries(Object.entries(usage).filter(([, figure]) => isFigure(figure))) };
    },
    end(said, message) {
      if (verdict === 'failed') return;
      verdict = said;
      why = said === 'failed' ? line(message ?? 'it gave no reason') : undefined;
    },
    get ended() {
      return verdict !== 'unfinished';
    },
    get refusedCalls() {
      return refusedCalls;
    },
    report: () => ({
      verdict,
      ...(why === undefined ? {} : { message: why }),
      ...(verdict === 'unfinished' ? { message: 'it never said how its work ended' } : {}),
      ...{ turns, toolCalls, refusedCalls },
      ...(used === undefined ? {} : { usage: used }),
    }),
    written: () => queue,
  };
}

function isBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}

/** Bytes of an agent with no line that begins like one of the node's. */
function withoutMark(bytes: Buffer, isLineStart: boolean): Buffer {
  // A character for each byte, so that none is lost.
  const text = bytes.toString('latin1');
  const first = isLineStart && text.startsWith(MARK) ? ' ' : '';
  return Buffer.from(first + text.replace(/([\r\n])~/g, '$1 ~'), 'latin1');
}

function isFigure(figure: number): boolean {
  return Number.isSafeInteger(figure) && figure >= 0;
}

/** One visible line; the middle of a long one is left out. */
function shortened(text: string): string {
  const half = Math.floor(LONGEST_NOTE / 2);
  // Cut before anything else is done with it: it may be megabytes, and of blanks alone.
  const part = text.length <= LONGEST_NOTE ? text : `${text.slice(0, half)} … ${text.slice(-half)}`;
  return visible(part.replace(/[\r\n]+/g, ' ').trim());
}
