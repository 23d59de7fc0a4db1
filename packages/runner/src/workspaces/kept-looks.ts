import type { Clock, Logger } from '@writ/core';
import type { KeptFolders } from './kept-folders.ts';
import type { KeptWorkspace, SweepOrder } from './types.ts';

/** Looks in vain after which a clone is left to a person: what takes too long once takes too long again. */
const MOST_LOOKS = 2;
/** After so long no further clone is looked at in the same sweep, milliseconds. */
const LOOKING_MS = 300_000;

type Looking = Pick<SweepOrder, 'holdsWork' | 'signal'>;

/**
 * Finds out of each clone of which nobody knows it whether it holds work that is kept nowhere else. How long one look takes is
 * decided by the task that left the clone: those come first that were looked at least, and none is for ever.
 */
export async function lookAtKept(
  folders: Pick<KeptFolders, 'entries' | 'rewrite'>,
  looking: Looking,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<void> {
  const untilMs = clock.monotonicMs() + LOOKING_MS;
  const unknown = [...folders.entries.values()].filter(
    (one) => one.end.unbundled === 'unknown' && looksAt(one) < MOST_LOOKS,
  );
  for (const one of unknown.sort((a, b) => looksAt(a) - looksAt(b))) {
    if (looking.signal?.aborted || clock.monotonicMs() >= untilMs) return;
    await lookAt(folders, one, looking, logger);
  }
}

async function lookAt(
  folders: Pick<KeptFolders, 'rewrite'>,
  one: KeptWorkspace,
  { holdsWork, signal }: Looking,
  logger: Logger,
): Promise<void> {
  const { record, end } = one;
  if (record === undefined) return;
  try {
    const unbundled = (await holdsWork(record, one.dir)) ? 'some' : 'none';
    await folders.rewrite(one, { ...record, end: { ...end, unbundled } });
  } catch (error) {
    if (signal?.aborted) return;
    const about = { workspace: one.id, error: String(error) };
    logger.warn('a workspace is kept, since what it holds cannot be established', about);
    await folders.rewrite(one, { ...record, end: { ...end, looks: looksAt(one) + 1 } });
  }
}

function looksAt({ end }: KeptWorkspace): number {
  return end.looks ?? 0;
}
