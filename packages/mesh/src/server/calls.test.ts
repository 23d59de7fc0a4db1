import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { startTestNode, submitFrom } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

/** A loaded machine takes its time. */
const WAIT = { timeout: 10_000 };

describe('a handler that does not come to an end', () => {
  it('is cut off at the limit of its method', async () => {
    const beta = await startTestNode('beta', {}, { timersOnDemand: true });
    nodes.closeLater(() => beta.close());
    const alpha = await nodes.start('alpha');
    await alpha.trust(beta);
    await beta.trust(alpha);
    beta.executor.submit = () => new Promise(() => {});
    const answer = expect(alpha.clients.client(beta.id).submit(submitFrom(alpha, beta))).rejects.toMatchObject({
      code: 'TIMED_OUT',
    });
    await expect.poll(() => beta.timers.filter(({ delayMs }) => delayMs === 30_000).length, WAIT).toBe(2);
    for (const timer of beta.timers) if (timer.delayMs === 30_000) timer.fire();
    await answer;
    alpha.clients.close();
  });
});

describe('the log', () => {
  it('has a line for a call that acts and for one that is refused, with who and how, and none for reading', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    await client.describe();
    expect(beta.logged).toEqual([]);
    const submit = submitFrom(alpha, beta);
    await client.submit(submit);
    await client.getTask('task-nobody').catch(() => undefined);
    expect(beta.logged).toEqual([
      {
        message: 'mesh call',
        fields: {
          method: '/writ.mesh.v1.MeshService/Submit',
          caller: alpha.id,
          remote: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
          status: 'OK',
          ms: expect.any(Number),
        },
      },
      {
        message: 'mesh call refused',
        fields: expect.objectContaining({ method: '/writ.mesh.v1.MeshService/GetTask', status: 'NOT_FOUND' }),
      },
    ]);
    expect(JSON.stringify(beta.logged)).not.toContain(submit.writs[0]);
  });

  it('has the reason of a fault that the peer is not told', async () => {
    const { alpha, beta } = await nodes.pair();
    beta.executor.submit = async () => {
      throw new Error('the disk is full');
    };
    await alpha.clients
      .client(beta.id)
      .submit(submitFrom(alpha, beta))
      .catch(() => undefined);
    expect(beta.logged[0]).toMatchObject({ message: 'mesh call failed', fields: { error: 'the disk is full' } });
  });
});
