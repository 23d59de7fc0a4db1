import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { MOST_VALUES } from '@writ/core';
import { withPlainParams } from './acp-permission.ts';
import { createJsonLines } from './json-lines.ts';

/** Longest message of an agent, bytes. */
const LONGEST_MESSAGE = 1024 * 1024;
/** Most requests of an agent that wait for an answer, or whose answers it has not read; more wait to be read. */
const MOST_OPEN = 64;
/** Requests of one that was told to stop and was on its way to it. */
const MOST_LATE = 2 * MOST_OPEN;
/** Longest id of a request, characters. */
const LONGEST_ID = 100;
/** The agent does not want the answer any more: the one notification that is the library's own. */
const WITHDRAWN = '$/cancel_request';

/** Who hears what the library does not. */
export interface GuardOptions {
  /** Takes what is written to the agent; resolves when it has read that, or nobody will. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** A notification, with its parameters as they came; resolves when the next may be read. */
  readonly notified: (method: string, params: unknown) => Promise<void>;
  /** Once it is aborted what the agent asks for is dropped, and gets no answer. */
  readonly over: AbortSignal;
  /** It goes on asking all the same, so much that it cannot have heard of it; called once. */
  readonly deaf: () => void;
}

/** The way between an agent's bytes and the library's messages. */
export interface Guard {
  /** For the library. */
  readonly stream: Stream;
  /** Takes what the agent writes, in order: resolves when all that is whole of it was dealt with. Never rejects. */
  take(bytes: Buffer): Promise<void>;
  /** Nothing more comes, or nobody wants it. */
  close(): Promise<void>;
}

/**
 * What an agent sends before the library sees it: answers to what nobody asked, and what is no message, are dropped, and
 * notifications go by it (the library would write what it cannot read to the log of the node), requests whose answers nobody
 * could keep are dropped too; and as long as it reads none of its answers it is asked nothing more by sending. Nothing is kept
 * of what it writes meanwhile, but for the bytes that are being taken: the library's own reader would keep all of it.
 */
export function guardMessages(options: GuardOptions): Guard {
  const { write, over } = options;
  const asked = new Set<string>();
  const open = createOpenRequests(over);
  const arrived: AnyMessage[] = [];
  let tooMuch: string | undefined;
  const lines = createJsonLines((line) => {
    if (line.kind === 'too-long') tooMuch = `${LONGEST_MESSAGE} bytes`;
    else if (line.kind === 'too-many' && waitsForAnswer(line.text)) tooMuch = `${MOST_VALUES} values`;
    else if (line.kind === 'event' && isMessage(line.value)) arrived.push(line.value);
  }, LONGEST_MESSAGE);
  const incoming = new TransformStream<AnyMessage, AnyMessage>();
  const pen = incoming.writable.getWriter();
  /** The library has closed its side, or nothing more comes. */
  let isClosed = false;
  void pen.closed
    .catch(() => {})
    .then(() => {
      isClosed = true;
    });
  const handle = createHandler(options, { asked, open, pass: (message) => pen.write(message) });
  const outgoing = new WritableStream<AnyMessage>({
    async write(message) {
      const { id, method } = partsOf(message);
      if (method !== undefined && id !== undefined) asked.add(id);
      await write(Buffer.from(`${JSON.stringify(message)}\n`));
      if (method === undefined && id !== undefined) open.answered();
    },
  });
  const workOff = async (): Promise<void> => {
    for (const message of arrived.splice(0)) if (!isClosed) await handle(message).catch(() => {});
  };
  return {
    stream: { readable: incoming.readable, writable: outgoing },
    async take(bytes) {
      if (isClosed) return;
      lines.push(bytes);
      await workOff();
      if (tooMuch !== undefined) {
        await pen.abort(new Error(`it sent a message of more than ${tooMuch}`)).catch(() => {});
      }
    },
    async close() {
      // The last line, that nothing ended, may be the answer that says how its work did.
      lines.end();
      await workOff();
      await pen.close().catch(() => {});
    },
  };
}

/** Requests that the agent waits for an answer to. */
interface OpenRequests {
  /** One more; resolves when there is room for another. */
  add(): Promise<void>;
  answered(): void;
}

function createOpenRequests(over: AbortSignal): OpenRequests {
  let open = 0;
  let resume: () => void = () => {};
  over.addEventListener('abort', () => resume(), { once: true });
  return {
    async add() {
      open += 1;
      while (open >= MOST_OPEN && !over.aborted) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
    },
    answered() {
      open -= 1;
      resume();
    },
  };
}

/** Decides what of the messages goes to the library. */
function createHandler(
  { notified, over, deaf }: GuardOptions,
  way: {
    readonly asked: Set<string>;
    readonly open: OpenRequests;
    readonly pass: (message: AnyMessage) => Promise<void>;
  },
): (message: AnyMessage) => Promise<void> {
  let lateRequests = 0;
  return async (message) => {
    const { id, method } = partsOf(message);
    if (method === undefined) {
      if (id !== undefined && way.asked.delete(id)) await way.pass(message);
      return;
    }
    if (!('id' in message)) {
      if (method === WITHDRAWN) await way.pass(message);
      else await notified(method, 'params' in message ? message.params : undefined);
      return;
    }
    if (over.aborted) {
      lateRequests += 1;
      if (lateRequests === MOST_LATE) deaf();
      return;
    }
    if (id === undefined) return;
    const room = way.open.add();
    await way.pass(withPlainParams(message));
    await room;
  };
}

/** Whether a message that is too much to look at was to be answered, or an answer: what only tells something can be left out. */
function waitsForAnswer(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isMessage(value) && 'id' in value;
  } catch {
    return false;
  }
}

function isMessage(value: unknown): value is AnyMessage {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Method, and the id in one spelling; undefined for what is none. */
function partsOf(message: AnyMessage): { readonly id?: string; readonly method?: string } {
  const { id, method } = message as { readonly id?: unknown; readonly method?: unknown };
  const isId = typeof id === 'number' || (typeof id === 'string' && id.length <= LONGEST_ID);
  return {
    ...(isId ? { id: JSON.stringify(id) } : {}),
    ...(typeof method === 'string' ? { method } : {}),
  };
}
