import { appendFileSync } from 'node:fs';
import { WritError } from '@writ/core';
import type { UnsignedResult } from '@writ/evidence';
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

let clock: FakeClock;
let other: TellingExecutor;
let asking: TestNode;
/** What this node's own disk and database do. */
let ownFault: 'none' | 'disk' | 'database';
let faults: number;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  other = await createTellingExecutor(clock);
  ownFault = 'none';
  faults = 0;
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
    wrapMirrors: (mirrors) => ({
      ...mirrors,
      apply(tx, id, event) {
        if (ownFault === 'database' && event.kind === 'outcome') {
          faults += 1;
          throw new WritError('DATABASE_ERROR', 'disk full');
        }
        return mirrors.apply(tx, id, event);
      },
    }),
    wrapEvidence: (kit) => ({
      ...kit,
      content: {
        ...kit.content,
        async put(bytes, maxBytes) {
          if (ownFault === 'disk') {
            faults += 1;
            throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
          }
          return kit.content.put(bytes, maxBytes);
        },
      },
    }),
  });
}

/** Begins a task whose result has two artifacts of ten pieces each, a hundred bytes long. */
async function begin(): Promise<{ id: string; first: string; second: string }> {
  const [one, two] = [other.serve(Buffer.alloc(1000, 1)), other.serve(Buffer.alloc(1000, 2))];
  const artifacts = [
    { name: 'one', ...one },
    { name: 'two', ...two },
  ];
  other.tell({
    result: (honest: UnsignedResult) => ({ ...honest, artifacts, children: [other.child(honest)] }),
    output: 'hello',
  });
  other.pieceBytes = 100;
  const { task } = await asking.origin.delegate(askTrue());
  return { id: task.id, first: one.sha256, second: two.sha256 };
}

const state = (id: string): string | undefined => asking.origin.get(id)?.state;

const until = (condition: () => boolean, stepMs = 20): Promise<void> => passUntil(clock, condition, stepMs);

/** Bytes from each offset on at which a fetch of this content began. */
const offsets = (sha256: string): number[] =>
  other.fetched.filter((one) => one.sha256 === sha256).map(({ offset }) => offset);

const broken = (): WritError => new WritError('UNREACHABLE', 'the link is down');

describe('a result whose way breaks', () => {
  it.each([0, 100, 500, 900])('goes on at byte %i of its content', async (at) => {
    let breaks = 2;
    other.onPiece = (sha256, offset) => {
      if (sha256 === task.first && offset === at && breaks-- > 0) throw broken();
    };
    const task = await begin();
    await until(() => state(task.id) === 'completed');
    expect([offsets(task.first), offsets(task.second)]).toEqual([[0, at, at], [0]]);
  });

  it('goes on inside its envelope, and inside a nested one', async () => {
    let breaks = 0;
    other.onPiece = (sha256, offset) => {
      const isContent = sha256 === task.first || sha256 === task.second;
      if (isContent || offset !== 500 || breaks === 4) return;
      breaks += 1;
      throw broken();
    };
    const task = await begin();
    await until(() => state(task.id) === 'completed');
    const envelopes = [...new Set(other.fetched.map(({ sha256 }) => sha256))].slice(0, 2);
    expect(envelopes.flatMap(offsets).sort((a, b) => a - b)).toEqual([0, 0, 500, 500, 500, 500]);
  });

  it('fetches nothing twice when its link breaks before every piece', async () => {
    const seen = new Set<string>();
    other.onPiece = (sha256, offset) => {
      if (seen.has(`${sha256} ${offset}`)) return;
      seen.add(`${sha256} ${offset}`);
      throw broken();
    };
    const task = await begin();
    await until(() => state(task.id) === 'completed');
    expect(offsets(task.second)).toEqual([0, 0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
  });

  it('shows what came before, and that the link is down', async () => {
    other.onPiece = (sha256) => {
      if (sha256 === task.first && down) throw broken();
    };
    let down = true;
    const task = await begin();
    await until(() => asking.origin.get(task.id)?.unreachable === true);
    expect(asking.origin.get(task.id)).toMatchObject({ state: 'running', cursor: 2 });
    down = false;
    await until(() => state(task.id) === 'completed');
    expect(asking.origin.get(task.id)).toMatchObject({ unreachable: false });
  });

  it('is asked for again where its stream is silent', async () => {
    let silent = true;
    other.onPiece = (sha256, offset) => {
      if (sha256 !== task.first || offset !== 300 || !silent) return;
      silent = false;
      // Until the origin gives it up.
      return new Promise((_, reject) => void clock.setTimer(60_001, () => reject(broken())));
    };
    const task = await begin();
    await until(() => state(task.id) === 'completed', 1000);
    expect(offsets(task.first)).toEqual([0, 300]);
  });

  it('goes on where a cancel interrupts it', async () => {
    let held: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      held = resolve;
    });
    let waiting = false;
    other.onPiece = async (sha256, offset) => {
      if (sha256 !== task.first || offset !== 500 || waiting) return;
      waiting = true;
      await gate;
    };
    const task = await begin();
    await until(() => waiting);
    const cancelling = asking.origin.cancel(task.id, 'tester');
    held();
    await until(() => state(task.id) === 'completed');
    expect((await cancelling).state).toBe('completed');
    expect(offsets(task.first).filter((at) => at < 500)).toEqual([0]);
  });
});

describe('a node that cannot keep a result', () => {
  it.each(['disk', 'database'] as const)('is only delayed by its %s', async (fault) => {
    ownFault = fault;
    const task = await begin();
    await until(() => faults > 2);
    expect(asking.origin.get(task.id)).toMatchObject({ state: 'running', unreachable: false });
    ownFault = 'none';
    await until(() => state(task.id) === 'completed');
    expect(asking.origin.result(task.id)?.result.artifacts).toHaveLength(2);
  });

  it('does not fetch content again after it died between fetching and storing', async () => {
    ownFault = 'database';
    const task = await begin();
    await until(() => faults > 0);
    await asking.kill();
    ownFault = 'none';
    asking = await createAsking(asking.dir);
    await asking.origin.recover();
    await until(() => state(task.id) === 'completed');
    expect([offsets(task.first), offsets(task.second)]).toEqual([[0], [0]]);
    expect((await asking.origin.verify(task.id)).result.artifacts).toHaveLength(2);
  });

  it('says that something kept is not what was signed any more', async () => {
    const task = await begin();
    await until(() => state(task.id) === 'completed');
    await asking.evidence.content.remove(task.second);
    await expect(asking.origin.verify(task.id)).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
    await expect(asking.origin.readContent(task.id, task.second, 0, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    appendFileSync(await asking.evidence.content.pathOf(task.first), 'x');
    await expect(asking.origin.readContent(task.id, task.first, 0, 1)).rejects.toMatchObject({
      code: 'EVIDENCE_INVALID',
    });
  });
});
