import type { Duplex } from 'node:stream';
import { type Cancel, errorToJson, WritError } from '@writ/core';
import { createLineSplitter } from '../mcp/line-splitter.ts';
import { createUnanswered } from '../mcp/unanswered.ts';

/** Who ended a connection of MCP. */
export type PipeEnd = 'client' | 'node';

/** Longest line that is looked into, bytes; behind a longer one nobody knows what is unanswered. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;
/** What JSON-RPC calls a fault of whoever was asked. */
const INTERNAL_ERROR = -32_603;

/** What a client and a node speak over. */
export interface PipeEnds {
  readonly socket: Duplex;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Looks after the node while something is waited for, and calls `fail` where it hangs. */
  watchNode(fail: (error: WritError) => void): Cancel;
}

/**
 * Carries bytes both ways until either end is over, with backpressure. What the node still says after `stdin` has
 * ended is written out; a reader that went away ends the connection. What a node that went away, or hangs, leaves
 * unanswered is answered here with an error that says what to do; for one that hangs the promise is rejected with it too.
 */
export function pipeBoth({ socket, stdin, stdout, watchNode }: PipeEnds): Promise<PipeEnd> {
  return new Promise((resolve, reject) => {
    let endedBy: PipeEnd = 'node';
    let hanging: WritError | undefined;
    let stopWatching: Cancel | undefined;
    const fail = (error: WritError): void => {
      hanging = error;
      socket.destroy();
    };
    const questions = followQuestions(stdin, socket, () => {
      if (questions.size() > 0 || endedBy === 'client') {
        stopWatching ??= watchNode(fail);
      } else {
        stopWatching?.();
        stopWatching = undefined;
      }
    });
    const left = (): void => {
      endedBy = 'client';
      stopWatching ??= watchNode(fail);
    };
    const gone = (): void => {
      left();
      socket.destroy();
    };
    const finish = (): void => {
      stopWatching?.();
      questions.stop();
      stdin.unpipe(socket);
      stdin.pause();
      if (hanging !== undefined || endedBy === 'node') stdout.write(questions.failed(hanging ?? nodeLeft()));
      stdout.off('error', gone);
      stdin.off('error', gone).off('end', left);
      if (hanging === undefined) resolve(endedBy);
      else reject(hanging);
    };
    stdin.on('error', gone).once('end', left);
    stdout.on('error', gone);
    socket.on('error', () => socket.destroy());
    socket.once('close', finish);
    stdin.pipe(socket);
    socket.pipe(stdout, { end: false });
  });
}

/** What is asked and answered on a connection. */
interface Questions {
  /** How many wait for an answer. */
  size(): number;
  /** Lines that answer all of them with `error`. */
  failed(error: WritError): string;
  stop(): void;
}

function followQuestions(stdin: NodeJS.ReadableStream, socket: Duplex, onChange: () => void): Questions {
  const unanswered = createUnanswered();
  const follow = (note: (message: unknown) => void) =>
    createLineSplitter({
      largestBytes: LONGEST_LINE_BYTES,
      onLine(line) {
        for (const message of messagesIn(line)) note(message);
        onChange();
      },
      onTooLong: () => stop(),
    });
  const asked = follow(unanswered.noteAsked);
  const answered = follow(unanswered.noteAnswered);
  const stop = (): void => {
    stdin.off('data', asked.take);
    socket.off('data', answered.take);
  };
  stdin.on('data', asked.take);
  socket.on('data', answered.take);
  return {
    size: () => unanswered.size,
    failed(error) {
      const said = [error.message, ...error.nextSteps].join('; ');
      const failure = { code: INTERNAL_ERROR, message: said, data: errorToJson(error) };
      const lines = unanswered.ids().map((id) => `${JSON.stringify({ jsonrpc: '2.0', id, error: failure })}\n`);
      return `${answered.heldBytes() > 0 && lines.length > 0 ? '\n' : ''}${lines.join('')}`;
    },
    stop,
  };
}

/** Nothing in a line that is no JSON: the node says so. */
function messagesIn(line: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [];
  }
}

function nodeLeft(): WritError {
  return new WritError('UNREACHABLE', 'the node ended this connection before it answered', {
    nextSteps: ['writ status'],
  });
}
