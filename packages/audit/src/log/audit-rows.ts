import type { AuditTrail } from '@writ/database';

/** The rows that a log derives from. */
export type AuditRows = Pick<AuditTrail, 'auditAfter' | 'auditEnd'>;
