import { existsSync, readdirSync, statSync } from 'node:fs';
import { quote, shellWord, WritError } from '@writ/core';
import type { Home } from '../home.ts';

/**
 * Throws DATABASE_ERROR where the database is gone or empty although this home has an audit log, which follows its rows: a node
 * that went on would have forgotten its leases, its tasks and whom it had taken them back from, without a word.
 */
export function refuseEmptied({ databaseFile, auditDir }: Pick<Home, 'databaseFile' | 'auditDir'>): void {
  const isThere = existsSync(databaseFile);
  const isFresh = !isThere || statSync(databaseFile).size === 0;
  if (!isFresh || !existsSync(auditDir) || readdirSync(auditDir).length === 0) return;
  const is = isThere ? 'is empty' : 'is not there';
  throw new WritError('DATABASE_ERROR', `${quote(databaseFile)} ${is}, although this node has an audit log`, {
    details: { path: databaseFile },
    nextSteps: [
      'put the database back, from a backup of this home',
      `to begin anew under the same identity, without leases, tasks and sessions: mv ${shellWord(auditDir)} ${shellWord(`${auditDir}.old`)}`,
    ],
  });
}
