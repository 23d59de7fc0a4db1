import { sha256Hex } from '@writ/core';
import type { Database } from '@writ/database';
import type { NodeFactStore } from '@writ/lease-store';
import type { ReloadOutcome } from '@writ/policy';

/** Where the accepted text is kept among the facts of a node. */
export const ACCEPTED_KEY = 'policy.accepted';

/**
 * Remembers what a person has accepted last and what has been taken away since, so that a restart is no way around
 * asking: what a file gives beyond it waits.
 */
export interface AcceptedPolicy {
  /** As `PolicyEngine.acceptedState()` gave it; undefined before the first start. */
  read(): string | undefined;
  /** Notes the outcome of a reload in the audit trail, and what is accepted now. */
  note(text: string, outcome: ReloadOutcome, how: string, acceptedState: string): void;
}

export function createAcceptedPolicy(database: Database, facts: NodeFactStore): AcceptedPolicy {
  return {
    read: () => database.withReadTx((tx) => facts.get(tx, ACCEPTED_KEY)),
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
      });
    },
  };
}
