import { WritError } from '@writ/core';
import { workspaceContract } from '../contract/workspaces.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { WorkspaceRow } from '../ports.ts';
import { actor } from './actor.ts';

/** What workspaces take of the disk, and giving it back. */
export function workspaceOperations({ workspaces }: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(workspaceContract.workspace_list, async () => {
      const { rows, bytes, budgetBytes } = await workspaces.list();
      return { workspaces: rows.map(rowView), bytes, budget_bytes: budgetBytes };
    }),
    implement(workspaceContract.workspace_prune, async ({ which, unbundled }, { caller }) => {
      if (unbundled && which === undefined) {
        throw new WritError('BAD_REQUEST', 'work that is kept nowhere else is removed by name only', {
          nextSteps: ['writ workspace list', 'writ workspace prune --unbundled ID'],
        });
      }
      const removed = await workspaces.remove({
        ...(which === undefined ? {} : { which }),
        unbundled,
        actor: actor(caller),
      });
      return { removed: removed.map(rowView) };
    }),
  ];
}

function rowView(row: WorkspaceRow) {
  const { state, id, task, workspace, dir, bytes, sinceMs, dueAtMs, unbundled } = row;
  return {
    state,
    dir,
    ...(id === undefined ? {} : { id }),
    ...(task === undefined ? {} : { task }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(sinceMs === undefined ? {} : { since_ms: sinceMs }),
    ...(dueAtMs === undefined ? {} : { due_at_ms: dueAtMs }),
    ...(unbundled === undefined ? {} : { unbundled }),
  };
}
