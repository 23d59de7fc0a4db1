import type { ReadTx, WriteTx } from '@writ/database';

/**
 * What a running task can ask for: words of whoever handed it over · a yes of an approver of the executing node · a
 * secret of whoever handed it over.
 */
export const QUESTION_KINDS = ['input', 'approval', 'credential'] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

/**
 * Every state but the first is final. `withdrawn`: who asked went away, or asked no longer; `ended`: its task or session
 * did.
 */
export const QUESTION_STATES = ['open', 'answered', 'approved', 'denied', 'expired', 'withdrawn', 'ended'] as const;
export type QuestionState = (typeof QUESTION_STATES)[number];

/** A question as whoever answers sees it. */
export interface TurnQuestion {
  /** `TURN.NUMBER`, unique in its task. */
  readonly id: string;
  readonly kind: QuestionKind;
  /** Visible characters and line ends only. */
  readonly text: string;
  /** What may be answered; absent: anything. */
  readonly choices?: readonly string[];
  /** What became of the credential that was given before, where one is asked for again. */
  readonly previous?: 'accepted' | 'refused';
  /** Id of the approval that answers it. */
  readonly approval?: string;
  readonly askedAtMs: number;
}

/** The open questions of a task: from the first that is asked while none is open until none is. */
export interface Turn {
  /** From 1. */
  readonly turn: number;
  readonly sinceMs: number;
  /** In the order in which they were asked. */
  readonly questions: readonly TurnQuestion[];
}

/** The executing node's record of a question. */
export interface Question extends TurnQuestion {
  readonly task: string;
  readonly turn: number;
  readonly state: QuestionState;
  readonly settledAtMs?: number;
  /** Node id of who replied, or `self`; id of an approver; `node` for an ending that nobody chose. */
  readonly settledBy?: string;
  /** Never there for a credential. */
  readonly answer?: string;
  /** The replier's key: the same reply twice is one. */
  readonly answerKey?: string;
  /** Why it was denied, for the task. */
  readonly message?: string;
}

export type NewQuestion = Pick<
  Question,
  'task' | 'turn' | 'id' | 'kind' | 'text' | 'choices' | 'previous' | 'approval'
>;

/** How a question stops being open. */
export interface Settlement {
  readonly state: Exclude<QuestionState, 'open'>;
  readonly by: string;
  readonly answer?: string;
  readonly answerKey?: string;
  readonly message?: string;
}

/** Records of questions. Every method works inside the caller's transaction. */
export interface QuestionStore {
  /** Open. Throws DATABASE_ERROR where the task has a question of this id. */
  insert(tx: WriteTx, question: NewQuestion): Question;
  get(tx: ReadTx, task: string, id: string): Question | undefined;
  /** Open ones of a task, in the order in which they were asked. */
  listOpen(tx: ReadTx, task: string): readonly Question[];
  /** The open question that an approval answers. */
  findOpenByApproval(tx: ReadTx, approval: string): Question | undefined;
  /** How many a task has asked, the newest turn of it, and how many questions that has; zeros where it has none. */
  counts(tx: ReadTx, task: string): { readonly asked: number; readonly turn: number; readonly inTurn: number };
  /** The newest credential that this task was given. */
  lastCredential(tx: ReadTx, task: string): Question | undefined;
  /**
   * The settled question, or undefined where it was not open, in which case nothing has changed.
   * INVARIANT: 5 check and change are one statement. Throws DATABASE_ERROR for an answer to a credential: it is stored nowhere.
   */
  settle(tx: WriteTx, task: string, id: string, how: Settlement): Question | undefined;
}
