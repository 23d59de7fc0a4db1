import { createListeners, type Listeners, type Logger } from '@writ/core';
import type { ReadTx, WriteTx } from '@writ/database';
import type {
  Approval,
  ApprovalStore,
  ApproverStore,
  ExecutionStore,
  InviteStore,
  SessionKey,
  SessionStore,
  Window,
  WindowStore,
} from '@writ/lease-store';
import { createApprovals } from './approvals/approvals.ts';
import { createApproverRules, isApproverChange } from './approvals/approver-change.ts';
import { createClockRules, isClockWish } from './approvals/clock-kind.ts';
import { createExecutionKind } from './approvals/execution-kind.ts';
import { createLeaseKind } from './approvals/lease-kind.ts';
import { createPlanKind } from './approvals/plan-kind.ts';
import type { Approvals } from './approvals/types.ts';
import { type ApproverDesk, createApproverDesk } from './approver-desk.ts';
import { createClockAcceptance } from './clock-acceptance.ts';
import { createExecutions } from './executions/executions.ts';
import { createCommandRights } from './executions/rights.ts';
import type { Classify, CommandRights, Executions } from './executions/types.ts';
import type { ApprovalKinds, AuthorityEvent, KindRules, ProofCheck, RecordParts, TaskLookup } from './record-types.ts';
import { createEndings, type Endings } from './sessions.ts';
import type { Authority, AuthorityOptions } from './types.ts';
import { createWindows, type Windows } from './windows/windows.ts';

/** What a person says yes to, and what then runs: one instance a node. */
export interface Gate extends Endings {
  readonly approvals: Approvals;
  readonly approvers: ApproverDesk;
  readonly windows: Windows;
  readonly executions: Executions;
  readonly events: Pick<Listeners<AuthorityEvent>, 'add'>;
  /**
   * Accepts a wall clock that went back, and ends everything that is limited in time with it, with what waits for that:
   * leases, windows, invites, questions, yeses that were not used, commands that have not started. Returns how many
   * leases. Throws CONFLICT where the clock has not gone back.
   */
  acceptClock(by: string): number;
  /** Stops following reloads and revocations. */
  close(): void;
}

/** What a gate is built from besides what authority is. */
export interface GateOptions extends AuthorityOptions {
  /** Node id of this node. */
  readonly self: string;
  readonly authority: Pick<Authority, 'onLeaseRevoked' | 'endLeases' | 'tellLent'>;
  readonly invites: Pick<InviteStore, 'endAll'>;
  readonly approvals: ApprovalStore;
  readonly approvers: ApproverStore;
  readonly windows: WindowStore;
  readonly executions: ExecutionStore;
  readonly sessions: SessionStore;
  readonly tasks: TaskLookup;
  /** Rights of commands that a task's own agent asks for. */
  readonly taskRights: CommandRights;
  /** Classifies a stored command by the rules of the current snapshot. */
  readonly classify: Classify;
  readonly verify: ProofCheck;
  /** Rules of the kinds that are not authority's own. */
  readonly kinds: Omit<ApprovalKinds, 'execution' | 'plan' | 'lease'>;
  /** What else ends with a session, in the transaction that ends it; absent: nothing. */
  readonly sessionEnded?: (tx: WriteTx, key: SessionKey) => void;
  readonly logger: Logger;
}

/** Builds approvals, windows and gated commands, which need one another, around the same records. */
export function createGate(options: GateOptions): Gate {
  const events = createListeners<AuthorityEvent>(options.logger, 'approvals, windows and executions');
  const parts: RecordParts = { ...options, events };
  const rights = createCommandRights(options, options.taskRights);
  const windows = createWindows(parts, (tx, window) => isWithdrawn(parts, kinds, tx, window));
  const approvers = createApproverDesk(parts, (tx, id, by) => {
    windows.closeDecidedBy(tx, id, by);
    executions.refuseApproved(tx, approvals.dropUnusedOf(tx, id, by));
  });
  const kinds: ApprovalKinds = {
    ...options.kinds,
    policy: createPolicyKind({
      approvers: createApproverRules(parts.approvers, approvers),
      clock: createClockRules(parts.database, (tx, by) => clock.acceptIn(tx, by)),
      configuration: options.kinds.policy,
    }),
    execution: createExecutionKind(parts, { rights, openWindow: windows.open }),
    plan: createPlanKind(rights, windows.open),
    lease: withTask(createLeaseKind(options, options.authority.tellLent), options.kinds.task),
  };
  const approvals = createApprovals({ ...parts, kinds, verify: options.verify });
  const asking = { ask: approvals.ask, askRefusal: approvals.refusalOf, cancelApproval: approvals.cancel };
  const executions = createExecutions({
    ...parts,
    ...asking,
    rights,
    leases: options.leases,
    classify: options.classify,
    gate: windows,
  });
  const clock = createClockAcceptance({ ...options, approvals, windows, executions });
  const stops = [
    options.engine.onChange(() => windows.closeWithdrawn()),
    options.authority.onLeaseRevoked(() => windows.closeWithdrawn()),
  ];
  return {
    ...createEndings(
      { ...parts, logger: options.logger },
      { approvals, executions, windows, more: options.sessionEnded },
    ),
    ...{ approvals, approvers, windows, executions, events },
    acceptClock: clock.accept,
    close() {
      for (const stop of stops) stop();
    },
  };
}

/** A task may wait for a lease: whatever the answer, it hears of it, after the lease was lent. */
function withTask(lease: KindRules, task: KindRules): KindRules {
  return {
    ...lease,
    settle(tx, approval) {
      lease.settle(tx, approval);
      if (approval.task !== undefined) task.settle(tx, approval);
    },
  };
}

/** Of kind `policy` is what the configuration gives, who answers, and what time it is. */
function createPolicyKind(rules: Readonly<Record<'approvers' | 'clock' | 'configuration', KindRules>>): KindRules {
  const of = (approval: Approval): KindRules =>
    rules[isApproverChange(approval) ? 'approvers' : isClockWish(approval) ? 'clock' : 'configuration'];
  return {
    refusal: (tx, approval) => of(approval).refusal(tx, approval),
    digestNow: (tx, approval) => of(approval).digestNow(tx, approval),
    settle: (tx, approval) => of(approval).settle(tx, approval),
  };
}

/** INVARIANT: 6 a window rests on what the person said yes to; where policy would refuse that now, it is none. */
function isWithdrawn({ approvals }: RecordParts, kinds: ApprovalKinds, tx: ReadTx, window: Window): boolean {
  const approval = approvals.get(tx, window.approval);
  return approval === undefined || kinds[approval.kind].refusal(tx, approval) !== undefined;
}
