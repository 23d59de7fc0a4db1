import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;
beforeEach(async () => {
  at = await startListening();
});
afterEach(() => at.stop());

const states = async (): Promise<readonly string[]> =>
  (await at.client.call('workspace_list', {})).workspaces.map(({ state, id = '' }) => `${state} ${id}`);

describe('workspaces', () => {
  it('are listed with what they take, until when they are kept and whether their work is kept elsewhere', async () => {
    const { workspaces, ...sizes } = await at.client.call('workspace_list', {});
    expect(sizes).toEqual({ bytes: 210, budget_bytes: 1000 });
    expect(workspaces[1]).toEqual({
      ...{ state: 'failed', id: 'k1', task: 't-1', workspace: 'app', dir: '/w/kept-k1/work' },
      ...{ bytes: 100, since_ms: 1000, due_at_ms: 2000, unbundled: 'none' },
    });
    expect(workspaces[2]).not.toHaveProperty('due_at_ms');
  });

  it('go where nobody names one, but for work that is kept nowhere else', async () => {
    const { removed } = await at.client.call('workspace_prune', {});
    expect(removed.map(({ id }) => id)).toEqual(['k1']);
    expect(await states()).toEqual(['ready ', 'orphaned k2']);
  });

  it('go with such work only where they are named and that is said', async () => {
    await expect(at.client.call('workspace_prune', { which: ['t-2'] })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(at.client.call('workspace_prune', { unbundled: true })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(at.client.call('workspace_prune', { which: ['no'] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await states()).toHaveLength(3);
    const { removed } = await at.client.call('workspace_prune', { which: ['t-2'], unbundled: true });
    expect(removed.map(({ id }) => id)).toEqual(['k2']);
  });
});
