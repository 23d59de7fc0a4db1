import { pause } from '@writ/core';
import type { Mirror } from '@writ/task-store';
import type { Follower } from '../following.ts';
import { tellToCancel } from '../handover.ts';
import type { OriginParts } from '../parts.ts';
import { takeEvents } from '../taking-events.ts';
import { createTold } from '../told.ts';
import { isLocalFault, verdictOnAccepted } from '../verdicts.ts';
import { openIntake } from './intake.ts';

/** How long after a try in vain the next one is made, milliseconds: nobody waits for it. */
const AGAIN_MS = 300_000;
const PAGE = 500;

/** Follows every task that was given up here while its executor was silent. */
export function followAllLate(parts: OriginParts): void {
  const { database, mirrors } = parts;
  let before: string | undefined;
  do {
    const filter = { states: ['lost'], limit: PAGE, ...(before === undefined ? {} : { before }) } as const;
    const page = database.withReadTx((tx) => mirrors.list(tx, filter));
    for (const { id } of page.filter(isGivenUp)) followLate(parts, id);
    before = page.length < PAGE ? undefined : page.at(-1)?.id;
  } while (before !== undefined);
}

/**
 * Takes over what an executor tells after its task was ended here as `lost`. It is kept beside the mirror: state and
 * outcome stay. No effect for any other task.
 */
export function followLate(parts: OriginParts, id: string): void {
  if (parts.closing() || parts.followers.has(id) || !isAwaited(parts, id)) return;
  const stopping = new AbortController();
  const done = follow(parts, id, stopping.signal)
    .catch((error: unknown) => parts.logger.error('a late result is not followed', { task: id, error: String(error) }))
    .finally(() => parts.followers.delete(id));
  const follower: Follower = {
    handover: Promise.resolve({ kind: 'pending' }),
    done,
    fault: () => undefined,
    cancelRequested: () => {},
    stop: () => stopping.abort(),
  };
  parts.followers.set(id, follower);
}

/** Where this cannot be read now, the next start looks again. */
function isAwaited(parts: OriginParts, id: string): boolean {
  try {
    const mirror = parts.journal.get(id);
    return mirror !== undefined && isGivenUp(mirror);
  } catch (error) {
    parts.logger.error('a late result is not followed', { task: id, error: String(error) });
    return false;
  }
}

async function follow(parts: OriginParts, id: string, signal: AbortSignal): Promise<void> {
  const intake = openIntake(parts);
  const told = createTold();
  try {
    // Whoever starts it has it in the list before it goes on.
    await Promise.resolve();
    while (!signal.aborted) {
      if (await tryOnce(parts, id, { intake, told, signal, progressed: () => {} })) return;
      await pause(parts.clock, AGAIN_MS, signal);
    }
  } finally {
    await intake.drop();
  }
}

/** True when there is nothing to wait for any more. */
async function tryOnce(parts: OriginParts, id: string, view: Parameters<typeof takeEvents>[3]): Promise<boolean> {
  try {
    const mirror = parts.journal.get(id);
    if (!mirror || !isGivenUp(mirror)) return true;
    const client = parts.directory.client(mirror.peer);
    if (mirror.cancelRequestedAtMs !== undefined) tellToCancel(parts, mirror);
    return await takeEvents(parts, mirror, client, view);
  } catch (error) {
    parts.logger.debug('an executor is still silent', { task: id, error: String(error) });
    if (isLocalFault(error) || !verdictOnAccepted(error, '')) return false;
    parts.journal.awaitNothing(id);
    return true;
  }
}

/** Ended here for want of an executor, which has not been heard of since. */
function isGivenUp({ state, outcome, unreachable }: Mirror): boolean {
  return state === 'lost' && outcome?.code === 'LOST' && unreachable;
}
