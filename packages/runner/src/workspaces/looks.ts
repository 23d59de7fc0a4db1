import type { Clock, Logger } from '@writ/core';
import type { KeptFolders } from './kept-folders.ts';
import type { KeptWorkspace, Looking } from './types.ts';

/** So often a clone is looked at for long and in vain: whoever filled it made it so, and the next look would cost as much. */
const MOST_LOOKS = 2;
/** A look that fails faster costs little, and may fail for a reason that goes away, milliseconds. */
const LONG_LOOK_MS = 10_000;
/** No look begins once those of one sweep took so long, milliseconds: what else it does must not wait for strangers' clones. */
const LOOKING_MS = 300_000;

/** Looks at kept clones. */
export interface Looks {
  /** At those of which nobody knows what they hold, and of which it can still be hoped; what takes too long waits for the next. */
  all(kept: readonly KeptWorkspace[], looking: Looking): Promise<void>;
}

export function createLooks(
  folders: Pick<KeptFolders, 'rewrite'>,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Looks {
  async function look(one: KeptWorkspace, { holdsWork, stopping }: Looking): Promise<void> {
    const { record, end } = one;
    if (record === undefined) return;
    const startedMs = clock.monotonicMs();
    try {
      const unbundled = (await holdsWork(record, one.dir)) ? 'some' : 'none';
      await folders.rewrite(one, { ...record, end: { ...end, unbundled } });
    } catch (error) {
      const isLong = clock.monotonicMs() - startedMs >= LONG_LOOK_MS;
      const looks = looksAt(one) + Number(isLong && !stopping.aborted);
      const left = looks < MOST_LOOKS ? 'the next sweep' : 'a person: writ workspace prune --unbundled';
      const about = { workspace: one.id, error: String(error), left };
      logger.warn('a workspace is kept, since what it holds cannot be established', about);
      if (looks > looksAt(one)) await folders.rewrite(one, { ...record, end: { ...end, looks } });
    }
  }

  return {
    async all(kept, looking) {
      const startedMs = clock.monotonicMs();
      const open = kept.filter((one) => one.end.unbundled === 'unknown' && looksAt(one) < MOST_LOOKS);
      // What nobody has looked at comes first: what was looked at in vain may be so again.
      for (const one of open.toSorted((a, b) => looksAt(a) - looksAt(b))) {
        if (looking.stopping.aborted || clock.monotonicMs() - startedMs >= LOOKING_MS) return;
        await look(one, looking);
      }
    },
  };
}

function looksAt({ end }: KeptWorkspace): number {
  return end.looks ?? 0;
}
