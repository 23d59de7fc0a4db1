import { WritError } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  asksBeta,
  askTrue,
  createScriptedRunner,
  createTestNode,
  NODE_IDS,
  type TestNode,
} from '@writ/testkit/delegation';
import { passUntil } from '@writ/testkit/passing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTellingExecutor, type TellingExecutor } from '../../testing/telling-executor.ts';

const { alpha, beta } = NODE_IDS;
const POLICY = asksBeta('query');
const DAY_MS = 86_400_000;

let clock: FakeClock;
let other: TellingExecutor;
let asking: TestNode;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  other = await createTellingExecutor(clock);
  other.tell({ inline: ({ envelope }) => envelope });
  asking = await createAsking();
});

afterEach(async () => {
  await asking.close();
  await other.close();
});

function createAsking(dir?: string): Promise<TestNode> {
  return createTestNode({
    ...{ clock, policy: POLICY, selfId: alpha, runner: createScriptedRunner({ clock }) },
    peers: { [beta]: other.client },
    ...(dir === undefined ? {} : { dir }),
  });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const until = (condition: () => boolean): Promise<void> => passUntil(clock, condition, 50);

async function completed(): Promise<string> {
  const { task } = await asking.origin.delegate(askTrue());
  await until(() => asking.origin.get(task.id)?.state === 'completed');
  return task.id;
}

const isAcknowledged = (id: string): boolean => asking.origin.result(id)?.acknowledgedAtMs !== undefined;

describe('a receipt', () => {
  it('goes out once the result is kept, and no more after it was stored', async () => {
    const id = await completed();
    await until(() => isAcknowledged(id));
    for (let i = 0; i < 50; i++) await turn();
    expect(other.receipts).toEqual([id]);
  });

  it('goes out again until its peer says that it is stored', async () => {
    let tries = 0;
    other.onReceipt = () => {
      tries += 1;
      if (tries < 3) throw new WritError('UNREACHABLE', 'the link is down');
      return true;
    };
    const id = await completed();
    await until(() => isAcknowledged(id));
    expect(tries).toBe(3);
  });

  it('goes out after a restart', async () => {
    other.onReceipt = () => {
      throw new WritError('UNREACHABLE', 'the link is down');
    };
    const id = await completed();
    await turn();
    await asking.kill();
    other.onReceipt = () => true;
    asking = await createAsking(asking.dir);
    expect(isAcknowledged(id)).toBe(false);
    await asking.origin.recover();
    await until(() => isAcknowledged(id));
    expect(other.receipts).toEqual([id]);
  });

  it('goes out together with others that wait', async () => {
    let down = true;
    const batches: number[] = [];
    const { client } = other;
    const { acknowledge } = client;
    Object.assign(client, {
      acknowledge: (receipts: Parameters<typeof acknowledge>[0]) => {
        if (down) throw new WritError('UNREACHABLE', 'the link is down');
        batches.push(receipts.length);
        return acknowledge(receipts);
      },
    });
    const ids = [await completed(), await completed(), await completed()];
    down = false;
    await until(() => ids.every(isAcknowledged));
    expect(batches).toEqual([3]);
  });

  it('does not keep others waiting that its peer refuses to store', async () => {
    const refused = new Set<string>();
    other.onReceipt = (task) => {
      if (refused.size === 0) refused.add(task);
      return !refused.has(task);
    };
    const [first, second] = [await completed(), await completed()];
    await until(() => isAcknowledged(second));
    expect(isAcknowledged(first)).toBe(false);
    refused.clear();
    other.onReceipt = () => true;
    await until(() => isAcknowledged(first));
  });

  it.each([
    ['leaves it out of what it has stored', () => false],
    [
      'cannot read it',
      () => {
        throw new WritError('BAD_REQUEST', 'no receipt');
      },
    ],
  ])('is offered no more, and that is told, once its peer %s for a day', async (_, answer) => {
    const offered: string[] = [];
    other.onReceipt = (task) => {
      offered.push(task);
      return answer();
    };
    const id = await completed();
    await until(() => offered.length > 0);
    for (const passedMs of [DAY_MS - 3_600_000, 60_000]) {
      const before = offered.length;
      clock.advance(passedMs);
      await until(() => offered.length > before);
      expect(asking.origin.result(id)?.refusedAtMs).toBeUndefined();
    }
    clock.advance(3_600_000);
    await until(() => asking.origin.result(id)?.refusedAtMs !== undefined);
    expect(asking.origin.result(id)?.acknowledgedAtMs).toBeUndefined();
    expect(asking.database.auditTail(5)).toContainEqual(
      expect.objectContaining({ action: 'mirror.receipt-refused', subject: id }),
    );

    const before = offered.length;
    await asking.kill();
    asking = await createAsking(asking.dir);
    await asking.origin.recover();
    const next = await completed();
    await until(() => offered.length > before + 1);
    expect(new Set(offered.slice(before))).toEqual(new Set([next]));
  });

  it.each(['PEER_UNKNOWN', 'PEER_DISABLED'] as const)('is owed to a peer that answers %s, for days', async (code) => {
    let tries = 0;
    other.onReceipt = () => {
      tries += 1;
      throw new WritError(code, 'no peer of this node');
    };
    const id = await completed();
    for (let day = 0; day < 3; day++) {
      const before = tries;
      clock.advance(DAY_MS);
      await until(() => tries > before);
    }
    expect(asking.origin.result(id)?.refusedAtMs).toBeUndefined();
    other.onReceipt = () => true;
    await until(() => isAcknowledged(id));
  });

  it('is not refused for good while its peer is away', async () => {
    let tries = 0;
    let isAway = false;
    other.onReceipt = () => {
      tries += 1;
      if (isAway) throw new WritError('UNREACHABLE', 'the link is down');
      return false;
    };
    const oneMoreTry = async (): Promise<void> => {
      const before = tries;
      await until(() => tries > before);
    };
    const id = await completed();
    await oneMoreTry();
    isAway = true;
    await oneMoreTry();
    clock.advance(2 * DAY_MS);
    await oneMoreTry();
    isAway = false;
    await oneMoreTry();
    await oneMoreTry();
    expect(asking.origin.result(id)?.refusedAtMs).toBeUndefined();
    clock.advance(DAY_MS);
    await until(() => asking.origin.result(id)?.refusedAtMs !== undefined);
  });

  it('goes out although its peer can read none that is together with a certain other one', async () => {
    other.onReceipt = () => {
      throw new WritError('UNREACHABLE', 'the link is down');
    };
    const ids = [await completed(), await completed(), await completed(), await completed(), await completed()];
    const [first, second, bad = '', ...others] = ids;
    let tries = 0;
    other.onReceipt = (task) => {
      if (task !== bad) return true;
      tries += 1;
      throw new WritError('BAD_REQUEST', 'no receipt');
    };
    const isStored = (id = ''): boolean => isAcknowledged(id);
    await until(() => [first, second, ...others].every(isStored));
    expect(isAcknowledged(bad)).toBe(false);
    clock.advance(DAY_MS);
    const before = tries;
    await until(() => asking.origin.result(bad)?.refusedAtMs !== undefined);
    expect(tries).toBeGreaterThan(before);
    expect(ids.filter((id) => asking.origin.result(id)?.refusedAtMs !== undefined)).toEqual([bad]);
  });

  it('waits for a peer that is none for a while', async () => {
    other.onReceipt = () => {
      throw new WritError('PEER_UNKNOWN', 'no peer of this node');
    };
    const id = await completed();
    await asking.engine.reload(POLICY.slice(0, POLICY.indexOf('[peers')), { acceptWidening: true });
    for (let i = 0; i < 50; i++) {
      await turn();
      clock.advance(60_000);
    }
    other.onReceipt = () => true;
    expect(other.receipts).toEqual([]);
    await asking.engine.reload(POLICY, { acceptWidening: true });
    await until(() => isAcknowledged(id));
  });
});
