import { sha256Hex } from '@writ/core';
import type { ShippedInput, Task } from '@writ/task-store';
import type { PreparedRun, RunSpec } from '../types.ts';
import { openShipped, withShipped } from './evidence/shipped.ts';
import type { LiveTask } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';
import { runSpecOf } from './run-spec.ts';

/** What stands ready for a start before the engine is held. */
export type Preparation =
  | { readonly kind: 'ready'; readonly prepared: PreparedRun; readonly workspace: RunSpec['workspace'] }
  /** Policy did not allow it: nothing was prepared, and the transaction of the start says what it ends as. */
  | { readonly kind: 'refused' }
  /** It cannot run, and no lease was claimed for it. */
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Prepares a start by what policy says now. The engine is not held: a clone that takes minutes delays no reload, and
 * the start decides again. Throws only what the database throws.
 */
export async function prepareStart(
  parts: ExecutorParts,
  live: LiveTask,
  task: Pick<Task, 'id' | 'sender' | 'spec' | 'bounds'>,
): Promise<Preparation> {
  const { authority, clock, engine, runner, workspaces } = parts;
  const decision = authority.previewStart(live.subject, live.ask, live.approved);
  if (decision.effect !== 'allow' || !decision.grant) return { kind: 'refused' };
  const { writExpiresAtMs = Number.POSITIVE_INFINITY } = task.bounds;
  const { timeoutMs = Number.POSITIVE_INFINITY } = task.spec;
  const limitMs = Math.max(1, Math.min(decision.grant.timeoutMs, timeoutMs, writExpiresAtMs - clock.nowMs()));
  const attempt = { nonce: preparationNonce(task.id), epoch: 0, timeoutMs: limitMs, workspaces };
  try {
    const spec = runSpecOf(task, { ...attempt, decision, snapshot: engine.snapshot() });
    const { shipped } = task.spec;
    if (shipped && spec.workspace)
      return await prepareShipped(parts, live, { ...spec, workspace: spec.workspace }, shipped);
    const prepared = await runner.prepare(spec, live.preparing.signal);
    return { kind: 'ready', prepared, workspace: spec.workspace };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** Prepares a start on what was sent along, which is unpacked first. Throws what that, or the runner, throws. */
async function prepareShipped(
  parts: ExecutorParts,
  live: LiveTask,
  spec: RunSpec & { readonly workspace: NonNullable<RunSpec['workspace']> },
  input: ShippedInput,
): Promise<Preparation> {
  const { runner, logger } = parts;
  const shipped = await openShipped(parts, live.sender, input, spec.workspace);
  const failed = (error: unknown): void =>
    logger.error('what was sent along was not removed', { task: live.id, error: String(error) });
  try {
    const { workspace } = shipped;
    const prepared = await runner.prepare({ ...spec, workspace }, live.preparing.signal);
    return { kind: 'ready', prepared: withShipped(prepared, shipped, failed), workspace };
  } catch (error) {
    await shipped.remove().catch(failed);
    throw error;
  }
}

/** Whether a start that is decided now can use what was prepared. */
export function isStillFitting(
  parts: ExecutorParts,
  live: LiveTask,
  preparation: Exclude<Preparation, { kind: 'failed' }>,
): boolean {
  if (preparation.kind === 'refused') {
    return parts.authority.previewStart(live.subject, live.ask, live.approved).effect !== 'allow';
  }
  const { workspace } = preparation;
  // A workspace that is not configured any more refuses the start itself.
  return workspace === undefined || [workspace.path, undefined].includes(parts.workspaces(workspace.name));
}

/** Marks the processes of a task's preparation: no row is needed to find them after a crash. */
export function preparationNonce(task: string): string {
  return sha256Hex(`preparation ${task}`);
}
