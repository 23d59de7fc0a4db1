import { WritError } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PeerConsent, PeerQuestion } from './consent.ts';
import { createTestNetwork, createTestNode, type TestNetwork, type TestNode } from './testing/test-node.ts';
import type { InviteEvent, JoinEvent } from './types.ts';

const OFFER = { profiles: ['query', 'repo-dev'], workspaces: ['app'], leaseMs: 8 * 3_600_000 };
const forever = (): AbortSignal => new AbortController().signal;

/** An approver who answers when the test says so. */
interface Approver extends PeerConsent {
  readonly asked: PeerQuestion[];
  readonly takenBack: string[];
  isThere: boolean;
  fault: WritError | undefined;
  say(yes: boolean): void;
}

function createApprover(): Approver {
  let settle: (yes: boolean) => void = () => {};
  const approver: Approver = {
    ...{ asked: [], takenBack: [], isThere: true, fault: undefined },
    say: (yes) => settle(yes),
    isNeeded: () => approver.isThere,
    ask(question) {
      if (approver.fault) throw approver.fault;
      approver.asked.push(question);
      return `question ${approver.asked.length}`;
    },
    answer: (id, signal) =>
      new Promise((resolve) => {
        settle = resolve;
        const takeBack = (): void => {
          approver.takenBack.push(id);
          resolve(false);
        };
        if (signal.aborted) takeBack();
        signal.addEventListener('abort', takeBack);
      }),
  };
  return approver;
}

let clock: FakeClock;
let network: TestNetwork;
let beta: TestNode;
let alpha: TestNode;
let atBeta: Approver;
let atAlpha: Approver;
beforeEach(async () => {
  clock = createFakeClock(1_800_000_000_000);
  network = createTestNetwork();
  [atBeta, atAlpha] = [createApprover(), createApprover()];
  atAlpha.isThere = false;
  beta = await createTestNode(network, clock, 'Beta', { consent: atBeta });
  alpha = await createTestNode(network, clock, 'alpha', { consent: atAlpha });
});
afterEach(() => {
  for (const node of [alpha, beta]) node.close();
});

const next = async <T>(events: AsyncIterator<T>): Promise<T> => {
  const { value, done } = await events.next();
  if (done) throw new Error('ended early');
  return value;
};
const prove = async (leave = forever()) => {
  const invite = await beta.pairing.createInvite(OFFER);
  const watch = beta.pairing.watchInvite(invite.id, forever())[Symbol.asyncIterator]() as AsyncIterator<InviteEvent>;
  const join = alpha.pairing.join(invite.code, leave)[Symbol.asyncIterator]() as AsyncIterator<JoinEvent>;
  const [seen, shown] = await Promise.all([next(watch), next(join)]);
  return { invite, watch, join, seen, shown };
};
const peersOf = (node: TestNode) => [[...node.engine.snapshot().config.peers.keys()], node.pins.list()];

describe('a joiner, where an approver answers', () => {
  it('is stored by the yes of the approver, who was asked about all of it', async () => {
    const { watch, join, seen, shown } = await prove();
    expect(seen).toMatchObject({ kind: 'proved', approval: 'question 1' });
    expect(atBeta.asked).toMatchObject([
      {
        ...{ peerId: alpha.identity.public.id, certificatePem: alpha.identity.public.certificatePem, label: 'alpha' },
        ...{ profiles: OFFER.profiles, workspaces: OFFER.workspaces, leaseMs: OFFER.leaseMs, via: 'invite' },
        ...{ words: 'words' in shown ? shown.words : '', outbound: { profiles: [], workspaces: [] } },
      },
    ]);
    expect(peersOf(beta)).toEqual([[], []]);
    const joined = next(join);
    atBeta.say(true);
    expect(await joined).toMatchObject({ kind: 'paired' });
    expect(await next(watch)).toMatchObject({ kind: 'paired', label: 'alpha' });
  });

  it('is not stored by a yes of the machine, nor by a no', async () => {
    const { invite, watch, join } = await prove();
    await expect(beta.pairing.confirm(invite.id, true)).rejects.toMatchObject({ code: 'NOT_APPROVER' });
    const joined = next(join);
    atBeta.say(false);
    await expect(joined).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    expect(await next(watch)).toMatchObject({ kind: 'refused' });
    expect(peersOf(beta)).toEqual([[], []]);
  });

  it('takes its question along when it leaves, is refused here, or the invite ends', async () => {
    const leave = new AbortController();
    const left = await prove(leave.signal);
    const gone = next(left.join).catch((error: WritError) => error.code);
    leave.abort();
    expect(await gone).toBe('CANCELLED');
    expect(await next(left.watch)).toMatchObject({ kind: 'refused', why: 'the joining node went away' });
    expect(atBeta.takenBack).toEqual(['question 1']);

    const refused = await prove();
    const answer = next(refused.join).catch((error: WritError) => error.code);
    await beta.pairing.confirm(refused.invite.id, false);
    expect(await answer).toBe('INVITE_INVALID');
    expect(atBeta.takenBack).toEqual(['question 1', 'question 2']);
    // The answer comes too late for anything.
    atBeta.say(true);
    expect(peersOf(beta)).toEqual([[], []]);
  });

  it('is refused where nobody can be asked, with the reason for the inviter', async () => {
    atBeta.fault = new WritError('LIMIT_EXCEEDED', '8 questions wait');
    const { seen, join } = await prove();
    expect(seen).toEqual({ kind: 'refused', why: '8 questions wait' });
    await expect(next(join)).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    expect(peersOf(beta)).toEqual([[], []]);
  });
});

describe('a node that joins, where an approver answers', () => {
  beforeEach(() => {
    atAlpha.isThere = true;
  });

  it('stores the inviter after both persons said yes, for what it offered', async () => {
    const { join } = await prove();
    atBeta.say(true);
    expect(await next(join)).toMatchObject({ kind: 'asked', label: 'beta', approval: 'question 1' });
    expect(peersOf(alpha)).toEqual([[], []]);
    expect(atAlpha.asked).toMatchObject([
      { peerId: beta.identity.public.id, via: 'join', profiles: [], outbound: { profiles: OFFER.profiles } },
    ]);
    const joined = next(join);
    atAlpha.say(true);
    expect(await joined).toMatchObject({ kind: 'paired', label: 'beta' });
  });

  it('stores nothing after a no, and says what is left at the other end', async () => {
    const { join } = await prove();
    atBeta.say(true);
    await next(join);
    const joined = next(join);
    atAlpha.say(false);
    await expect(joined).rejects.toMatchObject({
      code: 'NOT_APPROVER',
      nextSteps: [expect.stringContaining('writ peer remove')],
    });
    expect(peersOf(alpha)).toEqual([[], []]);
  });
});
