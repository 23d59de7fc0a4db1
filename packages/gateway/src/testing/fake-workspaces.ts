import { quote, WritError } from '@writ/core';
import type { WorkspaceKeeper, WorkspaceRow } from '../ports.ts';

/** Two workspaces that are kept, one of them with work that is kept nowhere else, and one that stands ready. */
export function createFakeWorkspaces(): WorkspaceKeeper {
  const rows: WorkspaceRow[] = [
    { state: 'ready', workspace: 'app', dir: '/w/ready-1', bytes: 10 },
    kept({ state: 'failed', id: 'k1', task: 't-1', unbundled: 'none', dueAtMs: 2000 }),
    kept({ state: 'orphaned', id: 'k2', task: 't-2', unbundled: 'some' }),
  ];
  return {
    held: () => [{ sender: 'self', bytes: 100, shareBytes: 500 }],
    undeleted: () => ['/w/trash-1'],
    list: async () => ({ rows: [...rows], bytes: 210, budgetBytes: 1000 }),
    async remove({ which, unbundled }) {
      for (const name of which ?? []) {
        const row = rows.find(({ id, task }) => id === name || task === name);
        if (row === undefined) throw new WritError('NOT_FOUND', `no workspace ${quote(name)}`);
        if (row.unbundled === 'some' && !unbundled) throw new WritError('CONFLICT', 'it holds work');
      }
      const gone = rows.filter(({ id, task, unbundled: work }) =>
        which === undefined ? work === 'none' : which.includes(id ?? '') || which.includes(task ?? ''),
      );
      for (const row of gone) rows.splice(rows.indexOf(row), 1);
      return gone;
    },
  };
}

function kept(row: Pick<WorkspaceRow, 'state' | 'id' | 'task' | 'unbundled' | 'dueAtMs'>): WorkspaceRow {
  return { ...row, workspace: 'app', dir: `/w/kept-${row.id}/work`, bytes: 100, sinceMs: 1000 };
}
