import {
  askerLines,
  type Gate,
  type KindRules,
  type PreviewLine,
  personAt,
  personShown,
  showLines,
} from '@writ/authority';
import { digestJson, formatDuration, type Json, WritError } from '@writ/core';
import { identityWords } from '@writ/identity';
import type { PeerConsent, PeerQuestion } from '@writ/pairing';
import { type AskPerson, hasApprover } from './asking.ts';
import type { Foundations } from './foundations.ts';

/** Asks an approver before a peer is stored. */
export interface NodePeerConsent extends PeerConsent {
  /** What a question of kind `peer` is about. */
  readonly rules: KindRules;
  /** The gate is built around the rules. */
  bind(gate: Pick<Gate, 'approvals' | 'events'>, ask: AskPerson): void;
}

/**
 * A question lives as long as the exchange that asks: it is known here while somebody waits for the answer, and one of
 * an earlier boot cannot be answered with a yes.
 */
export function createPeerConsent(
  base: Pick<Foundations, 'database' | 'stores' | 'engine' | 'identity'>,
): NodePeerConsent {
  const { database, identity } = base;
  const waiting = new Map<string, string>();
  let bound: { readonly gate: Pick<Gate, 'approvals' | 'events'>; readonly ask: AskPerson } | undefined;
  const parts = () => {
    if (bound === undefined) throw new WritError('INTERNAL', 'nobody asks about peers');
    return bound;
  };
  return {
    rules: {
      refusal: () => undefined,
      digestNow: (_, { id }) => waiting.get(id),
      // Whoever waits for the answer hears of it, and stores the peer.
      settle: () => {},
    },
    bind(gate, ask) {
      bound = { gate, ask };
    },
    isNeeded: () => hasApprover(base),
    ask(question) {
      const asker = personAt(identity.public.id);
      const digest = digestOf(question);
      const { approval } = parts().ask({
        ...{ kind: 'peer', asker, digest, subject: subjectOf(question), scopes: ['once'] },
        preview: showLines([
          ...askerLines(personShown(identityWords(identity.public.id)), asker),
          ...linesOf(question),
        ]),
        lifetimeMs: question.lifetimeMs,
      });
      waiting.set(approval.id, digest);
      return approval.id;
    },
    answer(id, signal) {
      const { gate } = parts();
      return new Promise((resolve) => {
        const end = (yes: boolean): void => {
          stop();
          signal.removeEventListener('abort', takeBack);
          waiting.delete(id);
          resolve(yes);
        };
        const takeBack = (): void => {
          end(false);
          database.withWriteTx((tx) => gate.approvals.cancel(tx, id));
        };
        const stop = gate.events.add((event) => {
          if (event.kind !== 'approval' || event.approval.id !== id || event.approval.state === 'pending') return;
          end(event.approval.state === 'approved');
        });
        signal.addEventListener('abort', takeBack, { once: true });
        // It may have been answered since it was asked: what is told is told once.
        const { state } = gate.approvals.get(id) ?? {};
        if (state !== 'pending') end(state === 'approved');
        else if (signal.aborted) takeBack();
      });
    },
  };
}

function subjectOf(question: PeerQuestion): Json {
  const { lifetimeMs: _, ...stored } = question;
  return JSON.parse(JSON.stringify(stored));
}

/** INVARIANT: 5 all of what would be stored: another key, name, address or right is another question. */
function digestOf(question: PeerQuestion): string {
  return digestJson({ is: 'writ peer admission 1', peer: subjectOf(question) });
}

function linesOf(question: PeerQuestion): readonly PreviewLine[] {
  const { peerId, label, words, address, profiles, workspaces, outbound, leaseMs, via } = question;
  const list = (names: readonly string[]): string => names.join(', ') || 'nothing';
  return [
    { label: 'pair with', text: `${label} (${identityWords(peerId)})` },
    { label: 'identity', text: peerId },
    { label: 'words of this exchange', text: `${words} (its screen must show the same)` },
    { label: 'through', text: via === 'invite' ? 'an invite of this node' : 'its invite' },
    { label: 'address', text: address ?? 'none: it dials in' },
    { label: 'it may ask here for', text: list(profiles) },
    { label: 'in workspaces', text: list(workspaces) },
    {
      label: 'lent at once',
      text: leaseMs === undefined ? 'nothing' : `each that needs a lease, for ${formatDuration(leaseMs)}`,
    },
    { label: 'agents here may ask it for', text: list(outbound.profiles) },
    { label: 'in its workspaces', text: list(outbound.workspaces) },
  ];
}
