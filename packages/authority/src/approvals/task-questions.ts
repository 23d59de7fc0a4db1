import type { ReadTx, WriteTx } from '@writ/database';
import type { Approval, ApprovalStore, ApproverStore, SessionStore } from '@writ/lease-store';
import type { Asker, Refusal } from '../record-types.ts';
import { beginSession } from '../sessions.ts';
import { leaseQueryOf, SELF } from '../subject.ts';
import type { AuthorityOptions, Subject } from '../types.ts';
import { decisionsAbout, type TaskDecisions } from './decisions.ts';
import { leaseQuestionIn, type OwnLeaseTerms } from './lease-kind.ts';
import { askerLines, type PreviewLine, type ShownAsker, showLines } from './showing.ts';
import type { Approvals, AskOutcome, Question } from './types.ts';

/** How long a task waits for its answer, milliseconds. */
const LIFETIME_MS = 86_400_000;

/** The task that a question is about, and who sent it. */
export interface AskingTask {
  readonly id: string;
  /** Node id of the sender, or `self`. */
  readonly sender: string;
  /** Node id of the origin, or `self`. */
  readonly origin: string;
  readonly session: string;
  readonly agent: string;
}

/** What a person is asked about a task: to let it run, or to lend what it needs. */
export type TaskWish =
  | { readonly kind: 'task'; readonly digest: string; readonly lines: readonly PreviewLine[] }
  | {
      readonly kind: 'lease';
      readonly grant: OwnLeaseTerms;
    };

/** Port: questions about tasks that wait for a person, in the caller's transactions. */
export interface TaskQuestions {
  /**
   * Why it could not be asked, before there is a task: nobody could answer, too many questions wait, it cannot be shown.
   * Throws what a lease cannot be lent for.
   */
  refusal(tx: WriteTx, task: AskingTask, wish: TaskWish): Refusal | undefined;
  /** Records the session of the task, and asks. Throws CONFLICT where the session is another agent's. */
  ask(tx: WriteTx, task: AskingTask, wish: TaskWish): AskOutcome;
  get(tx: ReadTx, id: string): Approval | undefined;
  /** Ends one that waits. */
  cancel(tx: WriteTx, id: string): void;
  /** Uses a yes to exactly this, once. */
  use(tx: WriteTx, id: string, digest: string): boolean;
  /** What persons decided about a task, with the lease that it ran by. */
  decisions(tx: ReadTx, task: { readonly id: string; readonly lease?: string }): TaskDecisions;
  /** Whether the session of a task was ended, as far as this node was told. */
  hasEnded(tx: ReadTx, task: Pick<AskingTask, 'origin' | 'session'>): boolean;
}

/** What questions about tasks are built from. */
export interface TaskQuestionOptions {
  readonly options: AuthorityOptions;
  /** Of the gate, which is built after the executor that asks. */
  readonly approvals: () => Pick<Approvals, 'ask' | 'refusalOf' | 'cancel'>;
  readonly store: Pick<ApprovalStore, 'get' | 'use' | 'list'>;
  readonly approvers: Pick<ApproverStore, 'listActive'>;
  readonly sessions: Pick<SessionStore, 'get' | 'start'>;
  /** Node id of this node: where sessions of `self` begin. */
  readonly self: string;
  /** How a person is shown who asks. */
  readonly showAsker: (from: string) => ShownAsker;
}

export function createTaskQuestions(parts: TaskQuestionOptions): TaskQuestions {
  const { approvals, store, sessions, self } = parts;
  const originOf = (origin: string): string => (origin === SELF ? self : origin);
  const questionOf = (tx: ReadTx, task: AskingTask, wish: TaskWish): Question => {
    const { id, sender, session, agent } = task;
    const asker: Asker = { origin: originOf(task.origin), session, agent, task: id, requestedBy: sender };
    return wish.kind === 'lease' ? askToLend(parts, tx, asker, wish) : askToRun(parts, asker, wish);
  };
  return {
    refusal: (tx, task, wish) => approvals().refusalOf(tx, questionOf(tx, task, wish)),
    ask(tx, task, wish) {
      const { session: id, agent, sender } = task;
      beginSession(sessions, tx, { origin: originOf(task.origin), id, agent }, sender);
      return approvals().ask(tx, questionOf(tx, task, wish));
    },
    get: store.get,
    cancel: (tx, id) => approvals().cancel(tx, id),
    use: store.use,
    decisions: (tx, task) => decisionsAbout(parts, tx, task),
    hasEnded: (tx, { origin, session }) => sessions.get(tx, originOf(origin), session)?.endedAtMs !== undefined,
  };
}

function askToRun(
  { showAsker }: TaskQuestionOptions,
  asker: Asker,
  { digest, lines }: Extract<TaskWish, { kind: 'task' }>,
): Question {
  return {
    ...{ kind: 'task', asker, digest, lifetimeMs: LIFETIME_MS, scopes: ['once'] },
    subject: { task: asker.task ?? '' },
    preview: showLines([...askerLines(showAsker(asker.requestedBy), asker), ...lines]),
  };
}

/** A lease for this task's sender, origin and session, and for nothing wider. */
function askToLend(
  { options, showAsker }: TaskQuestionOptions,
  tx: ReadTx,
  asker: Asker,
  { grant }: Extract<TaskWish, { kind: 'lease' }>,
): Question {
  const subject: Subject = { from: asker.requestedBy, origin: asker.origin, session: asker.session };
  const { peer, origin, session } = leaseQueryOf(subject);
  const wish = { ...grant, peer, origin, ...(session === undefined ? {} : { session }) };
  const shown = showAsker(asker.requestedBy);
  return leaseQuestionIn(options, tx, { act: 'grant', grant: wish }, { asker, lifetimeMs: LIFETIME_MS, shown });
}
