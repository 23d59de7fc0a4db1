import { WritError } from '@writ/core';
import { workspaceContract } from '../contract/workspaces.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { WorkspaceRow } from '../ports.ts';
import type { LabelOf } from '../views/task-view.ts';
import { actor } from './actor.ts';
import { nodeLabels } from './peer-lookup.ts';

/** What workspaces take of the disk, and giving it back. */
export function workspaceOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { workspaces } = ports;
  const view = (row: WorkspaceRow) => rowView(row, nodeLabels(ports));
  return [
    implement(workspaceContract.workspace_list, async () => {
      const { rows, bytes, budgetBytes } = await workspaces.list();
      return { workspaces: rows.map(view), bytes, budget_bytes: budgetBytes };
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
      return { removed: removed.map(view) };
    }),
  ];
}

function rowView(row: WorkspaceRow, labelOf: LabelOf) {
  const { state, id, task, workspace, sender, dir, bytes, sinceMs, dueAtMs, unbundled } = row;
  return {
    state,
    dir,
    ...(id === undefined ? {} : { id }),
    ...(task === undefined ? {} : { task }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(sender === undefined ? {} : { sender: labelOf(sender) }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(sinceMs === undefined ? {} : { since_ms: sinceMs }),
    ...(dueAtMs === undefined ? {} : { due_at_ms: dueAtMs }),
    ...(unbundled === undefined ? {} : { unbundled }),
  };
}
