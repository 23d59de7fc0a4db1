import type { Leftover } from '@writ/task-store';
import { readEnvelopes } from './reading-envelopes.ts';
import type { Sweep } from './types.ts';

/** So many leftovers are looked at in one transaction, as long as it has changed fewer rows than this. */
const LOOKED_AT = 50;
const ROWS_AT_ONCE = 500;

/**
 * How long content stays that nothing names, milliseconds: something may be on its way that will, an end of a task for which
 * there is no room, or a result that comes slowly.
 */
const UNNAMED_FOR_MS = 7 * 86_400_000;

/** Clears what is left of what was removed, as far as it can be now; what an envelope has named comes after it. */
export async function clearLeftovers(sweep: Sweep): Promise<void> {
  let hasMoved = true;
  while (hasMoved && !sweep.signal.aborted) hasMoved = await clearOnce(sweep);
}

async function clearOnce(sweep: Sweep): Promise<boolean> {
  const { database, leftovers, signal } = sweep;
  let place: Leftover | undefined;
  let hasMoved = false;
  while (!signal.aborted) {
    // Of what ends meanwhile as well, else nothing of what is old could go on a node on which something always ends.
    await readEnvelopes(sweep);
    const page = database.withReadTx((tx) => leftovers.list(tx, place, LOOKED_AT));
    if (page.length === 0) break;
    const { looked, files, rows } = clearRows(sweep, page);
    place = looked.at(-1) ?? place;
    const removed = await removeFiles(sweep, files);
    hasMoved ||= rows > 0 || removed > 0;
    await sweep.breathe();
  }
  return hasMoved;
}

/** In one transaction; one of which more is left is looked at again in the next. */
function clearRows({ database, leftovers }: Sweep, page: readonly Leftover[]) {
  return database.withWriteTx((tx) => {
    const looked: Leftover[] = [];
    const files: Leftover[] = [];
    let rows = 0;
    for (const leftover of page) {
      if (rows >= ROWS_AT_ONCE) break;
      const cleared = leftovers.clear(tx, leftover);
      rows += cleared.rows;
      if (cleared.kind === 'more') break;
      looked.push(leftover);
      if (cleared.kind === 'file') files.push(leftover);
    }
    return { looked, files, rows };
  });
}

/** First the files, then the note that they are to go: whatever happens in between, they are looked for again. */
async function removeFiles(sweep: Sweep, files: readonly Leftover[]): Promise<number> {
  const gone: Leftover[] = [];
  for (const file of files) if (await removeFile(sweep, file)) gone.push(file);
  if (gone.length > 0) {
    sweep.database.withWriteTx((tx) => {
      for (const file of gone) sweep.leftovers.settle(tx, file);
    });
  }
  return gone.length;
}

/** False where it stays for now. */
async function removeFile(sweep: Sweep, { kind, name }: Leftover): Promise<boolean> {
  const { database, leftovers, evidence, runner, transcripts, clock, logger } = sweep;
  try {
    if (kind === 'transcript') await runner.removeTranscript(name);
    else if (kind === 'copy') await transcripts.remove(name);
    else {
      const isNamed = (): boolean =>
        database.withReadTx((tx) => leftovers.isNamed(tx, name) || leftovers.unread(tx, 1).length > 0);
      if (!database.isTimeBelieved()) return false;
      return evidence.content.removeUnused(name, clock.nowMs() - UNNAMED_FOR_MS, isNamed);
    }
    return true;
  } catch (error) {
    logger.warn('what a task has left cannot be removed yet', { kind, name, error: String(error) });
    return false;
  }
}
