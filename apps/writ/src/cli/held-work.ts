import { formatSize, quote } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';

type HeldWork = OperationOutput<'node_status'>['held_work'][number];

/** From here on a person is told, before anything is refused. */
const NEARLY = 0.8;

/** What a person types about it. */
export const HELD_STEPS: readonly string[] = [
  'writ workspace list',
  'writ workspace prune --unbundled ID',
  'or raise `budget` of [storage]',
];

/** Senders whose work that is kept nowhere else takes nearly all of their share, or more: then they get no workspace. */
export function fullShares(held: readonly HeldWork[]): readonly { readonly isFull: boolean; readonly says: string }[] {
  return held
    .filter(({ bytes, share_bytes: share }) => bytes >= NEARLY * share)
    .map(({ sender, bytes, share_bytes: share }) => {
      const isFull = bytes > share;
      const takes = `work of ${quote(sender)} that is kept nowhere else takes ${formatSize(bytes)} of its ${formatSize(share)}`;
      return { isFull, says: isFull ? `${takes}: its tasks get no workspace` : takes };
    });
}
