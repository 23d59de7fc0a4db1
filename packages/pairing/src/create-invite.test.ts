import { decodeInviteCode, pairingKey } from '@writ/identity';
import { createInviteStore } from '@writ/lease-store';
import { createFakeClock } from '@writ/testkit/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPairing } from './create-pairing.ts';
import type { PairingOptions } from './options.ts';
import { createTestNetwork, createTestNode, type TestNode } from './testing/test-node.ts';

describe('making an invite', () => {
  const clock = createFakeClock(1_800_000_000_000);
  const network = createTestNetwork();
  const options: { address?: string | undefined } = { address: 'beta:7420' };
  let beta: TestNode;
  beforeAll(async () => {
    beta = await createTestNode(network, clock, 'beta', { address: () => options.address });
  });
  afterAll(() => beta.close());
  const openInvites = () => beta.database.withReadTx((tx) => createInviteStore().listOpen(tx, clock.nowMs()));

  it('gives a code for ten minutes, and keeps only the hash of its secret', async () => {
    const invite = await beta.pairing.createInvite({ profiles: ['QUERY', 'query'], workspaces: ['App'] });
    const code = decodeInviteCode(invite.code);
    expect(code).toMatchObject({ address: 'beta:7420', id: beta.identity.public.id, invite: invite.id });
    expect(invite.expiresAtMs - clock.nowMs()).toBe(600_000);
    const [record] = openInvites();
    expect(record).toMatchObject({ id: invite.id, profiles: ['query'], workspaces: ['app'] });
    expect(record?.secretHash).toBe(Buffer.from(pairingKey(code.secret)).toString('hex'));
    expect(record?.leaseMs).toBeUndefined();
  });

  it.each([
    [{ profiles: ['querry'], workspaces: [] }, 'no profile `querry` is configured', 'did you mean `query`'],
    [{ profiles: ['QUERY\u202e'], workspaces: [] }, 'no profile `QUERY\\u{202e}` is configured', undefined],
    [{ profiles: [], workspaces: ['secret'] }, 'no workspace `secret` is configured', 'configured: app'],
    [{ profiles: ['repo-dev'], workspaces: [], leaseMs: 0 }, 'a lease may last', undefined],
    [{ profiles: ['repo-dev'], workspaces: [], leaseMs: 25 * 3_600_000 }, 'a lease may last 1d at most', undefined],
  ])('refuses an offer that is not configured: %j', async (offer, message, step) => {
    const before = openInvites().length;
    await expect(beta.pairing.createInvite(offer)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(message),
      ...(step === undefined ? {} : { nextSteps: [step] }),
    });
    expect(openInvites()).toHaveLength(before);
  });

  it('is refused where nobody could dial this node', async () => {
    options.address = undefined;
    await expect(beta.pairing.createInvite({ profiles: [], workspaces: [] })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('no mesh address'),
    });
    options.address = 'beta:7420';
  });

  it('is refused where many are open', async () => {
    const offer = { profiles: ['query'], workspaces: [] };
    while (openInvites().length < 16) await beta.pairing.createInvite(offer);
    await expect(beta.pairing.createInvite(offer)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    clock.advance(600_000);
    expect(openInvites()).toEqual([]);
    await beta.pairing.createInvite(offer);
  });

  it('is known of without a look at the database for every stranger who asks', async () => {
    const store = createInviteStore();
    let reads = 0;
    const listOpen: typeof store.listOpen = (tx, nowMs) => {
      reads += 1;
      return store.listOpen(tx, nowMs);
    };
    const pairing = createPairing({ ...beta.options, clock, invites: { ...store, listOpen } } satisfies PairingOptions);
    await pairing.createInvite({ profiles: ['query'], workspaces: [] });
    reads = 0;
    for (let i = 0; i < 50; i++) expect(pairing.hasOpenInvite()).toBe(true);
    clock.advance(600_000);
    for (let i = 0; i < 50; i++) expect(pairing.hasOpenInvite()).toBe(false);
    expect(reads).toBe(1);
  });

  it('ends with the node that made it: nobody could answer for it any more', async () => {
    const { id } = await beta.pairing.createInvite({ profiles: ['query'], workspaces: [] });
    const rebooted = createPairing({ ...beta.options, clock } satisfies PairingOptions);
    expect(rebooted.hasOpenInvite()).toBe(false);
    const watch = rebooted.watchInvite(id, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(watch.next()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
