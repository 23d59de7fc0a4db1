import { createSystemClock, WritError } from '@writ/core';
import type { RedeemClientMessage, RedeemServerMessage } from '@writ/pairing';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import type { TestNode } from '../testing/test-node.ts';
import { createRedeemTransport } from './redeem-transport.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const helloOf = (joiner: TestNode): RedeemClientMessage => ({
  step: 'hello',
  invite: 'invite-1',
  ...joiner.identity.public,
  label: 'gamma',
  address: '127.0.0.1:7',
  nonce: Buffer.from([1, 2]),
});
const PROOF: RedeemClientMessage = { step: 'proof', mac: Buffer.from([3]) };
const CHALLENGE: RedeemServerMessage = {
  step: 'challenge',
  id: 'wn-inviter',
  certificatePem: 'pem',
  nonce: Buffer.from([4]),
  label: 'beta',
};
const PENDING: RedeemServerMessage = { step: 'pending', mac: Buffer.from([5]) };
const ACCEPTED: RedeemServerMessage = {
  step: 'accepted',
  label: 'gamma',
  profiles: ['query'],
  workspaces: ['app'],
  leaseMs: 1000,
};

function redeem(
  from: TestNode,
  target: { address: string; id: string },
  messages: AsyncIterable<RedeemClientMessage>,
  signal = new AbortController().signal,
) {
  return createRedeemTransport({ identity: from.identity, clock: createSystemClock() }).redeem(
    target,
    messages,
    signal,
  );
}

async function* saying(...messages: RedeemClientMessage[]): AsyncIterable<RedeemClientMessage> {
  yield* messages;
}

/** A loaded machine takes its time. */
const WAIT = { timeout: 10_000 };

describe('redeeming an invite', () => {
  it('carries the exchange between nodes that never met', async () => {
    const [beta, gamma] = [await nodes.start('beta'), await nodes.start('gamma')];
    beta.openInvite = true;
    const heard: RedeemClientMessage[] = [];
    beta.serve = async function* (messages) {
      const answers = [CHALLENGE, PENDING];
      for await (const message of messages) {
        heard.push(message);
        const answer = answers.shift();
        if (answer !== undefined) yield answer;
      }
      yield ACCEPTED;
    };
    // The proof is sent only after the challenge came, as in a real exchange.
    let challenged = (): void => {};
    const challenge = new Promise<void>((resolve) => {
      challenged = resolve;
    });
    async function* messages() {
      yield helloOf(gamma);
      await challenge;
      yield PROOF;
    }
    const answers: RedeemServerMessage[] = [];
    for await (const answer of redeem(gamma, beta, messages())) {
      answers.push(answer);
      challenged();
    }
    expect(heard).toEqual([helloOf(gamma), PROOF]);
    expect(answers).toEqual([CHALLENGE, PENDING, ACCEPTED]);
    await expect.poll(() => beta.server.connections(), WAIT).toBe(0);
  });

  it('is refused as a worthless invite where none is open', async () => {
    const [beta, gamma] = [await nodes.start('beta'), await nodes.start('gamma')];
    const answers = redeem(gamma, beta, saying(helloOf(gamma)))[Symbol.asyncIterator]();
    await expect(answers.next()).rejects.toMatchObject({ code: 'INVITE_INVALID' });
  });

  it('is refused to whoever names the identity of somebody else', async () => {
    const [beta, gamma, victim] = [await nodes.start('beta'), await nodes.start('gamma'), await nodes.start('victim')];
    beta.openInvite = true;
    let heard = 0;
    beta.serve = async function* (messages) {
      for await (const _ of messages) {
        heard += 1;
        yield CHALLENGE;
      }
    };
    const mixed = { ...helloOf(victim), certificatePem: gamma.identity.public.certificatePem } as RedeemClientMessage;
    for (const hello of [helloOf(victim), mixed]) {
      const answers = redeem(gamma, beta, saying(hello))[Symbol.asyncIterator]();
      await expect(answers.next()).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    }
    expect(heard).toBe(0);
  });

  it('says nothing to a node that is not the one of the invite', async () => {
    const [beta, gamma, mallory] = [
      await nodes.start('beta'),
      await nodes.start('gamma'),
      await nodes.start('mallory'),
    ];
    mallory.openInvite = true;
    let heard = 0;
    mallory.serve = async function* () {
      heard += 1;
      yield CHALLENGE;
    };
    const answers = redeem(gamma, { address: mallory.address, id: beta.id }, saying(helloOf(gamma)))[
      Symbol.asyncIterator
    ]();
    await expect(answers.next()).rejects.toMatchObject({ code: 'PEER_UNKNOWN' });
    expect(heard).toBe(0);
  });

  it('is UNREACHABLE where nobody listens', async () => {
    const [beta, gamma] = [await nodes.start('beta'), await nodes.start('gamma')];
    const answers = redeem(gamma, { address: '127.0.0.1:1', id: beta.id }, saying(helloOf(gamma)))[
      Symbol.asyncIterator
    ]();
    await expect(answers.next()).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  it('passes on what the inviter says against it', async () => {
    const [beta, gamma] = [await nodes.start('beta'), await nodes.start('gamma')];
    beta.openInvite = true;
    beta.serve = async function* () {
      yield CHALLENGE;
      throw new WritError('INVITE_INVALID', 'the invite was used');
    };
    const answers = redeem(gamma, beta, saying(helloOf(gamma)))[Symbol.asyncIterator]();
    expect((await answers.next()).value).toEqual(CHALLENGE);
    await expect(answers.next()).rejects.toMatchObject({ code: 'INVITE_INVALID' });
  });

  it('ends with its signal, on both sides', async () => {
    const [beta, gamma] = [await nodes.start('beta'), await nodes.start('gamma')];
    beta.openInvite = true;
    let left = false;
    beta.serve = async function* (messages) {
      try {
        for await (const _ of messages) yield CHALLENGE;
      } finally {
        left = true;
      }
    };
    const leaving = new AbortController();
    async function* waiting() {
      yield helloOf(gamma);
      await new Promise(() => undefined);
    }
    const answers = redeem(gamma, beta, waiting(), leaving.signal)[Symbol.asyncIterator]();
    await answers.next();
    const next = expect(answers.next()).rejects.toBeDefined();
    leaving.abort(new Error('enough'));
    await next;
    await expect.poll(() => left, WAIT).toBe(true);
    await expect.poll(() => beta.server.connections(), WAIT).toBe(0);
  });
});
