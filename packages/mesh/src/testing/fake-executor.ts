import { sha256Hex, WritError } from '@writ/core';
import type {
  Executor,
  RenewAnswer,
  Reply,
  ReplyTaken,
  ShippedBundle,
  SubmitAnswer,
  SubmitRequest,
  Task,
  TaskEventBody,
  WatchedEvent,
} from '@writ/delegation';

/** An executor that runs nothing: a test says what happens. */
export interface FakeExecutor extends Executor {
  readonly submitted: SubmitRequest[];
  /** Answer of the next submits; undefined: accept. */
  answer: ((request: SubmitRequest) => SubmitAnswer) | undefined;
  /** Appends an event, with bytes for an output, and wakes the watchers. */
  emit(task: string, body: TaskEventBody, data?: Uint8Array): void;
  /** Watchers of this moment. */
  watching(): number;
  transcript: Uint8Array;
  /** Contents by `task sha256`; the one under the task alone is its signed result. */
  readonly contents: Map<string, Uint8Array>;
  /** Reads of contents so far. */
  reads: number;
  /** Receipts that were taken, `task text`; the text `bad` is none that could be. */
  readonly receipts: string[];
  /** Renewals that were asked for, `task extensions`, and what the next ones are answered. */
  readonly renewals: string[];
  renewal: RenewAnswer;
  /** Replies that came, whose, and what the next ones are answered. */
  readonly replies: { readonly task: string; readonly reply: Reply; readonly by: string }[];
  taken: ReplyTaken | WritError;
  commits: readonly string[];
  /** Inputs that came whole. */
  readonly inputs: { readonly sender: string; readonly input: ShippedBundle; readonly data: Uint8Array }[];
  /** Takes the bytes of the next inputs; undefined: all of them into memory. */
  drink: ((data: AsyncIterable<Uint8Array>) => Promise<void>) | undefined;
}

/** Tasks and events in memory. */
export function createFakeExecutor(): FakeExecutor {
  const tasks = new Map<string, Task>();
  const events = new Map<string, WatchedEvent[]>();
  const wakes = new Set<() => void>();
  let watching = 0;

  const get = (id: string): Task => {
    const task = tasks.get(id);
    if (task === undefined) throw new WritError('NOT_FOUND', 'no such task');
    return task;
  };

  return {
    submitted: [],
    answer: undefined,
    transcript: new Uint8Array(),
    async submit(request) {
      this.submitted.push(request);
      const answer = this.answer?.(request) ?? { accepted: true as const, task: taskOf(request) };
      if (answer.accepted) {
        tasks.set(request.task, answer.task);
        events.set(request.task, []);
      }
      return answer;
    },
    get: (id) => tasks.get(id),
    find(id, sender) {
      const task = tasks.get(id);
      return task?.sender === sender ? { task } : undefined;
    },
    removedAtMs: () => undefined,
    list: ({ sender, limit }) => [...tasks.values()].filter((task) => task.sender === sender).slice(0, limit),
    async cancel(id) {
      const ended: Task = { ...get(id), state: 'cancelled', outcome: CANCELLED };
      tasks.set(id, ended);
      return ended;
    },
    async readTranscript(_id, offset, limit) {
      const data = this.transcript.subarray(offset, offset + limit);
      const next = offset + data.length;
      return { data, next, end: next >= this.transcript.length };
    },
    async renew(id, extensions) {
      this.renewals.push(`${id} ${extensions.join()}`);
      return this.renewal;
    },
    renewals: [],
    renewal: { renewed: true, expiresAtMs: 1 },
    replies: [],
    taken: { question: '1.1', state: 'running', open: 0 },
    get turns() {
      return turnsOf(this);
    },
    contents: new Map(),
    reads: 0,
    receipts: [],
    commits: [],
    inputs: [],
    drink: undefined,
    result(id) {
      const envelope = this.contents.get(id);
      return envelope === undefined ? undefined : { sha256: sha256Hex(envelope), envelope };
    },
    async readContent(id, sha256, offset, limit) {
      this.reads += 1;
      const content = this.contents.get(`${id} ${sha256}`);
      if (content === undefined) throw new WritError('NOT_FOUND', 'the result names no such content');
      return content.subarray(offset, offset + limit);
    },
    acknowledge(id, receipt) {
      const text = Buffer.from(receipt).toString();
      if (text === 'bad') throw new WritError('EVIDENCE_INVALID', 'not signed by the sender');
      if (text === 'fault') throw new WritError('DATABASE_ERROR', 'disk full');
      this.receipts.push(`${id} ${text}`);
    },
    async workspaceCommits() {
      return this.commits;
    },
    async takeInput(sender, input, data) {
      if (this.drink !== undefined) return this.drink(data);
      const parts: Uint8Array[] = [];
      for await (const part of data) parts.push(part);
      const whole = Buffer.concat(parts);
      if (sha256Hex(whole) !== input.sha256) throw new WritError('EVIDENCE_INVALID', 'in /home/owner: another digest');
      this.inputs.push({ sender, input, data: whole });
    },
    endWhere: async () => 0,
    context() {
      throw new WritError('TASK_ENDED', 'nothing runs here');
    },
    taskKind: { refusal: () => undefined, digestNow: () => undefined, settle: () => {} },
    waitsFor: () => undefined,
    writs: () => [],
    onEnd: () => () => undefined,
    recover: async () => ({ lost: 0, killed: 0 }),
    close: async () => undefined,
    emit(task, body, data) {
      const list = events.get(task) ?? [];
      const event = { seq: list.length + 1, atMs: 1, epoch: 1, ...body };
      list.push(data === undefined ? { event } : { event, data });
      for (const wake of [...wakes]) wake();
    },
    watching: () => watching,
    async *watch(task, afterSeq, signal) {
      watching += 1;
      try {
        for (let seq = afterSeq; !signal.aborted; ) {
          const next = events.get(task)?.[seq];
          if (next === undefined) {
            await new Promise<void>((resolve) => {
              wakes.add(resolve);
              signal.addEventListener('abort', () => resolve(), { once: true });
            });
            continue;
          }
          seq += 1;
          yield next;
          if (next.event.kind === 'outcome') return;
        }
      } finally {
        watching -= 1;
      }
    },
  };
}

/** Takes every reply and asks nothing. */
function turnsOf(executor: FakeExecutor): Executor['turns'] {
  return {
    ask: async () => ({ turn: 1, answers: [] }),
    reply(task, reply, by) {
      executor.replies.push({ task, reply, by });
      if (executor.taken instanceof WritError) throw executor.taken;
      return executor.taken;
    },
    turn: () => undefined,
    sessionEnded: () => undefined,
    permission: { refusal: () => undefined, digestNow: () => undefined, settle: () => undefined },
  };
}

const CANCELLED = {
  state: 'cancelled',
  code: 'CANCELLED',
  message: 'cancelled by the sender',
  truncated: false,
  stdoutBytes: 0,
  stderrBytes: 0,
  endedAtMs: 5,
} as const;

/** A task as an executor would record the request. */
function taskOf(request: SubmitRequest): Task {
  return {
    id: request.task,
    sender: request.subject.from,
    origin: request.subject.origin,
    session: request.subject.session,
    agent: request.agent,
    chain: request.chain?.ids ?? [],
    idempotencyKey: request.idempotencyKey,
    requestDigest: '',
    spec: request.spec,
    granted: {
      requestedProfile: request.spec.profile ?? 'query',
      effectiveProfile: 'query',
      effectiveRunner: 'shell',
      isolation: 'none',
      generation: 1,
      message: 'granted',
    },
    bounds: {},
    state: 'queued',
    epoch: 0,
    lastSeq: 0,
    createdAtMs: 1,
    version: 1,
  };
}
