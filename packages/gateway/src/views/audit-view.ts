import type { AuditLine, AuditReport, ShownLine } from '../audit-ports.ts';
import type { OperationOutput, StreamItem } from '../client/types.ts';

/** One row of the audit trail as every surface shows it. */
export function viewLine(line: AuditLine): OperationOutput<'audit_tail'>['entries'][number] {
  const { seq, atMs, kind, action, actor, subject, details } = line;
  return {
    ...{ seq, at_ms: atMs, kind, action, actor },
    ...(subject === undefined ? {} : { subject }),
    ...(details === undefined ? {} : { details: { ...details } }),
  };
}

/** An entry with its proof. */
export function viewShown({ row, leaf, proof }: ShownLine): OperationOutput<'audit_show'> {
  return {
    entry: viewLine(row),
    leaf,
    ...(proof === undefined ? {} : { proof: { ...proof, hashes: [...proof.hashes] } }),
  };
}

/** What verifying came to. */
export function viewReport(report: AuditReport): NonNullable<StreamItem<'audit_verify'>['report']> {
  return {
    ...report,
    kept: report.kept.map((one) => ({ ...one })),
    notes: [...report.notes],
    problems: report.problems.map(({ where, kind, from, to, message, nextSteps }) => ({
      ...{ where, kind, message, next_steps: [...nextSteps] },
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    })),
  };
}
