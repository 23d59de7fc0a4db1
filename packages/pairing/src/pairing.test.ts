import { parseNodeId, WritError } from '@writ/core';
import { decodeInviteCode, identityWords } from '@writ/identity';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestNetwork, createTestNode, type TestNetwork, type TestNode } from './testing/test-node.ts';
import type { Invite, InviteEvent, JoinEvent } from './types.ts';

const OFFER = { profiles: ['query', 'repo-dev'], workspaces: ['app'], leaseMs: 8 * 3_600_000 };
const forever = (): AbortSignal => new AbortController().signal;

describe('two nodes that pair', () => {
  let clock: FakeClock;
  let network: TestNetwork;
  let beta: TestNode;
  let alpha: TestNode;
  let opened: TestNode[];
  beforeEach(async () => {
    clock = createFakeClock(1_800_000_000_000);
    network = createTestNetwork();
    beta = await createTestNode(network, clock, 'Beta');
    alpha = await createTestNode(network, clock, 'alpha');
    opened = [alpha, beta];
  });
  afterEach(() => {
    for (const node of opened) node.close();
  });

  const first = async <T>(events: AsyncIterator<T>): Promise<T> => {
    const { value, done } = await events.next();
    if (done) throw new Error('ended early');
    return value;
  };
  const follow = <T>(events: AsyncIterable<T>): AsyncIterator<T> => events[Symbol.asyncIterator]();
  const proveOf = async (invite: Invite, joiner = alpha, signal = forever()) => {
    const watch = follow<InviteEvent>(beta.pairing.watchInvite(invite.id, forever()));
    const join = follow<JoinEvent>(joiner.pairing.join(invite.code, signal));
    const [seen, shown] = await Promise.all([first(watch), first(join)]);
    return { watch, join, seen, shown };
  };
  /** Somebody writes what would give this node's own agents more. */
  const wish = (node: TestNode) =>
    node.engine.reload(`${node.text()}[self]\nprofiles = ["query"]\nworkspaces = ["app"]\n`, { acceptWidening: false });
  const before = (): string => JSON.stringify([stateOf(alpha), stateOf(beta)]);
  const stateOf = (node: TestNode) => [node.text(), node.pins.list(), node.authority.listLeases({})];
  const pair = async (joiner = alpha): Promise<void> => {
    const invite = await beta.pairing.createInvite(OFFER);
    const { watch, join } = await proveOf(invite, joiner);
    const joined = first(join);
    await beta.pairing.confirm(invite.id, true);
    await joined;
    await first(watch);
  };

  it('see the same words, and are peers of exactly what was offered once the inviter confirmed', async () => {
    const invite = await beta.pairing.createInvite(OFFER);
    const { watch, join, seen, shown } = await proveOf(invite);
    expect(seen).toMatchObject({ kind: 'proved', peerId: alpha.identity.public.id, label: 'alpha' });
    expect(shown).toMatchObject({ kind: 'proved', peerId: beta.identity.public.id, label: 'beta' });
    if (seen.kind !== 'proved' || shown.kind !== 'proved') throw new Error('not proved');
    expect(seen.words).toBe(shown.words);
    expect(seen.words).not.toBe(identityWords(alpha.identity.public.id));

    const joined = first(join);
    await beta.pairing.confirm(invite.id, true);
    expect(await joined).toEqual({
      kind: 'paired',
      peerId: beta.identity.public.id,
      label: 'beta',
      profiles: ['query', 'repo-dev'],
      workspaces: ['app'],
      leaseMs: OFFER.leaseMs,
      generation: alpha.engine.snapshot().generation,
    });
    expect(await first(watch)).toMatchObject({ kind: 'paired', label: 'alpha', generation: 2 });
    expect((await watch.next()).done).toBe(true);
    expect((await join.next()).done).toBe(true);

    const atBeta = beta.engine.snapshot().config.peers.get('alpha');
    expect(atBeta).toMatchObject({
      id: alpha.identity.public.id,
      address: 'alpha.example:7420',
      profiles: ['query', 'repo-dev'],
      workspaces: ['app'],
      outbound: { profiles: [], workspaces: [], ship: false },
      mayRequestLease: false,
      maxDepth: 0,
    });
    const atAlpha = alpha.engine.snapshot().config.peers.get('beta');
    expect(atAlpha).toMatchObject({
      id: beta.identity.public.id,
      address: 'beta.example:7420',
      profiles: [],
      workspaces: [],
      outbound: { profiles: ['query', 'repo-dev'], workspaces: ['app'], ship: false },
    });
    expect(beta.pins.get(alpha.identity.public.id)).toEqual(alpha.identity.public);
    expect(alpha.pins.get(beta.identity.public.id)).toEqual(beta.identity.public);
    expect(beta.authority.listLeases({})).toMatchObject([
      { peer: alpha.identity.public.id, profile: 'repo-dev', workspaces: ['app'], issuedBy: 'person' },
    ]);
    expect(alpha.authority.listLeases({})).toEqual([]);
    expect(beta.text()).toContain('# a comment that stays');
    const actions = beta.database.auditTail(10).map((row) => row.action);
    expect(actions).toEqual(expect.arrayContaining(['peer.paired', 'invite.proved', 'invite.created']));
  });

  it('store nothing before the inviter confirmed, nor when it is refused', async () => {
    const nothing = before();
    const invite = await beta.pairing.createInvite(OFFER);
    expect(beta.pairing.hasOpenInvite()).toBe(true);
    const { watch, join } = await proveOf(invite);
    expect(beta.pairing.hasOpenInvite()).toBe(false);
    expect(before()).toBe(nothing);
    const joined = first(join);
    const refusal = expect(joined).rejects.toMatchObject({ code: 'INVITE_INVALID', message: /refused/ });
    await beta.pairing.confirm(invite.id, false);
    await refusal;
    expect(await first(watch)).toEqual({ kind: 'refused' });
    expect(before()).toBe(nothing);
    await expect(beta.pairing.confirm(invite.id, true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(first(follow(alpha.pairing.join(invite.code, forever())))).rejects.toMatchObject({
      code: 'INVITE_INVALID',
    });
    expect(before()).toBe(nothing);
  });

  it('is not begun at either end while a change of writ.toml waits, which is said with what mends it', async () => {
    const waits = { code: 'CONFLICT', message: 'a change waits for a yes', nextSteps: ['writ policy status'] };
    const invite = await beta.pairing.createInvite(OFFER);
    for (const node of [alpha, beta]) await wish(node);
    await expect(beta.pairing.createInvite(OFFER)).rejects.toMatchObject(waits);
    await expect(first(follow(alpha.pairing.join(invite.code, forever())))).rejects.toMatchObject(waits);
    expect(beta.pairing.hasOpenInvite()).toBe(true);
  });

  it('is told why nothing was stored where a change began to wait meanwhile', async () => {
    const invite = await beta.pairing.createInvite(OFFER);
    const { watch, join } = await proveOf(invite);
    const joined = expect(first(join)).rejects.toMatchObject({
      code: 'INVITE_INVALID',
      message: /told its person why/,
    });
    await wish(beta);
    await expect(beta.pairing.confirm(invite.id, true)).rejects.toMatchObject({ code: 'CONFLICT' });
    await joined;
    expect(await first(watch)).toEqual({
      ...{ kind: 'refused', why: 'the peer could not be stored: a change waits for a yes' },
      nextSteps: ['writ policy status'],
    });
  });

  it('is withdrawn by a no before anybody has proved it', async () => {
    const nothing = before();
    const invite = await beta.pairing.createInvite(OFFER);
    const watch = follow(beta.pairing.watchInvite(invite.id, forever()));
    await beta.pairing.confirm(invite.id, false);
    expect(await first(watch)).toEqual({ kind: 'refused', why: 'it was withdrawn' });
    expect(beta.pairing.hasOpenInvite()).toBe(false);
    await expect(first(follow(alpha.pairing.join(invite.code, forever())))).rejects.toMatchObject({
      code: 'INVITE_INVALID',
    });
    await expect(beta.pairing.confirm(invite.id, false)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(before()).toBe(nothing);
  });

  it('store nothing when the joiner stops waiting', async () => {
    const nothing = before();
    const stop = new AbortController();
    const invite = await beta.pairing.createInvite(OFFER);
    const { watch, join } = await proveOf(invite, alpha, stop.signal);
    const ended = expect(first(join)).rejects.toMatchObject({ code: 'CANCELLED' });
    stop.abort();
    await ended;
    expect(await first(watch)).toEqual({ kind: 'refused', why: 'the joining node went away' });
    await expect(beta.pairing.confirm(invite.id, true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(before()).toBe(nothing);
  });

  it('store nothing when the joiner leaves the loop after the words', async () => {
    const nothing = before();
    const invite = await beta.pairing.createInvite(OFFER);
    const { watch, join } = await proveOf(invite);
    await join.return?.();
    expect(await first(watch)).toMatchObject({ kind: 'refused' });
    expect(before()).toBe(nothing);
  });

  it('store nothing when ten minutes pass before the answer', async () => {
    const nothing = before();
    const invite = await beta.pairing.createInvite(OFFER);
    const { watch, join } = await proveOf(invite);
    const ended = expect(first(join)).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    clock.advance(600_000);
    await ended;
    expect(await first(watch)).toEqual({ kind: 'expired' });
    await expect(beta.pairing.confirm(invite.id, true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(before()).toBe(nothing);
  });

  it('are refused once the code is ten minutes old', async () => {
    const invite = await beta.pairing.createInvite(OFFER);
    const watch = follow(beta.pairing.watchInvite(invite.id, forever()));
    const told = first(watch);
    expect(beta.pairing.hasOpenInvite()).toBe(true);
    clock.advance(600_000);
    expect(await told).toEqual({ kind: 'expired' });
    expect(beta.pairing.hasOpenInvite()).toBe(false);
    await expect(first(follow(alpha.pairing.join(invite.code, forever())))).rejects.toMatchObject({
      code: 'INVITE_INVALID',
    });
    clock.advance(120_000);
    await expect(first(follow(alpha.pairing.join(invite.code, forever())))).rejects.toMatchObject({
      message: 'this invite has expired',
    });
  });

  it('need the secret: of eight that hold it and come at once, one wins', async () => {
    const joiners = await Promise.all(
      Array.from({ length: 8 }, (_, i) => createTestNode(network, clock, `joiner-${i}`)),
    );
    opened.push(...joiners);
    const invite = await beta.pairing.createInvite(OFFER);
    // Every proof is held until all eight are there.
    let arrived = 0;
    let release = (): void => undefined;
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { redeem } = network;
    network.redeem = (target, messages, signal) =>
      redeem(
        target,
        (async function* () {
          for await (const message of messages) {
            if (message.step === 'proof') {
              if (++arrived === joiners.length) release();
              await all;
            }
            yield message;
          }
        })(),
        signal,
      );
    const events = joiners.map((joiner) => follow(joiner.pairing.join(invite.code, forever())));
    const shown = await Promise.allSettled(events.map((one) => first(one)));
    const winners = shown.flatMap((one, i) => (one.status === 'fulfilled' ? [i] : []));
    expect(winners).toHaveLength(1);
    for (const one of shown) if (one.status === 'rejected') expect(one.reason.code).toBe('INVITE_INVALID');
    const joined = first(events[winners[0] ?? 0] as AsyncIterator<JoinEvent>);
    await beta.pairing.confirm(invite.id, true);
    await joined;
    expect([...beta.engine.snapshot().config.peers.keys()]).toEqual([`joiner-${winners[0]}`]);
    expect(joiners.flatMap((joiner) => joiner.pins.list())).toHaveLength(1);
  });

  it('are confirmed once, however often and however fast the inviter answers', async () => {
    const invite = await beta.pairing.createInvite(OFFER);
    const { join } = await proveOf(invite);
    const joined = first(join);
    const answers = await Promise.allSettled([true, true, false].map((yes) => beta.pairing.confirm(invite.id, yes)));
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await joined).toMatchObject({ kind: 'paired' });
    expect(beta.engine.snapshot().config.peers.size).toBe(1);
    expect(beta.authority.listLeases({})).toHaveLength(1);
  });

  it('with a label that is taken get the next one, and a name that is none becomes a label that is one', async () => {
    const other = await createTestNode(network, clock, 'ALPHA');
    const odd = await createTestNode(network, clock, 'odd', { nodeName: 'x";\u202e[peers.evil]\nid = "' });
    const spoof = await createTestNode(network, clock, 'spoof', { nodeName: 'self' });
    opened.push(other, odd, spoof);
    for (const joiner of [alpha, odd, spoof]) await pair(joiner);
    network.nodes.set('alpha.example:7420', alpha);
    await pair(other);
    expect([...beta.engine.snapshot().config.peers.keys()]).toEqual(['alpha', 'peer', 'self-2', 'alpha-2']);
    for (const peer of beta.engine.snapshot().config.peers.values()) expect(parseNodeId(peer.id)).toBe(peer.id);
  });

  it('that are peers already keep what they have and get what the invite adds, in either direction', async () => {
    await pair();
    const back = await alpha.pairing.createInvite({ profiles: ['query'], workspaces: [] });
    const watch = follow<InviteEvent>(alpha.pairing.watchInvite(back.id, forever()));
    const join = follow<JoinEvent>(beta.pairing.join(back.code, forever()));
    const [asked] = await Promise.all([first(watch), first(join)]);
    expect(asked).toMatchObject({ kind: 'proved', label: 'beta' });
    const joined = first(join);
    await alpha.pairing.confirm(back.id, true);
    expect(await joined).toMatchObject({ kind: 'paired', label: 'alpha' });
    const here = beta.engine.snapshot().config.peers.get('alpha');
    expect([...(here?.profiles ?? [])].sort()).toEqual([...OFFER.profiles].sort());
    expect(here?.outbound.profiles).toEqual(['query']);
    const there = alpha.engine.snapshot().config.peers.get('beta');
    expect(there?.profiles).toEqual(['query']);
    expect([...(there?.outbound.profiles ?? [])].sort()).toEqual([...OFFER.profiles].sort());
    expect([beta.pins.list().length, alpha.pins.list().length]).toEqual([1, 1]);
  });

  it('are out with all their work, even where the file cannot be changed', async () => {
    await pair();
    beta.options.config.takeAway = async () => {
      throw new WritError('CONFIG_INVALID', 'line 3 is broken');
    };
    await expect(beta.pairing.remove('alpha')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('trust in `alpha` has ended'),
    });
    expect(beta.pins.list()).toEqual([]);
    expect(beta.endedWork).toEqual([alpha.identity.public.id]);
    expect(beta.authority.listLeases({})).toEqual([]);
  });

  it('meet at the address that the invite names', async () => {
    const invite = await beta.pairing.createInvite({ ...OFFER, address: 'tunnel.example:99' });
    expect(decodeInviteCode(invite.code).address).toBe('tunnel.example:99');
    await expect(beta.pairing.createInvite({ ...OFFER, address: 'no port' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });

  it('cannot be one node', async () => {
    const invite = await beta.pairing.createInvite(OFFER);
    await expect(first(follow(beta.pairing.join(invite.code, forever())))).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('are strangers again after one removed the other: configuration, pin and leases are gone', async () => {
    await pair();
    const removed = await beta.pairing.remove('ALPHA');
    expect(removed).toEqual({ label: 'alpha', generation: 3 });
    expect(beta.engine.snapshot().config.peers.size).toBe(0);
    expect(beta.pins.list()).toEqual([]);
    expect(beta.authority.listLeases({})).toEqual([]);
    expect(beta.database.auditTail(10).map((row) => row.action)).toContain('peer.removed');
    expect(beta.endedWork).toEqual([alpha.identity.public.id]);
    await expect(beta.pairing.remove('alpha')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(beta.pairing.remove(alpha.identity.public.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
