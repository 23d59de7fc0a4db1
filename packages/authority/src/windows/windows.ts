import { quote, WritError } from '@writ/core';
import type { AuditAction, ReadTx, WriteTx } from '@writ/database';
import type { Execution, NewWindow, SessionKey, Window, WindowKey } from '@writ/lease-store';
import { listsStep, namesTarget } from '../approvals/plan.ts';
import { workspaceOf } from '../executions/basis.ts';
import type { RecordParts } from '../record-types.ts';

/** Most that one sweep removes; more wait for the next. */
const SWEEP_LIMIT = 1000;

/** What a window would have to cover: all of it from records, nothing from the caller. */
export type Need = Pick<
  Execution,
  'origin' | 'session' | 'agent' | 'class' | 'target' | 'known' | 'digest' | 'profile' | 'basis'
>;

/** What runs without asking. */
export interface Windows {
  /** Opens one, in the transaction that decides the approval. */
  open(tx: WriteTx, window: Omit<NewWindow, 'id'>): Window;
  /** The window that covers it now; undefined: none, whatever else is open. */
  covers(tx: ReadTx, need: Need, nowMs: number): Window | undefined;
  /** `covers`, and counts the use in the same transaction. */
  claim(tx: WriteTx, need: Need): Window | undefined;
  /** Gives a use back; only where no process was ever spawned. */
  giveBack(tx: WriteTx, id: string): void;
  list(filter: { readonly key?: SessionKey }): readonly Window[];
  /** By a person. Throws NOT_FOUND for an id that is none; false where it was closed before. */
  close(id: string, by: string): boolean;
  /** With the session, in the transaction that ends it. */
  closeOf(tx: WriteTx, key: SessionKey): void;
  /** Those that the yes of somebody opened who is no approver any more, in the transaction that removes them. */
  closeDecidedBy(tx: WriteTx, approver: string, by: string): void;
  /** Every one, expired or not, in the transaction that accepts a clock that went back. */
  closeAll(tx: WriteTx): void;
  /** Closes those whose right is gone (a reload, a lease that was revoked); returns how many. */
  closeWithdrawn(): number;
  sweep(): number;
}

/** Windows of one node. `isWithdrawn`: whether what a window rests on is refused now, whoever approved it then. */
export function createWindows(
  parts: Pick<RecordParts, 'database' | 'windows' | 'approvals' | 'executions' | 'random' | 'events'>,
  isWithdrawn: (tx: ReadTx, window: Window) => boolean,
): Windows {
  const { database, windows, random } = parts;
  return {
    open(tx, window) {
      const opened = windows.open(tx, { ...window, id: random.uuid() });
      audit(tx, 'window.opened', opened, 'node');
      tx.afterCommit(() => parts.events.tell({ kind: 'window', window: opened }));
      return opened;
    },
    covers: (tx, need, nowMs) => (database.clockIsBackwards() ? undefined : covering(parts, tx, need, nowMs)),
    claim(tx, need) {
      // INVARIANT: 6 found and counted in the transaction that starts what it covers.
      const window = tx.clockIsBackwards ? undefined : covering(parts, tx, need, tx.nowMs);
      return window !== undefined && windows.claimUse(tx, window.id) ? window : undefined;
    },
    giveBack: (tx, id) => windows.returnUse(tx, id),
    list: (filter) => database.withReadTx((tx) => windows.listOpen(tx, { ...filter, nowMs: database.nowMs() })),
    close: (id, by) => database.withWriteTx((tx) => close(parts, tx, id, by)),
    closeOf(tx, key) {
      for (const window of windows.closeOf(tx, key, 'node')) tellClosed(parts, tx, window);
    },
    closeDecidedBy(tx, approver, by) {
      for (const window of windows.closeDecidedBy(tx, approver, by)) tellClosed(parts, tx, window);
    },
    closeAll(tx) {
      for (const window of windows.endAll(tx)) tellClosed(parts, tx, window);
    },
    closeWithdrawn() {
      // Nearly always there is none, and a transaction that looks at the time is a durable commit.
      if (database.withReadTx((tx) => windows.listOpen(tx, { nowMs: database.nowMs() })).length === 0) return 0;
      return database.withWriteTx((tx) => {
        const withdrawn = windows.listOpen(tx, { nowMs: tx.nowMs }).filter((window) => isWithdrawn(tx, window));
        for (const { id } of withdrawn) close(parts, tx, id, 'node');
        return withdrawn.length;
      });
    },
    sweep: () =>
      database.withWriteTx(({ forRemoval }) => (forRemoval === undefined ? 0 : windows.prune(forRemoval, SWEEP_LIMIT))),
  };
}

type Parts = Pick<RecordParts, 'windows' | 'approvals' | 'executions' | 'events'>;

/**
 * INVARIANT: 6 an equal, non-empty agent and session, and the equal target when destructive; in the workspace and under the
 * profile that the person was shown, and no other; a service, a package or a container only where they were shown that very one, and
 * what is not known to be harmless only as a listed step of the plan that opened it.
 */
function covering(
  { windows, approvals, executions }: Parts,
  tx: ReadTx,
  need: Need,
  nowMs: number,
): Window | undefined {
  const key = keyOf(need);
  if (key === undefined) return undefined;
  return windows
    .findOpen(tx, key, nowMs)
    .filter(({ profile }) => profile === need.profile)
    .find(({ steps, approval: id }) => {
      if (steps !== undefined) return steps.includes(need.digest);
      // The key of a destructive one has the target in it.
      if (need.known && (need.class === 'destructive' || need.target === undefined)) return true;
      const approval = approvals.get(tx, id);
      if (approval === undefined) return false;
      if (need.known && namesTarget(approval, executions.findByApproval(tx, id), need.target)) return true;
      return listsStep(approval, need.digest);
    });
}

/** The one key that is looked for; undefined where a part of it is blank, and for what needs no window. */
function keyOf({ origin, session, agent, target, basis, class: of }: Need): WindowKey | undefined {
  const workspace = workspaceOf(basis);
  const parts = [origin, session, agent, ...(workspace === undefined ? [] : [workspace])];
  if (parts.some(isBlank)) return undefined;
  const whose = { origin, session, agent, ...(workspace === undefined ? {} : { workspace }) };
  switch (of) {
    case 'read':
      return undefined;
    case 'config-mutation':
      return { ...whose, kind: 'assent' };
    case 'destructive':
      return target === undefined || isBlank(target) ? undefined : { ...whose, kind: 'destructive', target };
  }
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function close(parts: Parts, tx: WriteTx, id: string, by: string): boolean {
  const closed = parts.windows.close(tx, id, by);
  if (closed !== undefined) {
    tellClosed(parts, tx, closed);
    return true;
  }
  if (parts.windows.get(tx, id) !== undefined) return false;
  throw new WritError('NOT_FOUND', `no window ${quote(id)}`, { nextSteps: ['writ window list'] });
}

function tellClosed({ events }: Parts, tx: WriteTx, window: Window): void {
  audit(tx, 'window.closed', window, window.closedBy ?? 'node');
  tx.afterCommit(() => events.tell({ kind: 'window', window }));
}

function audit(tx: WriteTx, action: AuditAction, window: Window, actor: string): void {
  const { id, kind, origin, session, agent, workspace, target, profile, approval, expiresAtMs, maxUses } = window;
  tx.audit({
    kind: 'window',
    action,
    actor,
    subject: id,
    details: {
      ...{ kind, origin, session, agent, profile, approval, expiresAtMs },
      workspace: workspace ?? null,
      target: target ?? null,
      maxUses: maxUses ?? null,
    },
  });
}
