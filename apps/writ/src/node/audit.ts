import { auditFiles, createAuditLog, createLogFollower } from '@writ/audit';
import type { Clock, Logger, Random } from '@writ/core';
import type { Database } from '@writ/database';
import type { AuditLogPort } from '@writ/gateway';
import { certificateDer, type NodeIdentity } from '@writ/identity';

/** The audit log of a running node. */
export interface NodeAudit extends AuditLogPort {
  /** Writes and signs what is left. */
  close(): Promise<void>;
}

/** Follows the audit rows of `database` into the files in `dir`, for as long as the node runs. */
export function followAudit(options: {
  readonly dir: string;
  readonly database: Database;
  readonly identity: NodeIdentity;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): NodeAudit {
  const { dir, database, identity } = options;
  const files = auditFiles(dir);
  const follower = createLogFollower({ ...options, files, rows: database });
  const log = createAuditLog({
    files,
    rows: database,
    identityDer: certificateDer(identity.public.certificatePem),
    settle: follower.settle,
  });
  return { ...log, state: follower.state, close: follower.close };
}
