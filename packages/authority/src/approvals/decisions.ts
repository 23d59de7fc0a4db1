import type { ReadTx } from '@writ/database';
import type { Approval, ApprovalStore, ApproverStore } from '@writ/lease-store';
import type { AuthorityOptions } from '../types.ts';

/** What persons decided about one task, for its evidence. */
export interface TaskDecisions {
  /** Questions that a person answered, oldest first; what nobody answered decided nothing. */
  readonly approvals: readonly Pick<Approval, 'id' | 'digest'>[];
  /** One of them, or the lease, was given by a host token and a terminal at most, which an agent may have too. */
  readonly unseparated: boolean;
}

/** Where it is looked up. */
export interface DecisionSources {
  readonly options: Pick<AuthorityOptions, 'engine' | 'leases'>;
  readonly store: Pick<ApprovalStore, 'get' | 'list'>;
  readonly approvers: Pick<ApproverStore, 'listActive'>;
}

/** Most questions of one task that are named. */
const MOST = 1000;
/** Who lends with the host token alone. */
const PERSON = 'person';
/** Who answers where the configuration takes a terminal for an approver. */
const TERMINAL = 'terminal';

/** Everything that a person said yes or no to about a task, with what lent it its lease. */
export function decisionsAbout(
  sources: DecisionSources,
  tx: ReadTx,
  { id, lease }: { readonly id: string; readonly lease?: string },
): TaskDecisions {
  const { store } = sources;
  const asked = [...store.list(tx, { pendingOnly: false, task: id, limit: MOST })].reverse();
  // What is lent by a yes has the id of its question, which may be about no task.
  const lending = lease === undefined ? undefined : store.get(tx, lease);
  const about = lending === undefined || asked.some((one) => one.id === lending.id) ? asked : [lending, ...asked];
  const decided = about.filter(isDecided);
  return {
    approvals: decided.map(({ id: approval, digest }) => ({ id: approval, digest })),
    unseparated: decided.some(({ decidedBy }) => decidedBy === TERMINAL) || isLentAlone(sources, tx, lease),
  };
}

/** By a person, who proved it; what expired, or was cancelled, nobody decided. */
function isDecided({ proof }: Approval): boolean {
  return proof !== undefined;
}

/** Lent by the host token while there was no approver, whose word it would have taken. */
function isLentAlone({ options, approvers }: DecisionSources, tx: ReadTx, lease: string | undefined): boolean {
  const found = lease === undefined ? undefined : options.leases.get(tx, lease);
  if (found === undefined) return false;
  if (found.issuedBy !== PERSON) return found.issuedBy === TERMINAL;
  const enrolled = approvers.listActive(tx).some(({ enrolledAtMs }) => enrolledAtMs <= found.issuedAtMs);
  return !enrolled || options.engine.snapshot().config.approvals.mode === TERMINAL;
}
