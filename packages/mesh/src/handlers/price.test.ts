import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { submitFrom } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

describe('a peer whose tasks are refused', () => {
  it('runs out of tries long before one whose tasks are accepted', async () => {
    const { alpha, beta } = await nodes.pair({ peerRate: { perSecond: 0.001, burst: 400 } });
    const client = alpha.clients.client(beta.id);
    const decision = beta.engine.decide({
      from: alpha.id,
      chain: [alpha.id],
      profile: 'repo-dev',
      leases: [],
      usage: { concurrent: 0, lastHour: 0 },
    });
    const submit = () => client.submit(submitFrom(alpha, beta));
    for (let i = 0; i < 4; i++) expect(await submit()).toMatchObject({ accepted: true });
    beta.executor.answer = () => ({ accepted: false, decision });
    for (let i = 0; i < 2; i++) expect(await submit()).toMatchObject({ accepted: false });
    await expect(submit()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});
