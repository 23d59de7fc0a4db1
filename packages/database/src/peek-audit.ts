import { existsSync } from 'node:fs';
import { quote, WritError } from '@writ/core';
import BetterSqlite3 from 'better-sqlite3';
import { createAuditTrail } from './audit.ts';
import { wrapSqlite } from './errors.ts';
import { tightenSideFiles } from './private-file.ts';
import { createStatementCache } from './statements.ts';
import type { AuditTrail } from './types.ts';

/**
 * The audit trail of a database, read beside the process that may have it open, or without one: nothing of it is written,
 * migrated or locked. Throws NOT_INITIALIZED where there is none, DATABASE_ERROR.
 */
export function peekAudit(path: string): AuditTrail & { close(): void } {
  if (!existsSync(path)) {
    throw new WritError('NOT_INITIALIZED', `there is no database ${quote(path)}: this node has never run`, {
      nextSteps: ['writ up', 'or name the home of another node: --home DIR'],
    });
  }
  try {
    const handle = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    const trail = createAuditTrail(createStatementCache(handle));
    return {
      auditTail: (limit) => guarded(() => trail.auditTail(limit)),
      auditAfter: (seq, limit) => guarded(() => trail.auditAfter(seq, limit)),
      auditEnd: () => guarded(() => trail.auditEnd()),
      auditIssued: () => guarded(() => trail.auditIssued()),
      close() {
        handle.close();
        tightenSideFiles(path);
      },
    };
  } catch (error) {
    throw wrapSqlite(error, path);
  }
}

function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw wrapSqlite(error);
  }
}
