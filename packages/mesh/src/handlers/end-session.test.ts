import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import type { TestNode } from '../testing/test-node.ts';

const nodes = createNodeSet();
let alpha: TestNode;
let beta: TestNode;
beforeAll(async () => {
  ({ alpha, beta } = await nodes.pair());
});
afterAll(() => nodes.closeAll());

describe('EndSession', () => {
  it('hands the signed word over in the name of who brings it', async () => {
    await alpha.clients.client(beta.id).endSession(Buffer.from('signed'));
    expect(beta.questions).toEqual([`${alpha.id} signed`]);
  });

  it('tells a peer whose word does not hold no more than that', async () => {
    const refused = alpha.clients.client(beta.id).endSession(Buffer.from('bad'));
    await expect(refused).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.not.stringContaining('path') });
    const long = alpha.clients.client(beta.id).endSession(Buffer.alloc(65 * 1024));
    await expect(long).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
