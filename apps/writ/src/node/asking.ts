import { type AskOutcome, beginSession, type Gate, PERSON, type Question } from '@writ/authority';
import { WritError } from '@writ/core';
import type { SessionRef } from '@writ/gateway';
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

/** Asks for the person at this node, or for a session of its agents. */
export function createAsking(
  { database, stores, identity }: Pick<Foundations, 'database' | 'stores' | 'identity'>,
  gate: Pick<Gate, 'approvals'>,
  recordSession: (tx: Parameters<Gate['approvals']['ask']>[0], session: Omit<SessionRef, 'origin'>) => void,
): { readonly ask: AskPerson; readonly askQuietly: (question: Question) => AskOutcome } {
  const askQuietly = (question: Question): AskOutcome =>
    database.withWriteTx((tx) => {
      const { origin, session: id, agent } = question.asker;
      if (agent === PERSON) beginSession(stores.sessions, tx, { origin, id, agent }, PERSON);
      else if (origin === identity.public.id) recordSession(tx, { id, agent });
      return gate.approvals.ask(tx, question);
    });
  return {
    askQuietly,
    ask(question) {
      const outcome = askQuietly(question);
      if (outcome.asked) return outcome;
      const { code, message, nextSteps } = outcome.refusal;
      throw new WritError(code, message, { nextSteps });
    },
  };
}
