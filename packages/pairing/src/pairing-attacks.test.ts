import { randomBytes } from 'node:crypto';
import { WritError } from '@writ/core';
import { decodeInviteCode, encodeInviteCode, pairingKey, pairingMac } from '@writ/identity';
import { addPeer, readPeer, updatePeer } from '@writ/policy';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChannel } from './channel.ts';
import { createTestNetwork, createTestNode, type TestNetwork, type TestNode } from './testing/test-node.ts';
import type { Invite, InviteEvent, JoinEvent, RedeemClientMessage } from './types.ts';

const OFFER = { profiles: ['query', 'repo-dev'], workspaces: ['app'], leaseMs: 3_600_000 };
const forever = (): AbortSignal => new AbortController().signal;
const follow = <T>(events: AsyncIterable<T>): AsyncIterator<T> => events[Symbol.asyncIterator]();

describe('a pairing under attack', () => {
  let clock: FakeClock;
  let network: TestNetwork;
  let opened: TestNode[];
  let beta: TestNode;
  let alpha: TestNode;
  let mallory: TestNode;
  beforeEach(async () => {
    clock = createFakeClock(1_800_000_000_000);
    network = createTestNetwork();
    opened = [];
    for (const name of ['beta', 'alpha', 'mallory']) opened.push(await createTestNode(network, clock, name));
    [beta, alpha, mallory] = opened as [TestNode, TestNode, TestNode];
  });
  afterEach(() => {
    for (const node of opened) node.close();
  });

  const stored = (): string =>
    JSON.stringify(opened.map((node) => [node.text(), node.pins.list(), node.authority.listLeases({})]));
  const invite = (): Promise<Invite> => beta.pairing.createInvite(OFFER);
  const joinWith = (code: string, joiner = alpha) => follow<JoinEvent>(joiner.pairing.join(code, forever())).next();
  const hello = (node: TestNode, id: string): Extract<RedeemClientMessage, { step: 'hello' }> => ({
    step: 'hello',
    invite: id,
    ...node.identity.public,
    label: 'mallory',
    nonce: randomBytes(32),
  });
  /** Sends these to beta as one exchange, and gives how it ended. */
  const say = async (...messages: RedeemClientMessage[]): Promise<unknown> => {
    const channel = createChannel<RedeemClientMessage>();
    for (const message of messages) channel.send(message);
    channel.end();
    const answers = follow(beta.pairing.serve(channel));
    try {
      for (;;) if ((await answers.next()).done) return 'done';
    } catch (error) {
      return error;
    }
  };

  it.each<[string, (network: TestNetwork) => void]>([
    [
      'the joiner’s certificate on its way',
      (net) => {
        net.onClient = (message) => (message.step === 'hello' ? { ...message, ...mallory.identity.public } : message);
      },
    ],
    [
      'the joiner’s name',
      (net) => {
        net.onClient = (message) => (message.step === 'hello' ? { ...message, label: 'root' } : message);
      },
    ],
    [
      'the joiner’s address',
      (net) => {
        net.onClient = (message) => (message.step === 'hello' ? { ...message, address: 'evil:1' } : message);
      },
    ],
    [
      'the joiner’s nonce',
      (net) => {
        net.onClient = (message) => (message.step === 'hello' ? { ...message, nonce: randomBytes(32) } : message);
      },
    ],
    [
      'the proof',
      (net) => {
        net.onClient = (message) => (message.step === 'proof' ? { ...message, mac: randomBytes(32) } : message);
      },
    ],
    [
      'the inviter’s certificate',
      (net) => {
        net.onServer = (message) =>
          message.step === 'challenge' ? { ...message, ...mallory.identity.public } : message;
      },
    ],
    [
      'the inviter’s certificate under the right id',
      (net) => {
        const { certificatePem } = mallory.identity.public;
        net.onServer = (message) => (message.step === 'challenge' ? { ...message, certificatePem } : message);
      },
    ],
    [
      'the inviter’s nonce',
      (net) => {
        net.onServer = (message) => (message.step === 'challenge' ? { ...message, nonce: randomBytes(32) } : message);
      },
    ],
    [
      'the inviter’s proof',
      (net) => {
        net.onServer = (message) => (message.step === 'pending' ? { ...message, mac: randomBytes(32) } : message);
      },
    ],
    [
      'the order of the answers',
      (net) => {
        const accepted = { step: 'accepted' as const, label: 'beta', profiles: ['query'], workspaces: [] };
        net.onServer = (message) => (message.step === 'pending' ? accepted : message);
      },
    ],
  ])('ends with nothing stored when somebody changes %s', async (_what, tamper) => {
    const nothing = stored();
    const { code } = await invite();
    tamper(network);
    await expect(joinWith(code)).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    expect(stored()).toBe(nothing);
  });

  it('gives the proof of one end no use at the other: it cannot be sent back', async () => {
    const { code } = await invite();
    let proof = new Uint8Array();
    network.onClient = (message) => {
      if (message.step === 'proof') proof = new Uint8Array(message.mac);
      return message;
    };
    network.onServer = (message) => (message.step === 'pending' ? { ...message, mac: proof } : message);
    await expect(joinWith(code)).rejects.toMatchObject({ message: expect.stringContaining('secret') });
  });

  it('is refused by the joiner where another node answers, even one that knows the secret', async () => {
    const nothing = stored();
    const { code } = await invite();
    const { secret, invite: id } = decodeInviteCode(code);
    const nonce = randomBytes(32);
    network.redeem = async function* (_target, messages) {
      const { public: self } = mallory.identity;
      for await (const message of messages) {
        if (message.step === 'proof') continue;
        yield { step: 'challenge', ...self, nonce, label: 'beta' };
        const joiner = { ...message, address: message.address ?? '' };
        const mac = pairingMac(pairingKey(secret), 'inviter', { invite: id, inviter: { ...self, nonce }, joiner });
        yield { step: 'pending', mac };
        yield { step: 'accepted', label: 'beta', profiles: [], workspaces: [] };
      }
    };
    await expect(joinWith(code)).rejects.toMatchObject({
      code: 'INVITE_INVALID',
      message: 'the node that answered is not the one that invited',
    });
    expect(stored()).toBe(nothing);
  });

  it('spends no invite while the clock of the inviter has gone back', async () => {
    const { code, id } = await invite();
    clock.jump(-3_600_000);
    await expect(joinWith(code)).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    await expect(beta.pairing.confirm(id, true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(invite()).rejects.toMatchObject({ code: 'CLOCK_BACKWARDS' });
  });

  it('does not know a wrong secret from an unknown invite, and closes an invite after five wrong ones', async () => {
    const nothing = stored();
    const { code, id } = await invite();
    const watch = follow<InviteEvent>(beta.pairing.watchInvite(id, forever()));
    const told = watch.next();
    const good = decodeInviteCode(code);
    const wrong = encodeInviteCode({ ...good, secret: randomBytes(16) });
    const unknown = encodeInviteCode({ ...good, invite: crypto.randomUUID() });
    const outcomes: unknown[] = [];
    for (const bad of [wrong, unknown, wrong, unknown, wrong, wrong]) {
      outcomes.push(await joinWith(bad, mallory).catch((error: unknown) => error));
    }
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    expect(outcomes[0]).toMatchObject({ code: 'INVITE_INVALID' });
    expect(beta.pairing.hasOpenInvite()).toBe(true);
    await expect(joinWith(wrong, mallory)).rejects.toThrow();
    expect(beta.pairing.hasOpenInvite()).toBe(false);
    expect((await told).value).toEqual({ kind: 'refused', why: 'too many wrong proofs' });
    const noted = beta.database.auditTail(9).map(({ action }) => action);
    expect(noted.filter((action) => action === 'invite.proof-refused')).toHaveLength(5);
    expect(noted[0]).toBe('invite.closed');
    await expect(joinWith(code)).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    expect(stored()).toBe(nothing);
  });

  it('refuses every message that is garbage, out of turn or missing', async () => {
    const nothing = stored();
    const { id, code } = await invite();
    const good = hello(mallory, id);
    const mac = randomBytes(32);
    const key = pairingKey(decodeInviteCode(code).secret);
    const { identity } = beta;
    const early = pairingMac(key, 'joiner', {
      invite: id,
      inviter: { ...identity.public, nonce: new Uint8Array(32) },
      joiner: { ...mallory.identity.public, nonce: good.nonce, label: good.label, address: '' },
    });
    const exchanges: RedeemClientMessage[][] = [
      [],
      [good],
      [{ step: 'proof', mac }],
      [good, good],
      [good, { step: 'proof', mac: new Uint8Array() }],
      [good, { step: 'proof', mac: randomBytes(1_000_000) }],
      [good, { step: 'proof', mac: early }],
      [{ ...good, id: alpha.identity.public.id }],
      [{ ...good, id: '' }],
      [{ ...good, certificatePem: '' }],
      [{ ...good, certificatePem: 'x'.repeat(1_000_000) }],
      [{ ...good, certificatePem: mallory.identity.tls().chainPem }],
      [{ ...good, nonce: new Uint8Array() }],
      [{ ...good, label: 'x'.repeat(1_000_000) }],
      [{ ...good, address: 'a; rm -rf /:1' }],
      [
        { ...good, invite: "' OR 1=1 --" },
        { step: 'proof', mac },
      ],
    ];
    for (const messages of exchanges) expect(await say(...messages)).toMatchObject({ code: 'INVITE_INVALID' });
    expect(await say({ ...good, id: alpha.identity.public.id })).toMatchObject({
      message: 'the joining node presents a certificate of another node',
    });
    expect(stored()).toBe(nothing);
  });

  it('ends an exchange in which the joiner says nothing', async () => {
    const { id } = await invite();
    const silent = createChannel<RedeemClientMessage>();
    const before = clock.pendingTimers();
    const mute = expect(follow(beta.pairing.serve(silent)).next()).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    await clock.waitForTimers(before + 1);
    clock.advance(10_000);
    await mute;
    const half = createChannel<RedeemClientMessage>();
    half.send(hello(mallory, id));
    const answers = follow(beta.pairing.serve(half));
    expect((await answers.next()).value).toMatchObject({ step: 'challenge' });
    const stuck = expect(answers.next()).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    await clock.waitForTimers(before + 1);
    clock.advance(10_000);
    await stuck;
  });

  it('ends a join in which the inviter says nothing', async () => {
    const { code } = await invite();
    network.redeem = () => createChannel();
    const before = clock.pendingTimers();
    const mute = expect(joinWith(code)).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await clock.waitForTimers(before + 1);
    clock.advance(15_000);
    await mute;
  });

  it('limits how many strangers may try, at once and in a minute', async () => {
    await invite();
    const held = Array.from({ length: 16 }, () => createChannel<RedeemClientMessage>());
    const waiting = held.map((channel) => follow(beta.pairing.serve(channel)).next());
    expect(await say()).toMatchObject({ code: 'RATE_LIMITED' });
    for (const channel of held) channel.end();
    await Promise.allSettled(waiting);
    expect(await say()).toMatchObject({ code: 'INVITE_INVALID' });
    const codes: unknown[] = [];
    for (let i = 0; i < 60; i++) codes.push(await say());
    expect(codes.filter((error) => error instanceof WritError && error.code === 'RATE_LIMITED')).toHaveLength(17);
    clock.advance(60_000);
    expect(await say()).toMatchObject({ code: 'INVITE_INVALID' });
  });

  it('stores names from the other end as names or not at all', async () => {
    const nothing = alpha.text();
    const { code, id } = await invite();
    network.onServer = (message) =>
      message.step === 'accepted' ? { ...message, profiles: ['query"]\nshell = "allow'] } : message;
    const join = follow<JoinEvent>(alpha.pairing.join(code, forever()));
    await join.next();
    const ended = expect(join.next()).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    await beta.pairing.confirm(id, true);
    await ended;
    expect(alpha.text()).toBe(nothing);
    expect(alpha.pins.list()).toEqual([]);
  });
});

describe('a pairing that cannot be stored', () => {
  const clock = createFakeClock(1_800_000_000_000);
  const network = createTestNetwork();
  let opened: TestNode[] = [];
  afterEach(() => {
    for (const node of opened) node.close();
    opened = [];
  });

  const plain = { profiles: ['query'], workspaces: ['app'] };
  it.each<[string, Parameters<typeof createTestNode>[3], typeof plain & { leaseMs?: number }]>([
    [
      'the configuration does not load',
      {
        edits: {
          readPeer,
          addPeer: (text, peer) => `${addPeer(text, peer)}\n[broken`,
          removePeer: (text) => text,
          updatePeer,
        },
      },
      plain,
    ],
    [
      'the configuration is not in force after the change',
      {
        config: {
          ready: async () => undefined,
          edit: async () => ({ generation: 1 }),
          takeAway: async () => ({ generation: 1 }),
        },
      },
      plain,
    ],
    [
      'the lease is refused',
      {
        authority: {
          grantLeaseIn: () => {
            throw new WritError('BAD_REQUEST', 'no');
          },
          endLeasesOf: () => undefined,
        },
      },
      OFFER,
    ],
  ])('leaves nothing behind at either end where %s', async (_what, change, offer) => {
    const beta = await createTestNode(network, clock, 'beta', change);
    const alpha = await createTestNode(network, clock, 'alpha');
    opened = [alpha, beta];
    const texts = opened.map((node) => node.text().trimEnd());
    const { code, id } = await beta.pairing.createInvite(offer);
    const watch = follow<InviteEvent>(beta.pairing.watchInvite(id, forever()));
    const join = follow<JoinEvent>(alpha.pairing.join(code, forever()));
    await Promise.all([watch.next(), join.next()]);
    const joined = expect(join.next()).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    await expect(beta.pairing.confirm(id, true)).rejects.toBeInstanceOf(WritError);
    await joined;
    expect((await watch.next()).value).toEqual({
      ...{ kind: 'refused', why: expect.stringMatching(/^the peer could not be stored: ./) },
      nextSteps: expect.any(Array),
    });
    expect(opened.map((node) => node.text().trimEnd())).toEqual(texts);
    expect(opened.flatMap((node) => node.pins.list())).toEqual([]);
    expect(opened.flatMap((node) => [...node.engine.snapshot().config.peers.keys()])).toEqual([]);
  });

  it('tells the joiner what to do where only the inviter could store', async () => {
    const beta = await createTestNode(network, clock, 'beta');
    const edit = async (): Promise<never> => {
      throw new WritError('CONFIG_INVALID', 'line 3 is broken', { nextSteps: ['mend line 3'] });
    };
    const alpha = await createTestNode(network, clock, 'alpha', {
      config: { ready: async () => undefined, edit, takeAway: edit },
    });
    opened = [alpha, beta];
    const { code, id } = await beta.pairing.createInvite(OFFER);
    const join = follow<JoinEvent>(alpha.pairing.join(code, forever()));
    await join.next();
    const joined = expect(join.next()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'line 3 is broken',
      nextSteps: ['mend line 3', expect.stringContaining('writ peer remove')],
    });
    await beta.pairing.confirm(id, true);
    await joined;
    expect(alpha.pins.list()).toEqual([]);
  });
});
