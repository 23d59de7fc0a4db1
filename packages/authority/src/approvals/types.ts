import type { ApproverProof, DecisionStatement, Json } from '@writ/core';
import type { ReadTx, WriteTx } from '@writ/database';
import type { Approval, ApprovalKind, ApprovalScope, ApprovalStore, SessionKey } from '@writ/lease-store';
import type { Asker, Refusal } from '../record-types.ts';
import type { Preview } from './showing.ts';

/** A question, as the part that needs the answer puts it. */
export interface Question {
  readonly kind: ApprovalKind;
  readonly asker: Asker;
  /** SHA-256 of what would be done, hex. */
  readonly digest: string;
  readonly preview: Preview;
  readonly subject: Json;
  readonly scopes: readonly ApprovalScope[];
  /** How long it can be answered, milliseconds; a yes can be used as long again. */
  readonly lifetimeMs: number;
}

/** What became of a question. */
export type AskOutcome =
  | {
      readonly asked: true;
      readonly approval: Approval /** False: the same question waited already. */;
      readonly isNew: boolean;
    }
  | { readonly asked: false; readonly refusal: Refusal };

/** Which check of a decision failed, in their order. */
export type DecisionCheck = 'id' | 'pending' | 'session' | 'task' | 'digest' | 'policy' | 'scope' | 'approver';

/** An answer as it comes in: what is said, and who proves to have said it. */
export interface Answer {
  readonly statement: DecisionStatement;
  readonly proof: ApproverProof;
}

export type DecideOutcome =
  | { readonly decided: true; readonly approval: Approval }
  | {
      readonly decided: false;
      readonly check: DecisionCheck;
      readonly refusal: Refusal;
      /** Who was faster, where somebody was. */
      readonly decidedBy?: string;
    };

/** Questions to persons of this node. */
export interface Approvals {
  /**
   * Asks, in the caller's transaction. Gone session or task: NOT_FOUND, no row, no event. The same question that waits
   * is not asked twice. Nobody who could answer: refused at once. Throws BAD_REQUEST for an asker with an empty part.
   */
  ask(tx: WriteTx, question: Question): AskOutcome;
  /** Why it could not be asked, whoever asks: `ask` without its look at session and task, and without effect. */
  refusalOf(tx: WriteTx, question: Question): Refusal | undefined;
  /** What an approver signs to answer so; undefined where there is no such approval. */
  statement(
    id: string,
    answer: { readonly answer: 'approve' | 'deny'; readonly scope?: ApprovalScope },
  ): DecisionStatement | undefined;
  /** Takes, verifies and applies in one transaction; a mismatch leaves everything as it was and says which it is. */
  decide(id: string, answer: Answer): DecideOutcome;
  get(id: string): Approval | undefined;
  /** What was asked under a key of this asker's, whatever became of it; see `ApprovalStore.findByRequest`. */
  findByRequest(tx: ReadTx, request: Parameters<ApprovalStore['findByRequest']>[1]): Approval | undefined;
  /** Newest first. */
  list(filter: Parameters<ApprovalStore['list']>[1]): readonly Approval[];
  /** Ends what waits for this session or task, in the transaction that ends it. */
  cancelOf(tx: WriteTx, whose: SessionKey | { readonly task: string }): void;
  /** Ends one that waits, where what asked needs no answer any more. */
  cancel(tx: WriteTx, id: string): void;
  /**
   * Ends every question that waits, with what waits for it, and every yes that was not used, in the transaction that
   * accepts a clock that went back.
   */
  endAll(tx: WriteTx, by: string): void;
  /** Keeps every yes of an approver that was not used from being used; returns their ids. */
  dropUnusedOf(tx: WriteTx, approver: string, by: string): readonly string[];
  /** Denies what nobody answered in time, and removes what ended long ago; a bounded number at a time. */
  sweep(): { readonly expired: number; readonly pruned: number };
}
