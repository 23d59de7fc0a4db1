import { visible } from '@writ/core';
import type { AgentReport, AgentUsage } from '../agent-report.ts';
import { type AgentOutput, createJoinedOutput } from './joined-output.ts';

/** Longest line that is noted of one event, UTF-16 units; a tool's whole input may be megabytes. */
const LONGEST_NOTE = 500;

/**
 * What an agent does, written down for people and counted for the report: its words on standard output, everything about
 * them (turns, tool calls, what was refused) on standard error, one line each, marked as the node's.
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
  /** It is at work, also where it has said that its work is done: that has to be said again. A failure stays one. */
  resume(): void;
  /** The agent says how its work ended. A failure stays one, whatever comes after it. */
  end(verdict: 'completed' | 'failed', message?: string): void;
  readonly ended: boolean;
  /** Calls that were refused so far. */
  readonly refusedCalls: number;
  report(): AgentReport;
  /** Resolves when so much is written that more of the agent's may be read. */
  room(): Promise<void>;
  /** Resolves when everything so far is written. */
  written(): Promise<void>;
}

export function createAgentLog(output: AgentOutput, clean: (text: string) => string): AgentLog {
  const { words, ...joined } = createJoinedOutput(output);
  let turns = 0;
  let toolCalls = 0;
  let refusedCalls = 0;
  let used: AgentUsage | undefined;
  let verdict: AgentReport['verdict'] = 'unfinished';
  let why: string | undefined;
  let isMidWords = false;
  // Half a secret would be found by nobody: it goes before anything is cut.
  const line = (text: string): string => shortened(clean(text));
  const note = (text: string): void => joined.note(line(text));
  return {
    own(bytes) {
      words('stderr', bytes);
      return joined.written();
    },
    say(text) {
      if (text === '') return;
      isMidWords = !/[\r\n]$/.test(text);
      words('stdout', Buffer.from(text, 'utf8'));
    },
    endWords() {
      if (isMidWords) words('stdout', Buffer.from('\n'));
      isMidWords = false;
    },
    note,
    keep: (text) => words('kept', Buffer.from(`${line(text)}\n`, 'utf8')),
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
    resume() {
      // INVARIANT: 10 what has begun after it was done has not been done.
      if (verdict === 'completed') verdict = 'unfinished';
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
    room: joined.room,
    written: joined.written,
  };
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
