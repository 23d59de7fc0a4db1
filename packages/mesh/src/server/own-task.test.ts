import { loadServices } from '@writ/wire';
import { afterEach, describe, expect, it } from 'vitest';
import { METHOD_TABLE } from '../method-table.ts';
import { createNodeSet } from '../testing/node-set.ts';
import { ending, openRawClient } from '../testing/raw-client.ts';
import { submitFrom } from '../testing/test-node.ts';
import { checkedHandlers, served } from './own-task.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const { mesh } = loadServices();

describe('every method about a task', () => {
  it('is served to the sender of the task and to no other peer', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    await beta.trust(gamma);
    await alpha.clients.client(beta.id).submit(submitFrom(alpha, beta, { task: 'task-theirs' }));
    const touched: string[] = [];
    const { cancel, readTranscript } = beta.executor;
    beta.executor.cancel = (id, by) => {
      touched.push('cancel');
      return cancel.call(beta.executor, id, by);
    };
    beta.executor.readTranscript = (id, offset, limit) => {
      touched.push('readTranscript');
      return readTranscript.call(beta.executor, id, offset, limit);
    };

    const client = openRawClient(beta, gamma.identity);
    nodes.closeLater(() => client.close());
    const named: string[] = [];
    for (const method of Object.values(mesh)) {
      if (!('task' in method.requestDeserialize(Buffer.alloc(0)))) continue;
      named.push(method.path);
      // Every request names its task in its first field.
      const end = await client.call(method.path, Buffer.concat([Buffer.from([0x0a, 11]), Buffer.from('task-theirs')]));
      if (METHOD_TABLE[method.path]?.authorization === 'own-task') {
        expect(ending(end), method.path).toBe('NOT_FOUND NOT_FOUND');
      }
    }
    const own = Object.entries(METHOD_TABLE).filter(([, entry]) => entry.authorization === 'own-task');
    const submit = '/writ.mesh.v1.MeshService/Submit';
    expect(named.filter((path) => path !== submit).sort()).toEqual(own.map(([path]) => path).sort());
    expect(touched).toEqual([]);
    expect(beta.executor.watching()).toBe(0);
  });
});

describe('a task that is kept no more', () => {
  it('is told as such to its sender and to no other peer', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    await beta.trust(gamma);
    await gamma.trust(beta);
    beta.executor.find = (id, sender) =>
      id === 'task-old' && sender === alpha.id ? { removedAtMs: Date.UTC(2026, 0, 2) } : undefined;
    const ask = async (of: typeof alpha): Promise<unknown> =>
      of.clients
        .client(beta.id)
        .readTranscript('task-old', 0, 10)
        .catch((error: Error) => error.message);
    expect(await ask(alpha)).toContain('the task is over, and was removed here on 2026-01-02');
    expect(await ask(gamma)).toBe('`beta` answers: no task `task-old` of yours here');
  });
});

describe('a handler that is served as something else than its entry says', () => {
  it('stops the start-up', () => {
    const handlers = { Cancel: served('peer', () => undefined) };
    expect(() => checkedHandlers({ Cancel: mesh.Cancel }, handlers, METHOD_TABLE)).toThrow(
      '/writ.mesh.v1.MeshService/Cancel is served as peer',
    );
  });
});
