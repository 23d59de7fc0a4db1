import { existsSync, readdirSync } from 'node:fs';
import { quote, shellWord, WritError } from '@writ/core';
import { isEmptyDatabase } from '@writ/database';
import type { Home } from '../home.ts';

/**
 * Throws DATABASE_ERROR where the database is gone, or holds nothing, although this home has an audit log, which follows its rows:
 * a node that went on would have forgotten its leases, its tasks and whom it had taken them back from, without a word.
 */
export function refuseEmptied({ databaseFile, auditDir }: Pick<Home, 'databaseFile' | 'auditDir'>): void {
  if (!existsSync(auditDir) || readdirSync(auditDir).length === 0 || !isEmptyDatabase(databaseFile)) return;
  const is = existsSync(databaseFile) ? 'is empty' : 'is not there';
  throw new WritError('DATABASE_ERROR', `${quote(databaseFile)} ${is}, although this node has an audit log`, {
    details: { path: databaseFile },
    nextSteps: [
      'put the database back, from a backup of this home',
      `to begin anew under the same identity, without leases, tasks and sessions: mv ${shellWord(auditDir)} ${shellWord(`${auditDir}.old`)}`,
    ],
  });
}
