import { beginSession, type Gate, permissionQuestion, type ShownAsker } from '@writ/authority';
import type { TurnDesk } from '@writ/delegation';
import { identityWords } from '@writ/identity';
import type { Foundations } from './foundations.ts';

/** What of a node the desk stands on. */
export interface TurnDeskParts extends Pick<Foundations, 'engine' | 'identity'> {
  readonly stores: Pick<Foundations['stores'], 'questions' | 'sessions'>;
}

/** What tasks of this node ask goes by; `gate` is there by the time that the first one asks. */
export function createTurnDesk(
  base: TurnDeskParts,
  gate: () => Pick<Gate, 'approvals'>,
  tools: TurnDesk['tools'],
): TurnDesk {
  const { questions, sessions } = base.stores;
  const self = base.identity.public.id;
  const originOf = (origin: string): string => (origin === 'self' ? self : origin);
  return {
    questions,
    tools,
    isSessionLive(tx, { origin, session, agent }) {
      const known = sessions.get(tx, originOf(origin), session);
      // One that nothing was asked in yet is not stored. A session of another agent is none of this task's.
      return known === undefined || (known.endedAtMs === undefined && known.agent === agent);
    },
    askApprover(tx, { task, digest, subject, lifetimeMs, lines }) {
      const { id, origin, session, agent, sender } = task;
      const asker = { origin: originOf(origin), session, agent, task: id, requestedBy: sender };
      beginSession(sessions, tx, { origin: asker.origin, id: session, agent }, sender);
      const question = permissionQuestion(asker, shownAs(base, sender), { digest, subject, lifetimeMs, lines });
      const outcome = gate().approvals.ask(tx, question);
      if (outcome.asked) return { asked: true, approval: outcome.approval.id };
      return { asked: false, code: outcome.refusal.code, message: outcome.refusal.message };
    },
    withdrawApproval: (tx, approval) => gate().approvals.cancel(tx, approval),
  };
}

/** The label that this node gave to who sent the task, and the words of its identity. */
function shownAs({ engine, identity }: TurnDeskParts, sender: string): ShownAsker {
  if (sender === 'self') return { label: 'this machine', words: identityWords(identity.public.id) };
  const peer = [...engine.snapshot().config.peers.values()].find(({ id }) => id === sender);
  return { label: peer?.label ?? sender, words: identityWords(sender) };
}
