import { isWritError, quote, WritError } from '@writ/core';
import type { OwnerRepository } from './owner-repository.ts';

/** How git says that an object is nowhere. */
const LACKING =
  /did not receive expected object|unable to (read|find)|could not read|missing|bad object|unresolved delta/i;

/**
 * Tells what a failure is in a repository that lacks objects by agreement with a server: mostly that of none who signed or
 * asked for something. Throws CONFLICT with what mends it; every other failure as it is.
 */
export function lackingIn({ dir, settings }: Pick<OwnerRepository, 'dir' | 'settings'>): (error: unknown) => never {
  const isPartial = [...settings].some(
    ([key, value]) => key === 'extensions.partialclone' || (/^remote\..*\.promisor$/s.test(key) && value !== 'false'),
  );
  return (error) => {
    if (!isPartial || !isWritError(error) || !LACKING.test(error.message)) throw error;
    throw new WritError('CONFLICT', `${quote(dir)} is a partial clone, and lacks objects that this work builds on`, {
      cause: error,
      details: { repository: dir, isPartial: true },
      nextSteps: ['fetch them: git fetch --refetch --no-filter', 'or use a clone that is whole'],
    });
  };
}
