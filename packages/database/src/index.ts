export { AUDIT_ACTIONS, AUDIT_KINDS, type AuditAction, type AuditKind } from './audit-actions.ts';
export { checkBinding } from './binding.ts';
export { createGroupedWrites, type GroupedWrite } from './grouped-writes.ts';
export { checkDatabase, openDatabase } from './open.ts';
export { isEmptyDatabase, peekFact } from './peek.ts';
export { peekAudit } from './peek-audit.ts';
export { countColumn, fieldsOf, flagColumn, jsonColumn, type RowShape, readRow, readRows } from './rows.ts';
export type { Tables } from './tables.ts';
export type {
  AuditEntry,
  AuditRow,
  AuditTrail,
  Database,
  DatabaseOptions,
  QuarantinedRow,
  ReadTx,
  RemovalTx,
  WriteTx,
} from './types.ts';
