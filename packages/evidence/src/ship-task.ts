import { toWritError, WritError } from '@writ/core';
import { collectEvidence } from './collect.ts';
import { copyPrivately } from './private-copy.ts';
import type { Shipment } from './ship.ts';
import type { CollectRequest } from './types.ts';

/** The files of a task that still works on them; `base` as for `collectEvidence`. */
export interface ShipTaskRequest extends CollectRequest {
  readonly base: string;
}

/**
 * The files of a running task as one commit of the node's on top of what the task began with, as a bundle of just that;
 * without a bundle where nothing has changed. Taken from a copy, since the task may be changing its files to have this
 * node read others, and by git directories of the node's own: no setting of the task's is followed. Throws GIT_FAILED.
 */
export async function shipTaskFiles(request: ShipTaskRequest): Promise<Pick<Shipment, 'commit' | 'bundle'>> {
  const { workspaceDir, gitDirRoot: root, platform, random, limits } = request;
  try {
    const copy = await copyPrivately({ from: workspaceDir, root, platform, random, limits });
    try {
      const changes = await collectEvidence({ ...request, workspaceDir: copy.dir });
      if (changes.kind === 'none') return { commit: request.base };
      return { commit: changes.head, bundle: changes.bundle };
    } finally {
      await copy.remove();
    }
  } catch (cause) {
    const why = toWritError(cause).message;
    throw new WritError('GIT_FAILED', `the files of the task cannot be sent along: ${why}`, { cause });
  }
}
