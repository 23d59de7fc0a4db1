import { WritError } from '@writ/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { submitFrom } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const SECRET = 'correct-horse-battery';

describe('Reply', () => {
  it('carries words and secrets to the executor, in the name of the sender, and what became of them back', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    await client.submit(submitFrom(alpha, beta, { task: 'task-1' }));
    beta.executor.taken = { question: '1.1', state: 'credential_required', open: 1 };
    const words = { question: '1.1', key: 'k1', content: { kind: 'input', text: 'main' } } as const;
    expect(await client.reply('task-1', words)).toEqual(beta.executor.taken);
    await client.reply('task-1', {
      ...{ question: '1.2', key: 'k2' },
      content: { kind: 'credential', secret: Buffer.from(SECRET) },
    });
    expect(beta.executor.replies.map(({ task, by }) => [task, by])).toEqual([
      ['task-1', alpha.id],
      ['task-1', alpha.id],
    ]);
    expect(beta.executor.replies[0]?.reply).toEqual(words);
    const { content } = beta.executor.replies[1]?.reply ?? {};
    expect(content?.kind === 'credential' && Buffer.from(content.secret).toString()).toBe(SECRET);
    expect(JSON.stringify(beta.logged)).toContain('Reply');
    expect(JSON.stringify([beta.logged, alpha.logged])).not.toContain(SECRET);
  });

  it('says why it is refused, and who was faster', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    await client.submit(submitFrom(alpha, beta, { task: 'task-1' }));
    const words = { question: '1.1', key: 'k1', content: { kind: 'input', text: 'main' } } as const;
    for (const code of ['NOT_FOUND', 'NOT_PENDING', 'NOT_APPROVER', 'WRIT_REPLAYED', 'BAD_REQUEST'] as const) {
      beta.executor.taken = new WritError(code, 'by wn-a');
      await expect(client.reply('task-1', words)).rejects.toMatchObject({
        ...{ code, message: expect.stringContaining('by wn-a') },
      });
    }
  });

  it('is refused for a task of another peer', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    await gamma.trust(beta);
    await beta.trust(gamma);
    await alpha.clients.client(beta.id).submit(submitFrom(alpha, beta, { task: 'task-1' }));
    const words = { question: '1.1', key: 'k1', content: { kind: 'input', text: 'main' } } as const;
    await expect(gamma.clients.client(beta.id).reply('task-1', words)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(beta.executor.replies).toEqual([]);
  });
});
