import { canonicalJson, sha256Hex } from '@writ/core';
import type { Database, WriteTx } from '@writ/database';
import type { NodeFactStore } from '@writ/lease-store';
import type { ReloadOutcome } from '@writ/policy';

/** Where the accepted text is kept among the facts of a node. */
export const ACCEPTED_KEY = 'policy.accepted';

/** Where the yes of an approver is kept until it is in force. */
const APPROVED_KEY = 'policy.approved';

/** What an approver said yes to: a text, over what was accepted before it. */
export interface PolicyYes {
  /** SHA-256 of the text, hex. */
  readonly text: string;
  /** SHA-256 of the accepted state of that moment, hex. */
  readonly accepted: string;
}

/**
 * Remembers what a person has accepted last and what has been taken away since, so that a restart is no way around
 * asking: what a file gives beyond it waits.
 */
export interface AcceptedPolicy {
  /**
   * As `PolicyEngine.acceptedState()` gave it, for a start with this text; undefined where the text itself is accepted:
   * before the first start, and where an approver said yes to it and the node ended before it was in force.
   */
  read(text: string): string | undefined;
  /** Stores the yes of an approver, in the transaction of the decision. */
  approve(tx: WriteTx, yes: PolicyYes, by: string): void;
  /** Notes the outcome of a reload in the audit trail, and what is accepted now. */
  note(text: string, outcome: ReloadOutcome, how: string, acceptedState: string): void;
}

export function createAcceptedPolicy(database: Database, facts: NodeFactStore): AcceptedPolicy {
  return {
    read: (text) =>
      database.withReadTx((tx) => {
        const state = facts.get(tx, ACCEPTED_KEY);
        if (state === undefined) return undefined;
        const yes: PolicyYes = { text: sha256Hex(text), accepted: sha256Hex(state) };
        return facts.get(tx, APPROVED_KEY) === canonicalJson({ ...yes }) ? undefined : state;
      }),
    approve(tx, yes, by) {
      facts.set(tx, APPROVED_KEY, canonicalJson({ ...yes }));
      tx.audit({ kind: 'policy', action: 'policy.approved', actor: by, details: { ...yes } });
    },
    note(text, outcome, how, acceptedState) {
      const waits = outcome.parked?.length ?? 0;
      database.withWriteTx((tx) => {
        tx.audit({
          kind: 'policy',
          action: outcome.reloaded ? 'policy.reloaded' : 'policy.reload-failed',
          actor: how === 'watcher' ? 'node' : 'person',
          details: {
            how,
            generation: outcome.generation,
            digest: sha256Hex(text),
            waits,
            violations: outcome.violations?.length ?? 0,
          },
        });
        if (facts.get(tx, ACCEPTED_KEY) !== acceptedState) facts.set(tx, ACCEPTED_KEY, acceptedState);
        // A yes is good for the next load, which is this one, and never comes back to life.
        if ((facts.get(tx, APPROVED_KEY) ?? '') !== '') facts.set(tx, APPROVED_KEY, '');
      });
    },
  };
}
