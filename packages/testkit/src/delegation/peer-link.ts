import { WritError } from '@writ/core';
import type { PeerClient, WatchedEvent } from '@writ/delegation';

/** A call that a link carries. */
export type LinkCall =
  | 'submit'
  | 'cancel'
  | 'renew'
  | 'reply'
  | 'readTranscript'
  | 'watch'
  | 'getResult'
  | 'fetch'
  | 'acknowledge'
  | 'workspaceCommits'
  | 'upload'
  | 'requestLease'
  | 'endSession';

/** What happens to one unary call, or to the opening of a watch. */
export type LinkFault =
  /** Never arrives; `certain`: and the caller can know that. */
  | { readonly kind: 'drop-request'; readonly certain?: boolean }
  /** Arrives and is carried out; the answer is lost. */
  | { readonly kind: 'drop-answer' }
  /** Arrives twice. */
  | { readonly kind: 'duplicate' }
  /** Arrives after this. */
  | { readonly kind: 'delay'; readonly until: Promise<void> };

/** What happens to one event of a watch. */
export type EventFault = 'break-before' | 'break-after' | 'duplicate' | 'strip-data' | 'strip-result' | undefined;

/** What happens to one piece of a fetch; bytes: those come instead. */
export type ChunkFault = 'break-before' | 'break-after' | Uint8Array | undefined;

/** A wire in memory between an origin and an executor that loses, repeats and holds back what a test says. */
export interface PeerLink extends PeerClient {
  /** How often each call was made. */
  readonly calls: Readonly<Record<LinkCall, number>>;
  /** Nothing gets through, and every open watch breaks. */
  down(): void;
  up(): void;
}

/** `call`, `event` and `chunk` are asked for every one; undefined: it goes through. */
export function createPeerLink(options: {
  readonly server: PeerClient;
  readonly call?: (call: LinkCall, nth: number) => LinkFault | undefined;
  readonly event?: (watched: WatchedEvent) => EventFault;
  readonly chunk?: (data: Uint8Array, sha256: string) => ChunkFault;
}): PeerLink {
  const { server } = options;
  const calls = {
    ...{ submit: 0, cancel: 0, readTranscript: 0, watch: 0, getResult: 0 },
    ...{ renew: 0, reply: 0, fetch: 0, acknowledge: 0, workspaceCommits: 0, upload: 0, requestLease: 0, endSession: 0 },
  };
  let cut = new AbortController();

  async function carry<T>(call: LinkCall, serve: () => Promise<T>): Promise<T> {
    calls[call] += 1;
    const fault = options.call?.(call, calls[call]);
    if (cut.signal.aborted || fault?.kind === 'drop-request') throw unreachable(fault);
    if (fault?.kind === 'delay') await fault.until;
    if (fault?.kind === 'duplicate') await serve();
    const answer = await serve();
    if (cut.signal.aborted || fault?.kind === 'drop-answer') throw unreachable();
    return answer;
  }

  return {
    calls,
    submit: (request) => carry('submit', () => server.submit(request)),
    cancel: (task) => carry('cancel', () => server.cancel(task)),
    renew: (task, extensions) => carry('renew', () => server.renew(task, extensions)),
    reply: (task, reply) => carry('reply', () => server.reply(task, reply)),
    readTranscript: (task, offset, limit) => carry('readTranscript', () => server.readTranscript(task, offset, limit)),
    async *watch(task, afterSeq, signal) {
      await carry('watch', async () => undefined);
      const link = cut.signal;
      for await (const watched of server.watch(task, afterSeq, AbortSignal.any([signal, link]))) {
        const fault = options.event?.(watched);
        if (link.aborted || fault === 'break-before') throw unreachable();
        yield pass(watched, fault);
        if (fault === 'duplicate') yield watched;
        if (fault === 'break-after') throw unreachable();
      }
      if (link.aborted) throw unreachable();
    },
    getResult: (task) => carry('getResult', () => server.getResult(task)),
    async *fetch(task, sha256, offset, signal) {
      await carry('fetch', async () => undefined);
      const link = cut.signal;
      for await (const data of server.fetch(task, sha256, offset, AbortSignal.any([signal, link]))) {
        const fault = options.chunk?.(data, sha256);
        if (link.aborted || fault === 'break-before') throw unreachable();
        yield fault instanceof Uint8Array ? fault : data;
        if (fault === 'break-after') throw unreachable();
      }
      if (link.aborted) throw unreachable();
    },
    acknowledge: (receipts) => carry('acknowledge', () => server.acknowledge(receipts)),
    workspaceCommits: (name) => carry('workspaceCommits', () => server.workspaceCommits(name)),
    upload: (input, data, signal) => carry('upload', () => server.upload(input, data, signal)),
    requestLease: (request) => carry('requestLease', () => server.requestLease(request)),
    endSession: (statement) => carry('endSession', () => server.endSession(statement)),
    down: () => cut.abort(),
    up() {
      cut = new AbortController();
    },
  };
}

function pass(watched: WatchedEvent, fault: EventFault): WatchedEvent {
  const { event, data } = watched;
  if (fault === 'strip-data') return { event };
  if (fault === 'strip-result') return data === undefined ? { event } : { event, data };
  return watched;
}

function unreachable(fault?: LinkFault): WritError {
  const certain = fault?.kind === 'drop-request' && fault.certain;
  return new WritError('UNREACHABLE', 'the link is down', certain ? { details: { sent: false } } : {});
}
