import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StreamItem } from '../client/index.ts';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;
beforeEach(async () => {
  at = await startListening();
});
afterEach(() => at.stop());

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('the audit log', () => {
  it('shows an entry with what proves it, or says that there is none', async () => {
    const shown = await at.client.call('audit_show', { entry: 1 });
    expect(shown).toEqual({
      entry: { seq: 1, at_ms: 2, kind: 'lease', action: 'lease.granted', actor: 'person', details: { uses: 0 } },
      leaf: 'ab',
    });
    await expect(at.client.call('audit_show', { entry: 2 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(at.client.call('audit_show', { entry: 0 })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('is verified, and the last that is said is what it came to', async () => {
    const items = await collect<StreamItem<'audit_verify'>>(at.client.stream('audit_verify', {}));
    expect(items.at(-1)?.report).toMatchObject({ ok: true, node: 'wn-alpha', problems: [] });
    expect(items.slice(0, -1).every(({ checked }) => checked === 1)).toBe(true);
    const bad = await collect(at.client.stream('audit_verify', { checkpoints: ['kept'] }));
    expect(bad.at(-1)?.report).toMatchObject({
      ok: false,
      problems: [{ where: 'kept-checkpoint', kind: 'forked', from: 1, to: 1, message: 'kept', next_steps: ['ask'] }],
    });
  });

  it('is exported from and to where somebody wants', async () => {
    at.node.trail.add({ kind: 'task', action: 'task.running', actor: 'node' });
    const lines = async (input: object) =>
      (await collect(at.client.stream('audit_export', input))).map(({ line }) => line);
    expect(await lines({})).toEqual(['line 1', 'line 2']);
    expect(await lines({ from: 2, to: 2 })).toEqual(['line 2']);
  });

  it('says in the status how far it follows', async () => {
    expect((await at.client.call('node_status', {})).audit).toEqual({ rows: 1, written: 1, signed: 0, next_steps: [] });
  });
});
