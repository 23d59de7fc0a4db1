import type { AuditLine, AuditReader } from '../audit-ports.ts';

/** An audit trail in memory that a test writes. */
export interface FakeTrail extends AuditReader {
  /** Appends a line with the next number and tells who listens. */
  add(line: Omit<AuditLine, 'seq' | 'atMs'>): void;
  /** How many listen now. */
  readonly listeners: number;
}

/** A trail with one line: a lease was granted. */
export function createFakeTrail(): FakeTrail {
  const lines: AuditLine[] = [
    { seq: 1, atMs: 2, kind: 'lease', action: 'lease.granted', actor: 'person', details: { uses: 0 } },
  ];
  const listeners = new Set<() => void>();
  const ofTasks = (tasks: readonly string[]): readonly AuditLine[] =>
    lines.filter(({ kind, subject, details }) => tasks.includes(String(kind === 'task' ? subject : details?.task)));
  return {
    auditTail: (limit) => [...lines].reverse().slice(0, limit),
    auditAfter: (seq, limit) => lines.filter((line) => line.seq > seq).slice(0, limit),
    auditEnd: () => lines.length,
    auditOfTasks: (tasks, skip, limit) => ofTasks(tasks).slice(skip, skip + limit),
    auditCountOfTasks: (tasks) => ofTasks(tasks).length,
    onAudit(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    add(line) {
      lines.push({ ...line, seq: lines.length + 1, atMs: 3 });
      for (const listener of [...listeners]) listener();
    },
    get listeners() {
      return listeners.size;
    },
  };
}
