import { WritError } from '@writ/core';
import type {
  AskWish,
  OutgoingReply,
  TaskEvent,
  TaskEventBody,
  TranscriptPage,
  Turn,
  WaitingFor,
  WatchedEvent,
} from '@writ/delegation';

/** One end of tasks, in memory: records, events that a test appends, transcripts. */
export interface FakeEnd<R extends { readonly id: string }> {
  readonly records: Map<string, R>;
  /** Until when tasks were kept that are gone. */
  readonly removedAtMs: Map<string, number>;
  readonly transcripts: Map<string, { readonly bytes: Buffer; readonly end: boolean }>;
  /** What tasks wait for, by id. */
  readonly waits: Map<string, WaitingFor>;
  readonly cancelled: { readonly id: string; readonly by: string }[];
  /** What tasks wait for. */
  readonly turns: Map<string, Turn>;
  /** What was asked, and what was replied. */
  readonly asked: { readonly task: string; readonly questions: AskWish['questions'] }[];
  readonly replies: ({ readonly id: string } & OutgoingReply)[];
  /** Watches that are open now. */
  readonly watchers: number;
  /** Events that were taken by watchers, in all. */
  readonly taken: number;
  append(id: string, body: TaskEventBody, data?: Uint8Array): void;
  /** Resolves when `count` watches are open. */
  watched(count: number): Promise<void>;
  newestFirst(): R[];
  watch(id: string, afterSeq: number, signal: AbortSignal): AsyncIterable<WatchedEvent>;
  readTranscript(id: string, offset: number, limit: number): Promise<TranscriptPage>;
}

/** An end without tasks. */
export function createFakeEnd<R extends { readonly id: string }>(): FakeEnd<R> {
  const records = new Map<string, R>();
  const transcripts = new Map<string, { readonly bytes: Buffer; readonly end: boolean }>();
  const events = new Map<string, WatchedEvent[]>();
  const wake = new Set<() => void>();
  let watchers = 0;
  let taken = 0;
  const changed = (): void => {
    for (const fn of [...wake]) fn();
  };
  const untilChanged = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        wake.delete(done);
        resolve();
      };
      wake.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  return {
    records,
    removedAtMs: new Map(),
    transcripts,
    waits: new Map(),
    cancelled: [],
    turns: new Map(),
    asked: [],
    replies: [],
    get watchers() {
      return watchers;
    },
    get taken() {
      return taken;
    },
    append(id, body, data) {
      const list = events.get(id) ?? [];
      const event: TaskEvent = { seq: list.length + 1, atMs: list.length, epoch: 1, ...body };
      events.set(id, [...list, data === undefined ? { event } : { event, data }]);
      changed();
    },
    async watched(count) {
      while (watchers !== count) await untilChanged();
    },
    newestFirst: () => [...records.values()].sort((a, b) => (a.id < b.id ? 1 : -1)),
    async *watch(id, afterSeq, signal) {
      watchers += 1;
      changed();
      try {
        for (let at = afterSeq; !signal.aborted; ) {
          const next = events.get(id)?.[at];
          if (next === undefined) {
            if (events.get(id)?.at(-1)?.event.kind === 'outcome') return;
            await untilChanged(signal);
            continue;
          }
          at += 1;
          taken += 1;
          yield next;
          if (next.event.kind === 'outcome') return;
        }
      } finally {
        watchers -= 1;
        changed();
      }
    },
    async readTranscript(id, offset, limit) {
      const transcript = transcripts.get(id);
      if (transcript === undefined) throw new WritError('NOT_FOUND', 'no transcript');
      const data = transcript.bytes.subarray(offset, offset + limit);
      const next = offset + data.length;
      return { data, next, end: transcript.end && next >= transcript.bytes.length };
    },
  };
}
