import { checkBinding, checkDatabase } from '@writ/database';
import { readPublicIdentity } from '@writ/identity';
import type { Home } from '../home.ts';
import { refuseEmptied } from '../node/emptied-database.ts';
import { missingKeys } from './half-home.ts';

/** One thing that keeps a node from starting: a node that starts and `writ doctor` look for the same. */
export interface StartCheck {
  /** What is looked at, in a word. */
  readonly check: 'SQLite' | 'keys' | 'database';
  /** Throws what is wrong, as a node that starts says it; changes nothing. */
  readonly look: (home: Home) => Promise<void> | void;
}

/** In the order in which a node looks, after it has found its home closed to others. */
export const START_CHECKS: readonly StartCheck[] = [
  { check: 'SQLite', look: () => checkBinding() },
  { check: 'keys', look: checkKeys },
  { check: 'database', look: refuseEmptied },
  { check: 'database', look: ({ databaseFile }) => checkDatabase(databaseFile) },
];

async function checkKeys(home: Home): Promise<void> {
  const missing = missingKeys(home);
  if (missing !== undefined) throw missing;
  await readPublicIdentity(home.keysDir);
}
