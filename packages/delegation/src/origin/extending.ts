import type { ReadTx } from '@writ/database';
import type { Mirror } from '@writ/task-store';
import { requireContext } from './children.ts';
import type { OriginParts } from './parts.ts';

/**
 * The writs that went out with a task as they can be now: those of the task that hands it on as that has them, its own for
 * as long as a new one would be. Undefined where its own ends no later than it does already.
 * INVARIANT: 1 no longer than the task that hands it on may run by now.
 */
export function extendedWrits(
  parts: OriginParts,
  tx: ReadTx,
  { id, parent: handedOnBy }: Pick<Mirror, 'id' | 'parent'>,
): readonly string[] | undefined {
  const own = parts.mirrors.writs(tx, id).at(-1);
  if (own === undefined) return undefined;
  const parent = handedOnBy === undefined ? undefined : requireContext(parts, tx, handedOnBy);
  const extended = parts.issuer.extend(own, parent?.expiresAtMs ?? Number.POSITIVE_INFINITY);
  return extended === undefined ? undefined : [...(parent?.writs ?? []), extended];
}
