import type { Database } from '@writ/database';
import { expect, it } from 'vitest';
import { createUpstreamPorts } from './upstream-ports.ts';

it('writes down who called which tool of which server, or was refused', () => {
  const rows: unknown[] = [];
  const database: Pick<Database, 'withWriteTx'> = {
    withWriteTx: (fn) => fn({ audit: (row: unknown) => void rows.push(row) } as never),
  };
  const { upstreamAudit } = createUpstreamPorts({ database: database as Database }, {} as never);
  upstreamAudit.note({ actor: 'self', upstream: 'docs', tool: 'read', allowed: true });
  upstreamAudit.note({ actor: 'task t-1', upstream: 'docs', tool: 'write', task: 't-1', allowed: false });
  expect(rows).toEqual([
    { kind: 'upstream', action: 'upstream.called', actor: 'self', subject: 'docs', details: { tool: 'read' } },
    {
      ...{ kind: 'upstream', action: 'upstream.refused', actor: 'task t-1', subject: 'docs' },
      details: { tool: 'write', task: 't-1' },
    },
  ]);
});
