import { signSessionEnd } from '@writ/evidence';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  createPeerLink,
  createPeerServer,
  createScriptedRunner,
  createTestNode,
  type LinkCall,
  type LinkFault,
  NODE_IDS,
  type PeerLink,
  type ScriptedRunner,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DelegateRequest } from '../../types.ts';

const { alpha, beta, gamma } = NODE_IDS;
const HOUR_MS = 3_600_000;

const BETA_POLICY = `schema = 1
[node]
name = "beta"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[profiles.asked]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
require_approval = true
[profiles.lent]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
require_lease = true
[peers.alpha]
id = "${alpha}"
profiles = ["query", "asked", "lent"]
may_request_lease = true
[peers.gamma]
id = "${gamma}"
address = "127.0.0.1:1"
`;

const ALPHA_POLICY = `schema = 1
[node]
name = "alpha"
[profiles.local]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[self]
profiles = ["local"]
[peers.beta]
id = "${beta}"
address = "127.0.0.1:1"
[peers.beta.outbound]
profiles = ["query", "asked"]
`;

let clock: FakeClock;
let runner: ScriptedRunner;
let executing: TestNode;
let asking: TestNode;
let link: PeerLink;
let fault: (call: LinkCall, nth: number) => LinkFault | undefined;
/** What beta told gamma. */
let forwarded: Uint8Array[];

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  fault = () => undefined;
  forwarded = [];
  executing = await createExecuting();
  link = createLink();
  asking = await createAsking();
});

afterEach(async () => {
  await asking.close();
  await executing.close();
});

function createExecuting(dir?: string): Promise<TestNode> {
  const dead = async (): Promise<never> => {
    throw new Error('not asked');
  };
  const peer = {
    ...{
      submit: dead,
      cancel: dead,
      renew: dead,
      reply: dead,
      readTranscript: dead,
      getResult: dead,
      workspaceCommits: dead,
    },
    ...{ upload: dead, acknowledge: dead, requestLease: dead },
    async *watch() {},
    async *fetch() {},
    endSession: async (statement: Uint8Array) => void forwarded.push(statement),
  };
  return createTestNode({
    ...{ clock, runner, policy: BETA_POLICY, enrol: true, peers: { [gamma]: peer } },
    ...(dir === undefined ? {} : { dir }),
  });
}

function createLink(): PeerLink {
  return createPeerLink({
    server: createPeerServer({
      ...{ executor: executing.executor, sender: alpha, clock },
      endSession: (statement) => executing.origin.takeSessionEnd(alpha, statement),
      requestLease: (request) => executing.requestLease(request),
    }),
    call: (call, nth) => fault(call, nth),
  });
}

function createAsking(dir?: string): Promise<TestNode> {
  return createTestNode({
    ...{ clock, policy: ALPHA_POLICY, selfId: alpha, runner: createScriptedRunner({ clock }), peers: { [beta]: link } },
    ...(dir === undefined ? {} : { dir }),
  });
}

/** The process of beta dies and comes back on the same files. */
async function restartBeta(): Promise<void> {
  await executing.kill();
  runner = createScriptedRunner({ clock });
  executing = await createExecuting(executing.dir);
  await executing.executor.recover();
  await executing.origin.recover();
  link.down();
  const fresh = createLink();
  Object.assign(link, fresh);
}

function wish(more: Partial<DelegateRequest> = {}): DelegateRequest {
  const input = { kind: 'argv', argv: ['true'] } as const;
  return { to: 'beta', spec: { input, profile: 'asked' }, session: 's1', agent: 'tester', ...more };
}

async function delegate(more: Partial<DelegateRequest> = {}): Promise<string> {
  const answer = await asking.origin.delegate(wish(more));
  if (!answer.accepted) throw new Error(`${answer.decision.code}: ${answer.decision.message}`);
  return answer.task.id;
}

/** Lets timers go by until `is` holds. */
async function until(what: string, is: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2000; turn++) {
    if (is()) return;
    await new Promise((resolve) => setImmediate(resolve));
    if (turn % 20 === 19) clock.advance(500);
  }
  throw new Error(`${what} did not come`);
}

const stateAt = (task: string): string => {
  const { state, outcome } = asking.origin.get(task) ?? {};
  return `${state} ${outcome?.code ?? ''}`.trim();
};
const ended = async (task: string): Promise<string> => {
  await until('the end', () => asking.origin.get(task)?.outcome !== undefined);
  return stateAt(task);
};
const waits = (task: string): Promise<void> => until('the question', () => asking.origin.waitsFor(task) !== undefined);
const sessionAt = (node: TestNode) => node.database.withReadTx((tx) => node.person.sessions.get(tx, alpha, 's1'));
const owed = (node: TestNode) => node.database.withReadTx((tx) => node.person.sessions.listOwedEnds(tx, { limit: 9 }));

describe('a task that waits for a person of another node', () => {
  it('says so to whoever asked, at once and later, and runs after the yes', async () => {
    const answer = await asking.origin.delegate(wish());
    expect(answer).toMatchObject({ accepted: true, task: { state: 'waiting' } });
    const task = answer.task.id;
    await waits(task);
    const approval = executing.executor.waitsFor(task)?.approval ?? '';
    expect(asking.origin.waitsFor(task)).toMatchObject({
      ...{ approval, code: 'APPROVAL_REQUIRED', message: expect.stringContaining('approved by a person') },
      answerByMs: expect.any(Number),
    });
    expect(executing.person.gate.approvals.get(approval)).toMatchObject({ origin: alpha, requestedBy: alpha });
    executing.person.answer(approval, 'approve');
    (await runner.runOf(task)).exit(0);
    expect(await ended(task)).toBe('completed');
    expect(asking.origin.waitsFor(task)).toBeUndefined();
  });

  it('brings the no back as a signed result', async () => {
    const task = await delegate();
    await waits(task);
    executing.person.answer(asking.origin.waitsFor(task)?.approval ?? '', 'deny');
    expect(await ended(task)).toBe('rejected APPROVAL_REQUIRED');
    expect(asking.origin.result(task)?.result.outcome).toMatchObject({ state: 'rejected', code: 'APPROVAL_REQUIRED' });
  });

  it('waits on through a break of the link, and its writ is renewed meanwhile', async () => {
    const task = await delegate();
    await waits(task);
    link.down();
    await until('the break', () => asking.origin.get(task)?.unreachable === true);
    link.up();
    await until('the link', () => asking.origin.get(task)?.unreachable === false);
    const before = executing.executor.get(task)?.bounds.writExpiresAtMs ?? 0;
    for (let at = 0; at < 3; at++) {
      clock.advance(HOUR_MS / 2 + 1000);
      await until('a renewal', () => (executing.executor.get(task)?.bounds.writExpiresAtMs ?? 0) > before);
    }
    await until('the last renewal', () => (executing.executor.get(task)?.bounds.writExpiresAtMs ?? 0) > clock.nowMs());
    executing.person.answer(asking.origin.waitsFor(task)?.approval ?? '', 'approve');
    (await runner.runOf(task)).exit(0);
    expect(await ended(task)).toBe('completed');
  });

  it('waits on when its executor dies, and can be answered then', async () => {
    const task = await delegate();
    await waits(task);
    const approval = asking.origin.waitsFor(task)?.approval ?? '';
    await restartBeta();
    expect(executing.executor.get(task)?.state).toBe('waiting');
    expect(executing.person.answer(approval, 'approve').decided).toBe(true);
    (await runner.runOf(task)).exit(0);
    expect(await ended(task)).toBe('completed');
  });

  it('starts after its executor died between the yes and the start', async () => {
    await executing.close();
    executing = await createExecuting();
    Object.assign(link, createLink());
    // Every slot is taken, so that the yes cannot be followed at once.
    const others = [await delegate({ spec: wishSpec('query') }), await delegate({ spec: wishSpec('query') })];
    for (const other of others) await runner.runOf(other);
    const task = await delegate();
    await waits(task);
    executing.person.answer(asking.origin.waitsFor(task)?.approval ?? '', 'approve');
    expect(executing.executor.get(task)?.state).toBe('queued');
    await restartBeta();
    (await runner.runOf(task)).exit(0);
    expect(await ended(task)).toBe('completed');
  });

  it('ends when its question is gone after a restart', async () => {
    const task = await delegate();
    await waits(task);
    executing.database.withWriteTx((tx) => tx.prepare('DELETE FROM approval').run());
    await restartBeta();
    expect(executing.executor.get(task)).toMatchObject({ state: 'rejected', outcome: { code: 'EXPIRED' } });
  });

  it('is cancelled from where it was asked, with its question', async () => {
    const task = await delegate();
    await waits(task);
    const approval = asking.origin.waitsFor(task)?.approval ?? '';
    const cancelling = asking.origin.cancel(task, 'self');
    expect(await ended(task)).toBe('cancelled CANCELLED');
    await cancelling;
    expect(executing.person.gate.approvals.get(approval)?.state).toBe('cancelled');
  });
});

function wishSpec(profile: string): DelegateRequest['spec'] {
  return { input: { kind: 'argv', argv: ['true'] }, profile };
}

describe('the end of a session', () => {
  it('ends what waits for it elsewhere, lets go on what runs, and refuses new work at both nodes', async () => {
    const running = await delegate({ spec: wishSpec('query') });
    await runner.runOf(running);
    const waiting = await delegate();
    await waits(waiting);
    expect(asking.origin.endSession('s1', 'self')).toEqual({ ended: true, peers: 1 });
    expect(await ended(waiting)).toBe('cancelled CANCELLED');
    expect(sessionAt(executing)?.endedAtMs).toBeDefined();
    await until('that it was told', () => owed(asking).length === 0);
    expect(executing.executor.get(running)?.state).toBe('running');
    (await runner.runOf(running)).exit(0);
    expect(await ended(running)).toBe('completed');
    await expect(asking.origin.delegate(wish({ idempotencyKey: 'new' }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(asking.origin.endSession('s1', 'self').ended).toBe(false);
    expect(() => asking.origin.endSession('none', 'self')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

  it('is told again until it was heard: after breaks, after lost answers, and after a restart of whoever tells', async () => {
    const task = await delegate();
    await waits(task);
    fault = (call, nth) => (call === 'endSession' && nth < 3 ? { kind: 'drop-request' } : undefined);
    asking.origin.endSession('s1', 'self');
    await until('a try', () => link.calls.endSession > 0);
    expect(owed(asking)).toHaveLength(1);
    await asking.kill();
    asking = await createAsking(asking.dir);
    await asking.origin.recover();
    await until('that it was told', () => owed(asking).length === 0);
    expect(link.calls.endSession).toBe(3);
    expect(await ended(task)).toBe('cancelled CANCELLED');
  });

  it('is heard once, however often it is told', async () => {
    const task = await delegate();
    await waits(task);
    fault = (call, nth) => (call === 'endSession' && nth === 1 ? { kind: 'drop-answer' } : undefined);
    asking.origin.endSession('s1', 'self');
    await until('that it was told', () => owed(asking).length === 0);
    expect(link.calls.endSession).toBe(2);
    expect(await ended(task)).toBe('cancelled CANCELLED');
  });

  it('reaches a peer that was only asked for a lease, whose question ends, also when the peer was away', async () => {
    const wish = { to: 'beta', profile: 'lent', durationMs: HOUR_MS, onlyThisSession: false, key: 'k1' };
    const request = { ...wish, session: 's1', agent: 'tester' };
    const answer = await asking.origin.requestLease(request);
    if (!answer.asked) throw new Error(answer.decision.message);
    fault = (call) => (call === 'endSession' ? { kind: 'drop-request' } : undefined);
    expect(asking.origin.endSession('s1', 'self')).toEqual({ ended: true, peers: 1 });
    await until('a try', () => link.calls.endSession > 0);
    await asking.kill();
    fault = () => undefined;
    asking = await createAsking(asking.dir);
    await asking.origin.recover();
    await until('that it was told', () => owed(asking).length === 0);
    expect(executing.person.gate.approvals.get(answer.approval)?.state).toBe('cancelled');
    // Nobody can be asked in it any more, here or there.
    await expect(asking.origin.requestLease({ ...request, key: 'k2' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const there = { ...request, key: 'k3', from: alpha };
    expect(() => executing.requestLease(there)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

  it('is owed to a peer although the request for a lease never came there', async () => {
    fault = (call) => (call === 'requestLease' ? { kind: 'drop-request' } : undefined);
    const wish = { to: 'beta', profile: 'lent', durationMs: HOUR_MS, onlyThisSession: false, key: 'k1' };
    const asked = asking.origin.requestLease({ ...wish, session: 's1', agent: 'tester' });
    await expect(asked).rejects.toMatchObject({ code: 'UNREACHABLE' });
    asking.origin.endSession('s1', 'self');
    await until('that it was told', () => owed(asking).length === 0);
    expect(sessionAt(executing)?.endedAtMs).toBeDefined();
  });

  it('is taken from the node where the session began, or by its own word alone', async () => {
    await delegate({ spec: wishSpec('query') });
    const own = signSessionEnd(asking.identity, { session: 's1', agent: 'tester' });
    const forged = signSessionEnd(executing.identity, { session: 's1', agent: 'tester' });
    // Of itself nobody but this node says it.
    expect(() => executing.origin.takeSessionEnd(alpha, forged)).toThrow(
      expect.objectContaining({ code: 'EVIDENCE_INVALID' }),
    );
    const torn = Uint8Array.from(own);
    torn[40] = (torn[40] ?? 0) ^ 1;
    expect(() => executing.origin.takeSessionEnd(alpha, torn)).toThrow(
      expect.objectContaining({ code: 'EVIDENCE_INVALID' }),
    );
    expect(sessionAt(executing)).toBeUndefined();
    // A peer through which it did not come brings news of a session that is held here: the word is the origin's own.
    executing.origin.takeSessionEnd(gamma, own);
    expect(sessionAt(executing)?.endedAtMs).toBeDefined();
  });

  it('stores nothing for sessions that nobody holds, when a stranger to them brings it', async () => {
    const own = signSessionEnd(asking.identity, { session: 'unknown', agent: 'tester' });
    executing.origin.takeSessionEnd(gamma, own);
    const known = () => executing.database.withReadTx((tx) => executing.person.sessions.get(tx, alpha, 'unknown'));
    expect(known()).toBeUndefined();
    executing.origin.takeSessionEnd(alpha, own);
    expect(known()?.endedAtMs).toBeDefined();
  });

  it('stores a bounded number of ends of sessions in which nothing was asked here, whoever signs them', async () => {
    for (let made = 0; made < 20; made += 1) {
      const end = signSessionEnd(asking.identity, { session: `made-up-${made}`, agent: 'tester' });
      executing.origin.takeSessionEnd(alpha, end);
    }
    const rows = executing.database.withReadTx((tx) => tx.prepare('SELECT COUNT(*) FROM session').pluck().get());
    expect(rows).toBeLessThanOrEqual(3);
  });

  it('goes on to the nodes that were asked for something from here, with the word of its origin', async () => {
    await delegate({ spec: wishSpec('query') });
    executing.database.withWriteTx((tx) =>
      executing.mirrors.insert(tx, {
        ...{ id: 'child', peer: gamma, peerLabel: 'gamma', session: 's1', origin: alpha, agent: 'tester' },
        ...{ parent: 'none', idempotencyKey: 'k', spec: wishSpec('query') },
      }),
    );
    asking.origin.endSession('s1', 'self');
    await until('that it was handed on', () => forwarded.length === 1);
    const [statement] = forwarded;
    expect(Buffer.from(statement ?? []).toString()).toContain(alpha);
    await until('that it is settled', () => owed(executing).length === 0);
  });
});
