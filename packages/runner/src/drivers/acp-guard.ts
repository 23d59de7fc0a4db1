import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';

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
  /** A notification, with its parameters as they came. */
  readonly notified: (method: string, params: unknown) => void;
  /** Once it is aborted what the agent asks for is dropped, and gets no answer. */
  readonly over: AbortSignal;
  /** It goes on asking all the same, so much that it cannot have heard of it; called once. */
  readonly deaf: () => void;
}

/**
 * What an agent sends before the library sees it: answers to what nobody asked, and what is no message, are dropped, and
 * notifications go by it (the library would write what it cannot read to the log of the node), requests whose answers nobody
 * could keep are dropped too; and as long as it reads none of its answers it is asked nothing more by sending.
 */
export function guardMessages({ readable, writable }: Stream, { notified, over, deaf }: GuardOptions): Stream {
  const asked = new Set<string>();
  let openRequests = 0;
  let lateRequests = 0;
  let resume: () => void = () => {};
  const answered = (): void => {
    openRequests -= 1;
    resume();
  };
  over.addEventListener('abort', () => resume(), { once: true });
  const pen = writable.getWriter();
  const outgoing = new WritableStream<AnyMessage>({
    async write(message) {
      const { id, method } = partsOf(message);
      if (method !== undefined && id !== undefined) asked.add(id);
      await pen.write(message);
      if (method === undefined && id !== undefined) answered();
    },
    close: () => pen.close(),
    abort: (reason) => pen.abort(reason),
  });
  const incoming = readable.pipeThrough(
    new TransformStream<AnyMessage, AnyMessage>({
      async transform(message, controller) {
        const { id, method } = partsOf(message);
        if (method === undefined) {
          if (id !== undefined && asked.delete(id)) controller.enqueue(message);
          return;
        }
        if (!('id' in message)) {
          if (method === WITHDRAWN) controller.enqueue(message);
          else notified(method, 'params' in message ? message.params : undefined);
          return;
        }
        if (over.aborted) {
          lateRequests += 1;
          if (lateRequests === MOST_LATE) deaf();
          return;
        }
        if (id === undefined) return;
        openRequests += 1;
        controller.enqueue(message);
        while (openRequests >= MOST_OPEN && !over.aborted) {
          await new Promise<void>((resolve) => {
            resume = resolve;
          });
        }
      },
    }),
  );
  return { readable: incoming, writable: outgoing };
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
