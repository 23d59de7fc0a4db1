import { type OperationOutput, type StreamItem, viewLine, viewReport, viewShown } from '@writ/gateway/client';
import { runningPid } from '../../lifecycle/running-pid.ts';
import type { CliContext } from '../context.ts';

/** One row of the audit trail. */
export type AuditEntry = OperationOutput<'audit_tail'>['entries'][number];
/** An entry with its proof. */
export type ShownEntry = OperationOutput<'audit_show'>;
/** What verifying came to. */
export type AuditReport = NonNullable<StreamItem<'audit_verify'>['report']>;

export interface ExportWish {
  readonly from?: number;
  readonly to?: number;
  readonly since?: string;
}

/** The audit log of this home: asked of the node where it runs, read beside it where it does not. */
export interface AuditSource {
  /** The last `limit`, oldest first. */
  tail(limit: number): Promise<readonly AuditEntry[]>;
  /** What happens behind number `seq`, as it happens; undefined: nothing happens, the node does not run. */
  readonly follow: ((seq: number) => AsyncIterable<AuditEntry>) | undefined;
  show(entry: number): Promise<ShownEntry>;
  verify(checkpoints: readonly string[], progress: (entries: number) => void): Promise<AuditReport>;
  export(wish: ExportWish): AsyncIterable<string>;
  close(): void;
}

/** Opens it. Throws NOT_INITIALIZED, HOME_INSECURE, DATABASE_ERROR, TOKEN_INVALID. */
export function openAuditSource(context: CliContext): Promise<AuditSource> | AuditSource {
  const isRunning = context.environment.taskAccess !== undefined || runningPid(context.home) !== undefined;
  return isRunning ? fromNode(context) : fromFiles(context);
}

function fromNode(context: CliContext): AuditSource {
  const node = context.node();
  const { signal } = context;
  return {
    tail: async (limit) => (await node.call('audit_tail', { limit })).entries.toReversed(),
    follow: (seq) => entries(node.stream('events', { after: seq, follow: true }, { signal })),
    show: (entry) => node.call('audit_show', { entry }),
    async verify(checkpoints, progress) {
      let report: AuditReport | undefined;
      for await (const item of node.stream('audit_verify', { checkpoints: [...checkpoints] }, { signal })) {
        if (item.checked !== undefined) progress(item.checked);
        report = item.report ?? report;
      }
      if (report === undefined) throw new Error('the node said nothing');
      return report;
    },
    async *export(wish) {
      for await (const { line } of node.stream('audit_export', wish, { signal })) yield line;
    },
    close: () => undefined,
  };
}

/** To the host token an event is the whole row. */
async function* entries(events: AsyncIterable<StreamItem<'events'>>): AsyncGenerator<AuditEntry> {
  for await (const event of events) yield { ...event, actor: event.actor ?? '' };
}

async function fromFiles({ home, environment, signal }: CliContext): Promise<AuditSource> {
  const { openOfflineAudit } = await import('../../lifecycle/offline-audit.ts');
  const { log, trail, close } = await openOfflineAudit(home, environment);
  return {
    tail: async (limit) => trail.auditTail(limit).map(viewLine).toReversed(),
    follow: undefined,
    show: async (entry) => viewShown(await log.show(entry)),
    verify: async (checkpoints, progress) => viewReport(await log.verify(checkpoints, progress, signal)),
    export: (wish) => log.export(wish),
    close,
  };
}
