/** One line of the audit trail. */
export interface AuditLine {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: string;
  readonly action: string;
  readonly actor: string;
  readonly subject?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Reads the audit trail. */
export interface AuditReader {
  /** Newest first. */
  auditTail(limit: number): readonly AuditLine[];
  /** Oldest first, behind number `seq`, without holes. */
  auditAfter(seq: number, limit: number): readonly AuditLine[];
  /** Number of the newest line; 0: there is none. */
  auditEnd(): number;
  /** Oldest first: what is about any of `tasks`, without the first `skip` of it. */
  auditOfTasks(tasks: readonly string[], skip: number, limit: number): readonly AuditLine[];
  /** How much there is about any of `tasks`. */
  auditCountOfTasks(tasks: readonly string[]): number;
  /** Called after every commit that wrote lines; returns how to stop. */
  onAudit(listener: () => void): () => void;
}

/** An entry of the audit log, and the proof that a checkpoint counts it. */
export interface ShownLine {
  readonly row: AuditLine;
  /** Hash of the entry, hex. */
  readonly leaf: string;
  readonly proof?: {
    /** From 0. */
    readonly index: number;
    readonly size: number;
    readonly hashes: readonly string[];
    readonly checkpoint: string;
  };
}

/** What verifying the audit log came to. */
export interface AuditReport {
  readonly ok: boolean;
  readonly node: string;
  readonly rows: number;
  readonly written: number;
  readonly signed: number;
  readonly checkpoints: number;
  readonly kept: readonly { readonly size: number; readonly root: string; readonly holds: boolean }[];
  readonly problems: readonly {
    readonly where: 'rows' | 'file' | 'hashes' | 'checkpoint' | 'kept-checkpoint' | 'bundle';
    readonly kind: string;
    readonly from?: number;
    readonly to?: number;
    readonly message: string;
    readonly nextSteps: readonly string[];
  }[];
  readonly more: number;
  readonly notes: readonly string[];
}

/** The signed log that derives from the audit trail. */
export interface AuditLogPort {
  /** How far it follows, and why it does not. */
  state(): {
    readonly rows: number;
    readonly written: number;
    readonly signed: number;
    readonly problem?: {
      readonly message: string;
      readonly nextSteps: readonly string[];
      readonly sinceMs: number;
    };
  };
  /** Throws NOT_FOUND, EVIDENCE_INVALID. */
  show(seq: number): Promise<ShownLine>;
  /** `progress` is told how many entries were looked at. */
  verify(kept: readonly string[], progress: (entries: number) => void, signal: AbortSignal): Promise<AuditReport>;
  /** The lines of a bundle. Throws BAD_REQUEST, NOT_FOUND, EVIDENCE_INVALID. */
  export(wish: { readonly from?: number; readonly to?: number; readonly since?: string }): AsyncIterable<string>;
}
