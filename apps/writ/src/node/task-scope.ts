import type { Database, ReadTx } from '@writ/database';
import type { TaskScope } from '@writ/gateway';
import type { Mirror, MirrorStore } from '@writ/task-store';

/** Which tasks a task token reaches, by the parents that were recorded when they were handed on. */
export function createTaskScope(database: Database, mirrors: MirrorStore): TaskScope {
  return {
    within: (root, task) => database.withReadTx((tx) => isWithin(mirrors, tx, root, task)),
    members: (root, limit) => database.withReadTx((tx) => membersOf(mirrors, tx, root, limit)),
  };
}

/**
 * INVARIANT: 7 a record leads up only through tasks that this node asked of itself: any other parent is a task that a
 * peer sent, under an id that the peer chose, and a mirror of that id would be somebody else's.
 */
function isWithin(mirrors: MirrorStore, tx: ReadTx, root: string, task: string): boolean {
  const seen = new Set<string>();
  let at: Mirror | undefined = mirrors.get(tx, task);
  while (at?.parent !== undefined && !seen.has(at.id)) {
    if (at.parent === root) return true;
    seen.add(at.id);
    const above = mirrors.get(tx, at.parent);
    at = above?.peer === 'self' ? above : undefined;
  }
  return false;
}

function membersOf(mirrors: MirrorStore, tx: ReadTx, root: string, limit: number): readonly string[] {
  const found: string[] = [];
  const seen = new Set<string>([root]);
  const parents = [root];
  for (let parent = parents.shift(); parent !== undefined; parent = parents.shift()) {
    for (const child of mirrors.listChildren(tx, parent, limit)) {
      if (seen.has(child.id)) continue;
      seen.add(child.id);
      found.push(child.id);
      if (found.length >= limit) return found;
      if (child.peer === 'self') parents.push(child.id);
    }
  }
  return found;
}
