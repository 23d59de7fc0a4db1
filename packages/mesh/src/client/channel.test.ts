import { createSystemClock } from '@writ/core';
import { loadServices } from '@writ/wire';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { callUnary } from './calls.ts';
import { openChannel } from './channel.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

describe('a channel', () => {
  it('is only to the node whose id it was opened for, whatever its root has signed', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    const clock = createSystemClock();
    const describeOver = async (id: string): Promise<unknown> => {
      const { certificatePem } = beta.identity.public;
      const client = openChannel(alpha.identity, { id, certificatePem }, beta.address, clock);
      nodes.closeLater(() => client.close());
      const peer = { label: 'beta', address: beta.address };
      const bounds = { deadlineMs: 10_000, signal: new AbortController().signal, clock, peer };
      return callUnary(client, loadServices().mesh.Describe, {}, bounds);
    };
    expect(await describeOver(beta.id)).toMatchObject({ id: beta.id });
    await expect(describeOver(gamma.id)).rejects.toThrow('another node answers there');
  });
});
