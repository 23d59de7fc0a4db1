import { WritError } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  asksBeta,
  askTrue,
  createPeerLink,
  createPeerServer,
  createScriptedRunner,
  createTestNode,
  NODE_IDS,
  type ScriptedRunner,
  servesAlpha,
  type TestNode,
} from '@writ/testkit/delegation';
import { passUntil } from '@writ/testkit/passing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const { alpha, beta } = NODE_IDS;

const BETA_POLICY = servesAlpha();

const ALPHA_POLICY = asksBeta('query');

type Fault = 'get' | 'apply' | 'end' | 'setUnreachable' | 'setAccepted' | 'write';

let clock: FakeClock;
let runner: ScriptedRunner;
let executing: TestNode;
let asking: TestNode;
let failing: Set<Fault>;
let refused: number;
let callFault: (call: string) => void;

/** Throws as the database or the disk does, while it fails. */
function maybe(fault: Fault): void {
  if (!failing.has(fault)) return;
  refused += 1;
  if (fault === 'write') throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  throw new WritError('DATABASE_ERROR', 'disk full');
}

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  failing = new Set();
  refused = 0;
  callFault = () => undefined;
  executing = await createTestNode({ clock, runner, policy: BETA_POLICY, inMemory: true });
  const { executor } = executing;
  const link = createPeerLink({
    server: createPeerServer({ executor, sender: alpha, clock }),
    call: (call) => void callFault(call),
  });
  asking = await createTestNode({
    ...{ clock, policy: ALPHA_POLICY, selfId: alpha, runner: createScriptedRunner({ clock }), peers: { [beta]: link } },
    wrapMirrors: (mirrors) => ({
      ...mirrors,
      get(tx, id) {
        maybe('get');
        return mirrors.get(tx, id);
      },
      apply(tx, id, event) {
        maybe('apply');
        return mirrors.apply(tx, id, event);
      },
      end(tx, id, outcome) {
        maybe('end');
        return mirrors.end(tx, id, outcome);
      },
      setUnreachable(tx, id, unreachable) {
        maybe('setUnreachable');
        return mirrors.setUnreachable(tx, id, unreachable);
      },
      setAccepted(tx, id) {
        maybe('setAccepted');
        return mirrors.setAccepted(tx, id);
      },
    }),
    wrapTranscripts: (transcripts) => ({
      ...transcripts,
      async write(task, offset, data) {
        maybe('write');
        await transcripts.write(task, offset, data);
      },
    }),
  });
});

afterEach(async () => {
  await asking.close();
  await executing.close();
});

const until = (condition: () => boolean): Promise<void> => passUntil(clock, condition);

async function running(): Promise<string> {
  const { task } = await asking.origin.delegate(askTrue());
  await until(() => asking.origin.get(task.id)?.state === 'running');
  return task.id;
}

describe('a database or disk of the origin that fails for a while', () => {
  it.each<[Fault]>([['apply'], ['write']])('delays what comes back and loses nothing (%s)', async (fault) => {
    const id = await running();
    failing.add(fault);
    const run = await runner.runOf(id);
    run.output('stdout', 'kept');
    run.exit(0);
    await until(() => refused >= 3);
    expect(asking.origin.get(id)).toMatchObject({ state: 'running', unreachable: false });
    failing.clear();
    await until(() => asking.origin.get(id)?.state === 'completed');
    expect(Buffer.from((await asking.origin.readTranscript(id, 0, 10)).data).toString()).toBe('kept');
  });

  it.each<[Fault]>([['get'], ['setUnreachable']])(
    'does not end the following of a link that breaks (%s)',
    async (fault) => {
      const id = await running();
      callFault = () => {
        throw new WritError('UNREACHABLE', 'the link is down');
      };
      failing.add(fault);
      (await runner.runOf(id)).exit(0);
      failing.add('apply');
      await until(() => refused >= 3);
      failing.clear();
      callFault = () => undefined;
      await until(() => asking.origin.get(id)?.state === 'completed');
    },
  );

  it('keeps the answer of the executor until it can be stored, and asks no second time', async () => {
    failing.add('end');
    let submits = 0;
    callFault = (call) => {
      if (call === 'submit') submits += 1;
      throw new WritError('WRIT_INVALID', 'the writ is not good');
    };
    const { task } = await asking.origin.delegate(askTrue());
    await until(() => refused >= 3);
    failing.clear();
    await until(() => asking.origin.get(task.id)?.state === 'failed');
    expect(asking.origin.get(task.id)?.outcome?.code).toBe('WRIT_INVALID');
    expect(submits).toBe(1);
  });

  it('lets no cancel wait, says why, and carries it out', async () => {
    const id = await running();
    failing.add('apply');
    const cancel = asking.origin.cancel(id, 'person');
    const told = expect(cancel).rejects.toMatchObject({ code: 'DATABASE_ERROR' });
    await until(() => refused >= 1);
    await told;
    failing.clear();
    await until(() => asking.origin.get(id)?.state === 'cancelled');
  });
});
