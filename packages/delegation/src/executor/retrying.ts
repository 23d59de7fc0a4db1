import type { WriteTx } from '@writ/database';
import { isTerminal, type Task, type TaskEventBody } from '@writ/task-store';
import { createLiveTask } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';
import { endQuestions } from './turns/settling.ts';

/** Most attempts of one task, the first one counted. */
const MOST_ATTEMPTS = 3;
/** Bytes that one event of output covers at most, and that are read at once. */
const PIECE_BYTES = 64 * 1024;

/**
 * Queues a task again whose attempt was lost, with the next epoch, where its profile said at the start and says now that
 * this is safe, and where it could start at this moment; the start decides anew. Undefined: it is not made again.
 * INVARIANT: 8 one live attempt per task and epoch: from here on nothing of an older one is written.
 */
export async function retryLost(parts: ExecutorParts, task: Task): Promise<Task | undefined> {
  if (!mayRetry(parts, task)) return undefined;
  const untold = await untoldOutput(parts, task);
  if (!untold) return undefined;
  return parts.database.withWriteTx((tx) => {
    const now = parts.journal.require(tx, task.id);
    const isOver = isTerminal(now.state) || now.cancelRequestedAtMs !== undefined || now.epoch !== task.epoch;
    return isOver ? undefined : queueAgain(parts, tx, now, untold);
  });
}

function queueAgain(parts: ExecutorParts, tx: WriteTx, task: Task, untold: readonly TaskEventBody[]): Task {
  const { journal, doors } = parts;
  journal.append(tx, task, untold);
  // The token of the attempt that was lost; what that handed on belongs to the task, and goes on.
  doors?.drop(tx, task.id);
  // Who asked is gone with the attempt; the next one asks anew.
  endQuestions(parts, tx, task.id);
  const epoch = task.epoch + 1;
  const message = `attempt ${task.epoch} was lost: the node stopped while it ran; attempt ${epoch} of ${MOST_ATTEMPTS} follows`;
  return journal.move(tx, task, { kind: 'retry' }, { epoch }, { code: 'LOST', message });
}

/** Whether another attempt could start now; what it would claim is not claimed. */
function mayRetry({ authority, clock, engine }: ExecutorParts, task: Task): boolean {
  const { granted, epoch, bounds } = task;
  if (granted.retry !== 'safe' || epoch >= MOST_ATTEMPTS) return false;
  if (bounds.writExpiresAtMs !== undefined && bounds.writExpiresAtMs <= clock.nowMs()) return false;
  const { subject, ask } = createLiveTask(task);
  // A yes is for one attempt: what a person was asked about is not made again without asking.
  const decision = authority.previewStart(subject, ask);
  const profile = engine.snapshot().config.profiles.get(decision.effectiveProfile ?? '');
  return decision.effect === 'allow' && profile?.retry === 'safe';
}

/**
 * Events of what the lost attempt still wrote to the transcript and did not tell, so that the next one goes on without a
 * gap; which stream it was is not known any more. Undefined where told output is not there.
 */
async function untoldOutput(
  { database, runner, tasks }: ExecutorParts,
  { id }: Task,
): Promise<readonly TaskEventBody[] | undefined> {
  const told = database.withReadTx((tx) => tasks.outputEnd(tx, id));
  if (told > 0 && (await runner.readTranscript(id, told - 1, 1)).length === 0) return undefined;
  const bodies: TaskEventBody[] = [];
  for (let offset = told; ; ) {
    const { length } = await runner.readTranscript(id, offset, PIECE_BYTES);
    if (length === 0) return bodies;
    bodies.push({ kind: 'output', stream: 'stdout', offset, length });
    offset += length;
  }
}
