import type { ClassifyTool, KindRules, Question as PersonsQuestion, WhoAsks } from '@writ/authority';
import type { Json } from '@writ/core';
import type { ReadTx, WriteTx } from '@writ/database';
import type { Question, QuestionKind, QuestionStore, Task, TaskState, Turn } from '@writ/task-store';

// ---------------------------------------------------------------- the task that asks

/** One question as a running task puts it. */
export interface QuestionWish {
  readonly kind: QuestionKind;
  readonly text: string;
  /** What may be answered; absent: anything. Only for `input`. */
  readonly choices?: readonly string[];
  /** What became of the credential that was given before; only for `credential`. */
  readonly previous?: 'accepted' | 'refused';
}

/** What a running task asks at once. */
export interface AskWish {
  readonly questions: readonly QuestionWish[];
  /** How long it waits, milliseconds; absent: as long as the task may run. */
  readonly timeoutMs?: number;
}

/** What became of one question. */
export interface AskedAnswer {
  readonly question: string;
  readonly kind: QuestionKind;
  readonly state: Exclude<Question['state'], 'open'>;
  /** The reply, or the secret: handed out this once. */
  readonly text?: string;
  /** Node id of who replied, id of an approver, or `node`. */
  readonly by?: string;
  /** Why it was denied. */
  readonly message?: string;
}

/** What became of everything that was asked at once, in its order. */
export interface Asked {
  readonly turn: number;
  readonly answers: readonly AskedAnswer[];
}

// ---------------------------------------------------------------- whoever answers

/** An answer to one question of a task; the bytes of a secret are zeroed by whoever takes it over. */
export interface Reply {
  /** Its id. */
  readonly question: string;
  /** Made by who replies: the same reply twice is one. */
  readonly key: string;
  readonly content:
    | { readonly kind: 'input'; readonly text: string }
    | { readonly kind: 'credential'; readonly secret: Uint8Array };
}

/** A reply was taken: how the task stands now, and how many of its questions are open still. */
export interface ReplyTaken {
  readonly question: string;
  readonly state: TaskState;
  readonly open: number;
}

// ---------------------------------------------------------------- ports

/** What interactive tasks need of their node. */
export interface TurnDesk {
  readonly questions: QuestionStore;
  /** Whether the session of a task has not ended, as far as this node knows; without effect. */
  isSessionLive(tx: ReadTx, task: Pick<Task, 'origin' | 'session' | 'agent'>): boolean;
  /** Asks an approver of this node, in the caller's transaction, which stores the session with it; the id of the approval, or why nobody is asked. */
  askApprover(tx: WriteTx, question: ApproverQuestion): ApproverAsked;
  /** Ends a question to an approver that waits. */
  withdrawApproval(tx: WriteTx, approval: string): void;
  /** What tool calls of agents are looked at with. */
  readonly tools: ToolDesk;
}

/** What tool calls of agents are looked at with. */
export interface ToolDesk {
  readonly classify: ClassifyTool;
  /**
   * Looks at a command before `classify` is asked about it, which waits for nobody, and keeps what it came to until what it gives is
   * called, whatever else is looked at; absent: there is no need to.
   */
  readonly hold?: (argv: readonly string[], cwd: string, asker: WhoAsks) => Promise<() => void>;
  /** A path of a profile's `read_paths` as an absolute one. */
  readonly resolvePath: (path: string) => string;
  /** See `ToolFacts`. */
  readonly leadsTo: (path: string) => string | undefined;
}

/** What an approver is asked. */
export interface ApproverQuestion extends Pick<PersonsQuestion, 'digest' | 'lifetimeMs'> {
  readonly task: Task;
  readonly subject: Json;
  /** Each line of the question, as the task or its agent wrote it. */
  readonly lines: readonly AskedLine[];
}

/** A line of a question, and what it is. */
export interface AskedLine {
  readonly label: string;
  readonly text: string;
}

export type ApproverAsked =
  | { readonly asked: true; readonly approval: string }
  | { readonly asked: false; readonly code: string; readonly message: string };

/** The questions of tasks that run here. */
export interface ExecutorTurns {
  /**
   * Asks in the name of a task that runs here and waits for the answers; `signal` withdraws what is open. Throws NOT_FOUND
   * where task or session is gone, GRANT_EXCEEDED, BAD_REQUEST, LIMIT_EXCEEDED, CANCELLED.
   */
  ask(task: string, wish: AskWish, signal: AbortSignal): Promise<Asked>;
  /**
   * Takes a reply of `by`. Throws NOT_FOUND where task, session or question is gone, NOT_PENDING where somebody was faster,
   * BAD_REQUEST, WRIT_REPLAYED for another reply under the same key. Whatever becomes of it, a secret is zeroed here once it
   * was handed to who asked, or refused.
   */
  reply(task: string, reply: Reply, by: string): ReplyTaken;
  /** What a task waits for; undefined: for no answer. Throws NOT_FOUND. */
  turn(task: string): Turn | undefined;
  /** Ends what tasks of this session asked, in the transaction that ends it; they go on, and are told. */
  sessionEnded(tx: WriteTx, key: { readonly origin: string; readonly session: string }): void;
  /** What an approval of kind `permission` is about: a question of a task. */
  readonly permission: KindRules;
}
