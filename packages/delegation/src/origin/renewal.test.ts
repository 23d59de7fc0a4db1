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
import { passUntil } from '@writ/testkit/passing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const { alpha, beta, gamma } = NODE_IDS;
const LIFE_S = 600;

/** Asks `next`; works for `before` under a profile that may hand work on. */
const policy = (
  name: string,
  peers: { before?: [string, string]; next?: [string, string] },
  timeout = '2h',
) => `schema = 1
[node]
name = "${name}"
[profiles.relay]
capabilities = ["inspect_status", "subdelegate"]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
timeout = "${timeout}"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
timeout = "2h"
${peers.before ? `[peers.${peers.before[0]}]\nid = "${peers.before[1]}"\nprofiles = ["relay", "query"]\nmax_depth = 3\naccept_origins = ["origin"]\n[origins.origin]\nid = "${alpha}"\n` : ''}
${peers.next ? `[peers.${peers.next[0]}]\nid = "${peers.next[1]}"\naddress = "127.0.0.1:1"\n[peers.${peers.next[0]}.outbound]\nprofiles = ["relay", "query"]\n` : ''}`;

const ALPHA = policy('alpha', { next: ['beta', beta] });

let clock: FakeClock;
let runners: { beta: ScriptedRunner; gamma: ScriptedRunner };
let nodes: { alpha: TestNode; beta: TestNode; gamma: TestNode };
let links: { beta: PeerLink; gamma: PeerLink };
let fault: (call: LinkCall, nth: number) => LinkFault | undefined;

async function open(betaTimeout?: string): Promise<void> {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  fault = () => undefined;
  runners = { beta: createScriptedRunner({ clock }), gamma: createScriptedRunner({ clock }) };
  const life = { grant: { lifeS: LIFE_S } };
  const gammaPolicy = policy('gamma', { before: ['beta', beta] });
  const atGamma = await createTestNode({ clock, runner: runners.gamma, policy: gammaPolicy, selfId: gamma, ...life });
  const toGamma = createPeerServer({ executor: atGamma.executor, sender: beta, self: gamma, clock });
  const gammaLink = createPeerLink({ server: toGamma });
  const betaPolicy = policy('beta', { before: ['alpha', alpha], next: ['gamma', gamma] }, betaTimeout)
    .replace('accept_origins = ["origin"]\n', '')
    .replace(/\[origins.origin\]\nid = .*\n/, '');
  const atBeta = await createTestNode({
    ...{ clock, runner: runners.beta, policy: betaPolicy, selfId: beta, peers: { [gamma]: gammaLink }, ...life },
  });
  atBeta.authority.grantLease({ peer: 'alpha', profile: 'relay', durationMs: 7_200_000, issuedBy: 'person' });
  links = {
    beta: createPeerLink({
      server: createPeerServer({ executor: atBeta.executor, sender: alpha, self: beta, clock }),
      call: (call, nth) => fault(call, nth),
    }),
    gamma: gammaLink,
  };
  nodes = { alpha: await openAlpha(), beta: atBeta, gamma: atGamma };
}

function openAlpha(dir?: string): Promise<TestNode> {
  const runner = createScriptedRunner({ clock });
  const place = dir === undefined ? {} : { dir };
  const peers = { [beta]: links.beta };
  return createTestNode({ clock, runner, policy: ALPHA, selfId: alpha, peers, grant: { lifeS: LIFE_S }, ...place });
}

beforeEach(() => open());
afterEach(async () => {
  for (const node of [nodes.alpha, nodes.beta, nodes.gamma]) await node.close();
});

/** Lets time pass in small steps; real work goes on in between. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i += 5) {
    clock.advance(5000);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}
const until = (condition: () => boolean): Promise<void> => passUntil(clock, condition, 10);

const argv = { kind: 'argv', argv: ['agent'] } as const;
async function ask(profile = 'query'): Promise<string> {
  const { task } = await nodes.alpha.origin.delegate({
    to: 'beta',
    spec: { input: argv, profile },
    session: 's',
    agent: 'a',
  });
  await runners.beta.runOf(task.id);
  return task.id;
}
async function handOn(parent: string): Promise<string> {
  const spec = { input: argv, profile: 'query' };
  const answer = await nodes.beta.origin.delegate({ to: 'gamma', spec, session: '', agent: '', parent });
  expect(answer.accepted ? 'accepted' : answer.decision.code).toBe('accepted');
  const { task } = answer;
  await runners.gamma.runOf(task.id);
  return task.id;
}
const leftS = (node: TestNode, task: string): number =>
  ((node.executor.get(task)?.bounds.writExpiresAtMs ?? 0) - clock.nowMs()) / 1000;
const stateAt = (node: TestNode, task: string) => node.origin.get(task)?.state;

describe('a task that goes on for longer than a writ lives', () => {
  it('has its writ renewed at half of what is left, again and again, and ends well', async () => {
    const task = await ask();
    await pass(LIFE_S / 2 - 10);
    expect(links.beta.calls.renew).toBe(0);
    await pass(20);
    expect(links.beta.calls.renew).toBe(1);
    await pass(3 * LIFE_S);
    expect(leftS(nodes.beta, task)).toBeGreaterThan(LIFE_S / 2 - 20);
    const [run] = runners.beta.runs;
    expect(run?.stops).toEqual([]);
    run?.exit(0);
    await until(() => stateAt(nodes.alpha, task) === 'completed');
    const { renew } = links.beta.calls;
    await pass(LIFE_S);
    expect(links.beta.calls.renew).toBe(renew);
    expect((await nodes.alpha.origin.verify(task)).standing).toBe('pinned');
  });

  it('is ended at the executor when nobody can renew it, and the origin hears of it when the link is back', async () => {
    const task = await ask();
    await pass(LIFE_S / 2 + 20);
    links.beta.down();
    await pass(LIFE_S + 20);
    expect(nodes.beta.executor.get(task)?.outcome).toMatchObject({ state: 'failed', code: 'WRIT_EXPIRED' });
    links.beta.up();
    await until(() => stateAt(nodes.alpha, task) === 'failed');
    expect(nodes.alpha.origin.get(task)?.outcome?.code).toBe('WRIT_EXPIRED');
  });

  it('is renewed after tries in vain, and after a restart of the origin', async () => {
    const task = await ask();
    fault = (call, nth) => (call === 'renew' && nth < 4 ? { kind: 'drop-answer' } : undefined);
    await pass(LIFE_S / 2 + 60);
    expect(links.beta.calls.renew).toBe(4);
    await nodes.alpha.kill();
    await pass(60);
    nodes.alpha = await openAlpha(nodes.alpha.dir);
    await nodes.alpha.origin.recover();
    await pass(LIFE_S);
    expect(leftS(nodes.beta, task)).toBeGreaterThan(0);
    expect(links.beta.calls.renew).toBeGreaterThan(4);
    runners.beta.runs[0]?.exit(0);
    await until(() => stateAt(nodes.alpha, task) === 'completed');
  });

  it('is renewed though its first request was sent twice', async () => {
    fault = (call, nth) => {
      if (call !== 'submit' || nth > 1) return undefined;
      // A fresh writ would be another one by then.
      clock.jump(5000);
      return { kind: 'drop-answer' };
    };
    const spec = { input: argv, profile: 'query' };
    const asked = nodes.alpha.origin.delegate({ to: 'beta', spec, session: 's', agent: 'a' });
    await until(() => links.beta.calls.submit === 2);
    const { task } = await asked;
    await pass(2 * LIFE_S);
    expect(leftS(nodes.beta, task.id)).toBeGreaterThan(0);
  });

  it('is not renewed once it is to be cancelled, or policy would not send it any more', async () => {
    runners.beta.obeyStops(false);
    const [kept, cancelled] = [await ask(), await ask()];
    void nodes.alpha.origin.cancel(cancelled, 'person');
    await pass(LIFE_S / 2 + 20);
    expect(leftS(nodes.beta, kept)).toBeGreaterThan(LIFE_S / 2);
    expect(leftS(nodes.beta, cancelled)).toBeLessThan(LIFE_S / 2);
    expect(links.beta.calls.renew).toBe(1);
    const narrowed = ALPHA.replace('profiles = ["relay", "query"]', 'profiles = ["relay"]');
    await nodes.alpha.engine.reload(narrowed, { acceptWidening: true });
    const { renew } = links.beta.calls;
    await pass(LIFE_S);
    expect(links.beta.calls.renew).toBe(renew);
    for (const run of runners.beta.runs) run.exit(0);
    await until(() => stateAt(nodes.alpha, kept) !== 'running');
  });
});

describe('what a task handed on', () => {
  it('is renewed with it, hop after hop, and so is what it hands on later; the result holds', async () => {
    const parent = await ask('relay');
    const early = await handOn(parent);
    await pass(2 * LIFE_S);
    const late = await handOn(parent);
    await pass(LIFE_S);
    for (const child of [early, late]) {
      expect(leftS(nodes.gamma, child)).toBeGreaterThan(0);
      expect(leftS(nodes.gamma, child)).toBeLessThanOrEqual(leftS(nodes.beta, parent));
    }
    for (const run of runners.gamma.runs) run.exit(0);
    await until(() => [early, late].every((child) => stateAt(nodes.beta, child) === 'completed'));
    runners.beta.runs[0]?.exit(0);
    await until(() => stateAt(nodes.alpha, parent) === 'completed');
    expect((await nodes.alpha.origin.verify(parent)).children).toHaveLength(2);
  });

  it('never outlives what its parent may run', async () => {
    for (const node of [nodes.alpha, nodes.beta, nodes.gamma]) await node.close();
    await open('15m');
    const parent = await ask('relay');
    const child = await handOn(parent);
    await pass(890);
    const deadlineMs = nodes.beta.executor.get(parent)?.deadlineMs ?? 0;
    expect(nodes.gamma.executor.get(child)?.bounds.writExpiresAtMs).toBeLessThanOrEqual(deadlineMs);
    await pass(20);
    await until(() => stateAt(nodes.alpha, parent) === 'failed');
    expect(nodes.alpha.origin.get(parent)?.outcome?.code).toBe('TIMED_OUT');
  });
});
