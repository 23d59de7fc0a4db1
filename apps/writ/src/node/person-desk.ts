import {
  type AuthorityOptions,
  approverQuestion,
  clockQuestion,
  type Gate,
  leaseQuestion,
  PERSON,
  personAt,
  personShown,
  type Question,
} from '@writ/authority';
import { WritError } from '@writ/core';
import type { PersonDesk, PersonWish } from '@writ/gateway';
import { identityWords, isApproverKey } from '@writ/identity';
import type { Approval } from '@writ/lease-store';
import { type AskPerson, createAsking, hasApprover } from './asking.ts';
import type { Foundations } from './foundations.ts';
import type { PolicyConsent } from './policy-consent.ts';
import { createTickets } from './tickets.ts';

/** How long what the person at this node wants can be answered, milliseconds: they are there. */
const PERSON_MS = 600_000;
/** Questions that are looked at for which tickets still count; more do not wait. */
const MOST_ASKED = 10_000;

/** What the desk is made of. */
interface PersonDeskParts {
  readonly options: AuthorityOptions;
  readonly gate: Gate;
  readonly policy: Pick<PolicyConsent, 'ask' | 'isInForce'>;
  readonly ask: AskPerson;
}

/** What a person at this node does that an approver has to answer. */
function createPersonDesk(base: Foundations, { options, gate, policy, ask }: PersonDeskParts): PersonDesk {
  const { database, identity, random } = base;
  const self = identity.public.id;
  const own = personShown(identityWords(self));
  const asker = personAt(self);
  const tickets = createTickets(random);
  const questionOf = (wish: Exclude<PersonWish, { about: 'policy' }>): Question => {
    const question = { asker, lifetimeMs: PERSON_MS };
    if (wish.about === 'clock') return clockNow(base, question, own);
    return wish.about === 'lease'
      ? leaseQuestion(options, wish.wish, question, own)
      : approverQuestion(wish.change, question, own);
  };
  return {
    hasApprover: () => hasApprover(base),
    enroll(approver) {
      if (!isApproverKey(approver)) {
        throw new WritError('BAD_REQUEST', 'that is no key of an approver', { nextSteps: ['writ approver enroll'] });
      }
      database.withWriteTx((tx) => gate.approvers.enroll(tx, approver));
    },
    ask(wish): Approval {
      if (wish.about === 'policy') return policy.ask(ask);
      if (wish.about === 'approver' && wish.change.act === 'enroll' && !isApproverKey(wish.change.approver)) {
        throw new WritError('BAD_REQUEST', 'that is no key of an approver', { nextSteps: ['writ approver enroll'] });
      }
      return ask(questionOf(wish)).approval;
    },
    isInForce: policy.isInForce,
    giveTicket(id) {
      tickets.keepOnly(new Set(gate.approvals.list({ pendingOnly: true, limit: MOST_ASKED }).map((one) => one.id)));
      return tickets.give(id);
    },
    withdraw(id, ticket) {
      if (!tickets.take(id, ticket)) return false;
      const approval = gate.approvals.get(id);
      if (approval?.requestedBy !== PERSON || approval.state !== 'pending') return false;
      database.withWriteTx((tx) => gate.approvals.cancel(tx, id));
      return true;
    },
  };
}

/** Throws CONFLICT where the clock has not gone back: nothing is to be accepted then. */
function clockNow(
  { database }: Pick<Foundations, 'database'>,
  question: Parameters<typeof clockQuestion>[1],
  shown: ReturnType<typeof personShown>,
): Question {
  if (!database.clockIsBackwards()) {
    throw new WritError('CONFLICT', 'the clock of this node has not gone back', {
      nextSteps: ['nothing has to be accepted'],
    });
  }
  const markMs = database.nowMs();
  return clockQuestion({ markMs, wallMs: markMs - database.clockBehindMs() }, question, shown);
}

/** Puts the questions of the person at this node. */
export function createDesk(
  base: Foundations,
  parts: Omit<PersonDeskParts, 'ask'>,
): { readonly desk: PersonDesk; readonly ask: AskPerson } {
  const ask = createAsking(base, parts.gate);
  return { desk: createPersonDesk(base, { ...parts, ask }), ask };
}
