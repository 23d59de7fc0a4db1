import type { Approval, Execution, WindowKey } from '@writ/lease-store';
import { workspaceOf } from '../executions/basis.ts';
import { missingRight } from '../executions/needs.ts';
import { rightsQueryOf } from '../executions/propose.ts';
import { WINDOW_MS } from '../executions/scopes.ts';
import { moveExecution } from '../executions/transition.ts';
import type { CommandRights } from '../executions/types.ts';
import type { KindRules, RecordParts } from '../record-types.ts';
import type { Windows } from '../windows/windows.ts';

/** A yes to a gated command lets it start, and opens a window where the person said so. */
export function createExecutionKind(
  parts: Pick<RecordParts, 'executions' | 'events' | 'database'>,
  { rights, openWindow }: { readonly rights: CommandRights; readonly openWindow: Windows['open'] },
): KindRules {
  const { executions } = parts;
  return {
    refusal(tx, approval) {
      // Asked of a window, too, whose command has ended long ago.
      const execution = executions.get(tx, readExecutionId(approval));
      if (execution === undefined) return GONE;
      const isLate = execution.state === 'pending_approval' && execution.expiresAtMs <= parts.database.nowMs();
      return isLate ? TOO_LATE : missingRight(rights.look(tx, rightsQueryOf(execution)), execution);
    },
    // One that has ended meanwhile would not be done at all.
    digestNow: (tx, approval) => executions.findByApproval(tx, approval.id)?.digest,
    settle(tx, approval) {
      const execution = executions.findByApproval(tx, approval.id);
      // One that runs under a window, or has ended, does not wait for this answer any more.
      if (execution?.state !== 'pending_approval') return;
      switch (approval.state) {
        case 'pending':
          return;
        case 'approved': {
          moveExecution(parts, tx, execution, { event: 'approve' });
          const key = windowOf(approval, execution);
          const { profile } = execution;
          const bounds = { profile, approval: approval.id, expiresAtMs: tx.nowMs + WINDOW_MS };
          if (key !== undefined) openWindow(tx, { ...key, ...bounds });
          return;
        }
        case 'denied':
          moveExecution(parts, tx, execution, { event: 'deny', outcome: DENIED });
          return;
        case 'expired':
          moveExecution(parts, tx, execution, { event: 'expire', outcome: UNANSWERED });
          return;
        case 'cancelled':
          moveExecution(parts, tx, execution, { event: 'cancel', outcome: WITHDRAWN });
      }
    },
  };
}

const GONE = { code: 'NOT_FOUND', message: 'the command is not there any more', nextSteps: ['run it anew'] } as const;
const TOO_LATE = {
  code: 'EXPIRED',
  message: 'the command was not started in time',
  nextSteps: ['run it anew'],
} as const;
const DENIED = { code: 'APPROVAL_REQUIRED', message: 'a person said no' };
const UNANSWERED = { code: 'EXPIRED', message: 'nobody answered in time' };
const WITHDRAWN = { code: 'CANCELLED', message: 'what asked for it has ended' };

/** INVARIANT: 6 the key of the window is that of the command that was approved, whole; nothing wider is opened. */
function windowOf({ scope }: Approval, { origin, session, agent, target, basis }: Execution): WindowKey | undefined {
  const workspace = workspaceOf(basis);
  const whose = { origin, session, agent, ...(workspace === undefined ? {} : { workspace }) };
  if (scope === 'session') return { ...whose, kind: 'assent' };
  return scope === 'target' && target !== undefined ? { ...whose, kind: 'destructive', target } : undefined;
}

/** Id of the command that a question is about; empty where it names none. */
function readExecutionId({ subject }: Approval): string {
  const isObject = typeof subject === 'object' && subject !== null && 'execution' in subject;
  return isObject && typeof subject.execution === 'string' ? subject.execution : '';
}
