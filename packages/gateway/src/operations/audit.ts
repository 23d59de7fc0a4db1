import type { AuditLogPort } from '../audit-ports.ts';
import type { StreamItem } from '../client/types.ts';
import { auditContract } from '../contract/audit.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement, implementStream } from '../implement.ts';
import { viewLine, viewReport, viewShown } from '../views/audit-view.ts';

/** The audit log; for a person. */
export function auditOperations({ audit, auditLog }: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(auditContract.audit_tail, ({ limit }) => ({ entries: audit.auditTail(limit).map(viewLine) })),
    implement(auditContract.audit_show, async ({ entry }) => viewShown(await auditLog.show(entry))),
    implementStream(auditContract.audit_verify, ({ checkpoints }, { signal }) => verify(auditLog, checkpoints, signal)),
    implementStream(auditContract.audit_export, ({ from, to, since }) =>
      lines(auditLog, {
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(since === undefined ? {} : { since }),
      }),
    ),
  ];
}

/** How far it is whenever somebody asks for the next item, and at the end what it came to. */
async function* verify(
  auditLog: AuditLogPort,
  checkpoints: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<StreamItem<'audit_verify'>> {
  let checked = 0;
  let wake: () => void = () => undefined;
  const moved = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const left = new AbortController();
  const verified = auditLog.verify(
    checkpoints,
    (entries) => {
      checked = entries;
      wake();
    },
    AbortSignal.any([signal, left.signal]),
  );
  try {
    for (let told = 0; ; told = checked) {
      const report = await Promise.race([verified, moved()]);
      if (report !== undefined) {
        yield { report: viewReport(report) };
        return;
      }
      if (checked > told) yield { checked };
    }
  } finally {
    left.abort();
    verified.catch(() => undefined);
  }
}

async function* lines(
  auditLog: AuditLogPort,
  wish: Parameters<AuditLogPort['export']>[0],
): AsyncGenerator<StreamItem<'audit_export'>> {
  for await (const line of auditLog.export(wish)) yield { line };
}
