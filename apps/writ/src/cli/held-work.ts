import { formatSize, quote, UNCOUNTED_BYTES } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';

type HeldWork = OperationOutput<'node_status'>['held_work'][number];

/** From here on a person is told, before anything is refused. */
const NEARLY = 0.8;

/** What a person types about it. */
const STEPS: readonly string[] = ['writ workspace list', 'writ workspace prune --unbundled ID'];

/** Work of one sender that takes nearly all of its share, or more: then it gets no workspace. */
export interface FullShare {
  readonly isFull: boolean;
  readonly says: string;
  readonly mend: readonly string[];
}

/** Senders whose work that is kept nowhere else takes nearly all of their share, or more. */
export function fullShares(held: readonly HeldWork[]): readonly FullShare[] {
  return held
    .filter(({ bytes, share_bytes: share }) => bytes >= NEARLY * share)
    .map(({ sender, bytes, share_bytes: share }) => {
      const isFull = bytes > share;
      const isCounted = bytes < UNCOUNTED_BYTES;
      const takes = isCounted ? `takes ${formatSize(bytes)} of its ${formatSize(share)}` : 'cannot be counted';
      const says = `work of ${quote(sender)} that is kept nowhere else ${takes}`;
      // No budget is large enough for what cannot be counted.
      const mend = isCounted ? [...STEPS, 'or raise `budget` of [storage]'] : STEPS;
      return { isFull, says: isFull ? `${says}: its tasks get no workspace` : says, mend };
    });
}
