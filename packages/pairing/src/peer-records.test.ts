import { createFakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Admission, createPeerRecords } from './peer-records.ts';
import { createTestNetwork, createTestNode, type Power, type TestNode } from './testing/test-node.ts';

const clock = createFakeClock(1_800_000_000_000);
const network = createTestNetwork();
let peer: TestNode;
let node: TestNode;
beforeEach(async () => {
  peer = await createTestNode(network, clock, 'alpha');
  node = await createTestNode(network, clock, 'beta');
});
afterEach(() => {
  for (const { close } of [peer, node]) close();
});

const admission = (more: Partial<Admission['peer']> = {}): Admission => ({
  pin: peer.identity.public,
  name: 'alpha',
  peer: {
    profiles: ['query', 'repo-dev'],
    workspaces: ['app'],
    outbound: { profiles: ['query'], workspaces: [] },
    ...more,
  },
  leaseMs: 3_600_000,
  via: 'invite',
});

/** What the node holds of peers. */
const stateOf = ({ text, pins, authority, database, options }: TestNode) => ({
  text: text().trimEnd(),
  pins: pins.list(),
  leases: authority.listLeases({}).map(({ peer: id, profile }) => [id, profile]),
  paired: database.auditTail(100).filter(({ action }) => action === 'peer.paired').length,
  removed: database.auditTail(100).filter(({ action }) => action === 'peer.removed').length,
  unsettled: database.withReadTx((tx) => options.intents.peers(tx)),
});

/** Goes off so many steps after `last` says so. */
function createPower(): Power & { readonly off: Promise<'off'>; last(steps: number): void } {
  let left = Number.POSITIVE_INFINITY;
  let goOff: (how: 'off') => void = () => undefined;
  const off = new Promise<'off'>((resolve) => {
    goOff = resolve;
  });
  const isOff = (): boolean => {
    if (left-- > 0) return false;
    goOff('off');
    return true;
  };
  return {
    isOff,
    off,
    on: () => (isOff() ? new Promise(() => undefined) : Promise.resolve()),
    last(steps) {
      left = steps;
    },
  };
}

type Change = (at: TestNode) => Promise<unknown>;

/** The state after a kill at each step of the change and a start, each from the same beginning; the last one is whole. */
async function killedAtEachStep(prepare: Change, change: Change) {
  const states: ReturnType<typeof stateOf>[] = [];
  for (let steps = 0; ; steps++) {
    const power = createPower();
    const killed = await createTestNode(network, clock, 'beta', { power });
    await prepare(killed);
    power.last(steps);
    const ended = await Promise.race([change(killed).catch(() => 'off'), power.off]);
    const started = await createTestNode(network, clock, 'beta', { earlier: killed });
    await started.pairing.recover();
    states.push(stateOf(started));
    started.close();
    if (ended !== 'off') return states;
  }
}

const admit = (what: Admission) => (at: TestNode) => createPeerRecords(at.options).admit(what);

describe('a peer', () => {
  it('is whole or none after a kill at any step of its pairing', async () => {
    const before = stateOf(node);
    const states = await killedAtEachStep(async () => undefined, admit(admission()));
    const whole = states.at(-1);
    expect(whole).toMatchObject({ paired: 1, pins: [peer.identity.public], unsettled: [] });
    expect(whole?.leases).toEqual([[peer.identity.public.id, 'repo-dev']]);
    expect(whole?.text).toContain('[peers.alpha]');
    expect(states.length).toBeGreaterThan(10);
    for (const [at, state] of states.entries()) {
      expect(state, `after ${at} steps`).toEqual(state.paired === 1 ? whole : before);
    }
  });

  it('keeps what it had, and only that, after a kill while it gets more', async () => {
    const little = admission({ profiles: [], workspaces: [], outbound: { profiles: [], workspaces: [] } });
    await admit(little)(node);
    const before = stateOf(node);
    const states = await killedAtEachStep(admit(little), admit(admission()));
    expect(states.at(-1)).toMatchObject({ paired: 2, unsettled: [] });
    for (const [at, state] of states.entries()) {
      expect(state, `after ${at} steps`).toEqual(state.paired === 2 ? states.at(-1) : before);
    }
  });

  it('is gone whole after a kill at any step of its removal but before the first', async () => {
    const before = stateOf(node);
    const states = await killedAtEachStep(admit(admission()), (at) => at.pairing.remove('alpha'));
    expect(states[0]).toMatchObject({ paired: 1, removed: 0, pins: [peer.identity.public] });
    for (const [at, state] of states.entries()) {
      if (at > 0) expect(state, `after ${at} steps`).toEqual({ ...before, paired: 1, removed: 1 });
    }
  });

  it('gets nothing back that a person took away while it was shown to them', async () => {
    await admit(admission())(node);
    const { config } = node.options;
    const edit = config.edit;
    config.edit = async (change) => {
      config.edit = edit;
      await config.takeAway((text) =>
        text
          .replace('profiles = ["query", "repo-dev"]\nworkspaces = ["app"]', 'profiles = ["query"]\nworkspaces = []')
          .replace('profiles = ["query"]\nworkspaces = []\n\n', 'profiles = []\nworkspaces = []\n'),
      );
      return edit(change);
    };
    await admit(admission({ profiles: ['query'], workspaces: [], outbound: { profiles: [], workspaces: [] } }))(node);
    expect(node.engine.snapshot().config.peers.get('alpha')).toMatchObject({ profiles: ['query'], workspaces: [] });
  });

  it('loses what was added and nothing else where it cannot be stored', async () => {
    await admit(admission({ profiles: ['query'], workspaces: [] }))(node);
    const { config } = node.options;
    const edit = config.edit;
    config.edit = async (change) => {
      const done = await edit(change);
      // A person takes something away before the lease is refused.
      await config.takeAway((text) =>
        text.replace('profiles = ["query"]\nworkspaces = []', 'profiles = []\nworkspaces = []'),
      );
      return done;
    };
    const refusing = createPeerRecords({
      ...node.options,
      authority: {
        ...node.authority,
        grantLeaseIn: () => {
          throw new Error('no');
        },
      },
    });
    await expect(refusing.admit(admission())).rejects.toThrow('no');
    const { profiles, workspaces, outbound } = node.engine.snapshot().config.peers.get('alpha') ?? {};
    expect({ profiles, workspaces, outbound }).toMatchObject({
      profiles: ['query'],
      workspaces: [],
      outbound: { profiles: [] },
    });
    expect(stateOf(node)).toMatchObject({ paired: 1, unsettled: [] });
  });

  it('that was pinned before keeps its pin where it cannot be stored, and a fault in storing the pin takes back', async () => {
    const failing: TestNode['options']['pins'] = {
      ...node.options.pins,
      put: async (pin) => {
        await node.pins.put(pin);
        throw new Error('no space');
      },
    };
    const before = stateOf(node);
    await expect(createPeerRecords({ ...node.options, pins: failing }).admit(admission())).rejects.toThrow('no space');
    expect(stateOf(node)).toEqual(before);
    await admit(admission())(node);
    await expect(createPeerRecords({ ...node.options, pins: failing }).admit(admission())).rejects.toThrow('no space');
    expect(node.pins.list()).toEqual([peer.identity.public]);
  });
});
