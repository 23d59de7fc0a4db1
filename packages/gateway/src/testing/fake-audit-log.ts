import { WritError } from '@writ/core';
import type { AuditLogPort, AuditReader } from '../audit-ports.ts';

/** An audit log over a trail in memory: everything holds, and nothing is proved. */
export function fakeAuditLog(trail: AuditReader): AuditLogPort {
  return {
    state: () => ({ rows: trail.auditEnd(), written: trail.auditEnd(), signed: 0 }),
    async show(seq) {
      const [row] = trail.auditAfter(seq - 1, 1);
      if (row?.seq !== seq) throw new WritError('NOT_FOUND', `there is no entry ${seq}`);
      return { row, leaf: 'ab' };
    },
    async verify(kept, progress, signal) {
      for (let entries = 1; entries <= trail.auditEnd(); entries++) progress(entries);
      signal.throwIfAborted();
      return {
        ...{
          ok: kept.length === 0,
          node: 'wn-alpha',
          rows: 1,
          written: 1,
          signed: 0,
          checkpoints: 0,
          kept: [],
          more: 0,
        },
        problems: kept.map((note) => ({
          ...{ where: 'kept-checkpoint' as const, kind: 'forked', from: 1, to: 1, message: note, nextSteps: ['ask'] },
        })),
        notes: [],
      };
    },
    async *export({ from = 1, to = trail.auditEnd() }) {
      for (let seq = from; seq <= to; seq++) yield `line ${seq}`;
    },
  };
}
