import { type AuditLog, auditFiles, createAuditLog } from '@writ/audit';
import { WritError } from '@writ/core';
import { type AuditTrail, peekAudit } from '@writ/database';
import { certificateDer, readPublicIdentity } from '@writ/identity';
import type { Environment } from '../env.ts';
import type { Home } from '../home.ts';

/** The audit log of a home without its node: nothing of it is written. */
export interface OfflineAudit {
  readonly log: AuditLog;
  readonly trail: AuditTrail;
  close(): void;
}

/**
 * Opens the audit log of a home for reading; the node may run or not. Throws NOT_INITIALIZED, HOME_INSECURE, DATABASE_ERROR
 * and, inside a task, TOKEN_INVALID.
 */
export async function openOfflineAudit(
  home: Home,
  environment: Pick<Environment, 'taskAccess'>,
): Promise<OfflineAudit> {
  // INVARIANT: 7 a process that carries a task token reads nothing of the home, which is somebody else's.
  if (environment.taskAccess) {
    throw new WritError('TOKEN_INVALID', 'this process belongs to a task: the audit log is not for it', {
      nextSteps: ['ask the person of this node'],
    });
  }
  const identity = await readPublicIdentity(home.keysDir);
  const rows = peekAudit(home.databaseFile);
  const log = createAuditLog({
    rows,
    files: auditFiles(home.auditDir),
    identityDer: certificateDer(identity.certificatePem),
    // Nobody writes: what is not signed yet stays so.
    settle: () => Promise.resolve(),
  });
  return { log, trail: rows, close: rows.close };
}
