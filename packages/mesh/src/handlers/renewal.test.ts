import { createSystemClock } from '@writ/core';
import { extendWrit, extensionsOf } from '@writ/identity';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { submitFrom } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

describe('RenewWrit', () => {
  it('carries extensions to the executor, and the new end or the denial back', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    const submit = submitFrom(alpha, beta, { task: 'task-1' });
    await client.submit(submit);
    const iat = Math.floor(createSystemClock().nowMs() / 1000);
    const extensions = extensionsOf([extendWrit(alpha.identity, submit.writs[0] ?? '', { iat, exp: iat + 3600 })]);
    beta.executor.renewal = { renewed: true, expiresAtMs: 1_800_000_000_000 };
    expect(await client.renew('task-1', extensions)).toEqual({ renewed: true, expiresAtMs: 1_800_000_000_000 });
    expect(beta.executor.renewals).toEqual([`task-1 ${extensions[0]}`]);
    const decision = {
      effect: 'deny',
      code: 'TRUST_REVOKED',
      message: 'no',
      nextSteps: [],
      generation: 4,
    } as const;
    beta.executor.renewal = { renewed: false, decision };
    expect(await client.renew('task-1', extensions)).toEqual({ renewed: false, decision });
  });

  it('is refused for no extensions, for too many, and for a task of another peer', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    await gamma.trust(beta);
    await beta.trust(gamma);
    const client = alpha.clients.client(beta.id);
    await client.submit(submitFrom(alpha, beta, { task: 'task-1' }));
    for (const extensions of [[], Array.from({ length: 65 }, () => 'more1')]) {
      await expect(client.renew('task-1', extensions)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    await expect(gamma.clients.client(beta.id).renew('task-1', ['more1'])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(beta.executor.renewals).toEqual([]);
  });

  it('takes a task on whose writ was extended before it arrived', async () => {
    const { alpha, beta } = await nodes.pair();
    const submit = submitFrom(alpha, beta, { task: 'task-1' });
    const iat = Math.floor(createSystemClock().nowMs() / 1000);
    const writs = submit.writs.map((writ) => extendWrit(alpha.identity, writ, { iat, exp: iat + 3600 }));
    await alpha.clients.client(beta.id).submit({ ...submit, writs });
    expect(beta.executor.submitted[0]?.chain?.last).toMatchObject({ exp: iat + 3600, renewedAt: iat });
    expect(beta.executor.submitted[0]?.writs).toEqual(writs);
  });
});
