import { type AskOutcome, beginSession, type Gate, PERSON, type Question } from '@writ/authority';
import { WritError } from '@writ/core';
import type { Foundations } from './foundations.ts';

/** Puts a question, its session stored with it. Throws the refusal of one that cannot be asked. */
export type AskPerson = (question: Question) => Extract<AskOutcome, { asked: true }>;

/**
 * Whether somebody answers questions of this node: an approver is enrolled, or the configuration takes a terminal for
 * one. Where nobody does, the host token is all that there is, and `unseparated` says so.
 */
export function hasApprover({
  database,
  stores,
  engine,
}: Pick<Foundations, 'database' | 'stores' | 'engine'>): boolean {
  const isTerminalEnough = engine.snapshot().config.approvals.mode === 'terminal';
  return isTerminalEnough || database.withReadTx((tx) => stores.approvers.listActive(tx)).length > 0;
}

/** Asks for the person at this node, who has a session of their own. */
export function createAsking(
  { database, stores }: Pick<Foundations, 'database' | 'stores'>,
  gate: Pick<Gate, 'approvals'>,
): AskPerson {
  return (question) => {
    const outcome = database.withWriteTx((tx) => {
      const { origin, session: id, agent } = question.asker;
      beginSession(stores.sessions, tx, { origin, id, agent }, PERSON);
      return gate.approvals.ask(tx, question);
    });
    if (outcome.asked) return outcome;
    const { code, message, nextSteps } = outcome.refusal;
    throw new WritError(code, message, { nextSteps });
  };
}
