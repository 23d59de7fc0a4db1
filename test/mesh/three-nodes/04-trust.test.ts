import {
  ask,
  callRaw,
  follow,
  MESH_METHODS,
  type MeshNode,
  pairNodes,
  processesWith,
  startThreeNodes,
  submit,
  type ThreeNodes,
  untilFinished,
  untilOutput,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const OFFER = { profiles: ['query', 'repo-dev'], workspaces: ['app'] };

let nodes: ThreeNodes;
let stranger: MeshNode;
beforeAll(async () => {
  nodes = await startThreeNodes({
    commands: [14142, 14143, 14144, 14145, 14146, 14147].map((seconds) => sleeper(seconds).argv),
  });
  stranger = await nodes.mesh.add('stranger');
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

const sleeper = (seconds: number) => ({ argv: ['sh', '-c', 'echo up; sleep "$1" & wait', 'sh', String(seconds)] });

/** Task of `node` at beta that has begun. */
async function running(node: MeshNode, seconds: number): Promise<string> {
  const task = await submit(node, sleeper(seconds));
  await untilOutput(node, task, 'up');
  return task;
}

describe('a node that is nobody’s peer', () => {
  it('is refused by every method, also with its own good certificate', async () => {
    const ends = await callRaw(nodes.beta, { keysOf: stranger }, MESH_METHODS);
    expect(Object.keys(ends)).toHaveLength(24);
    expect(new Set(Object.values(ends))).toEqual(new Set(['UNAUTHENTICATED PEER_UNKNOWN']));
    expect(await nodes.beta.client().call('list_tasks', { side: 'executing' })).toEqual({ tasks: [] });
  });

  it('is refused by every method without a certificate', async () => {
    const ends = await callRaw(nodes.beta, undefined, MESH_METHODS);
    expect(Object.values(ends).filter((end) => end.startsWith('OK'))).toEqual([]);
  });

  it('gets only to Redeem while an invite is open, and there not without the secret', async () => {
    const inviting = nodes.beta.start('peer', 'invite', '--profiles', 'query', '--json');
    await inviting.says(/"code"/);
    const ends = await callRaw(nodes.beta, { keysOf: stranger }, MESH_METHODS);
    inviting.kill('SIGINT');
    await inviting.ended;
    const { '/writ.mesh.v1.MeshService/Redeem': redeem, ...others } = ends;
    expect(new Set(Object.values(others))).toEqual(new Set(['UNAUTHENTICATED PEER_UNKNOWN']));
    expect(redeem).toMatch(/(BAD_REQUEST|INVITE_INVALID)$/);
  });

  it('is no peer at its own command line either', async () => {
    const done = await stranger.writ('delegate', '--peer', 'beta', '--profile', 'query', '--json', '--', 'true');
    expect(done).toMatchObject({ code: 3, json: { error: { code: 'PEER_UNKNOWN' } } });
  });
});

describe('a peer', () => {
  it('is served by every method that peers may call', async () => {
    const ends = await callRaw(nodes.beta, { keysOf: nodes.alpha }, ['/writ.mesh.v1.MeshService/Describe']);
    expect(Object.values(ends)).toEqual(['OK']);
  });

  it('sees no task of another', async () => {
    const task = await running(nodes.alpha, 14142);
    for (const verb of ['show', 'watch', 'log', 'cancel']) {
      expect(await nodes.gamma.writ('task', verb, task, '--json')).toMatchObject({ code: 2 });
    }
    expect(await nodes.alpha.client().call('status', { task })).toMatchObject({ state: 'running' });
    await nodes.alpha.client().call('cancel', { task });
  });

  it('may ask nothing of a node that offered it nothing', async () => {
    await expect(ask(nodes.beta, { to: 'alpha', argv: ['true'] })).resolves.toMatchObject({ accepted: false });
  });
});

describe('a peer that is removed by the node that works', () => {
  it('loses its open watch and its running task, and another keeps them', async () => {
    const [mine, other] = [await running(nodes.alpha, 14143), await running(nodes.gamma, 14144)];
    const watching = follow(nodes.alpha, mine);
    const removed = await nodes.beta.writ('peer', 'remove', 'alpha', '--json', '--yes');
    expect(removed).toMatchObject({ code: 0, json: { label: 'alpha' } });
    const ended = await watching.catch((error: { code: string }) => error);
    if ('outcome' in ended) expect(ended.outcome).toMatchObject({ state: 'failed', code: 'TRUST_REVOKED' });
    else expect(ended.code).toMatch(/^(PEER_UNKNOWN|UNREACHABLE|TRUST_REVOKED)$/);
    expect(await untilFinished(nodes.beta, mine)).toMatchObject({ state: 'failed', code: 'TRUST_REVOKED' });
    expect(processesWith('sleep 14143')).toEqual([]);
    // At alpha the task does not hang either.
    expect(await untilFinished(nodes.alpha, mine)).toMatchObject({ state: expect.stringMatching(/^(failed|lost)$/) });
    const next = await ask(nodes.alpha, { argv: ['true'] }).catch((error: { code: string }) => error);
    expect('accepted' in next ? next.decided?.code : next.code).toBe('PEER_UNKNOWN');
    const ends = await callRaw(nodes.beta, { keysOf: nodes.alpha }, MESH_METHODS);
    expect(new Set(Object.values(ends))).toEqual(new Set(['UNAUTHENTICATED PEER_UNKNOWN']));
    expect(await nodes.gamma.client().call('status', { task: other })).toMatchObject({ state: 'running' });
    await nodes.gamma.client().call('cancel', { task: other });
  });

  it('can be paired again after both have forgotten each other, and has no lease of before', async () => {
    expect(await nodes.alpha.writ('peer', 'remove', 'beta', '--json', '--yes')).toMatchObject({ code: 0 });
    await pairNodes(nodes.beta, nodes.alpha, OFFER);
    expect(await ask(nodes.alpha, { argv: ['true'] })).toMatchObject({ accepted: true });
    expect(await ask(nodes.alpha, { argv: ['true'], profile: 'repo-dev', workspace: 'app' })).toMatchObject({
      decided: { code: 'LEASE_REQUIRED' },
    });
  });

  it('loses a lease that it held', async () => {
    await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' });
    await nodes.beta.client().call('peer_remove', { peer: 'alpha' });
    await nodes.alpha.client().call('peer_remove', { peer: 'beta' });
    await pairNodes(nodes.beta, nodes.alpha, OFFER);
    expect(await ask(nodes.alpha, { argv: ['true'], profile: 'repo-dev', workspace: 'app' })).toMatchObject({
      decided: { code: 'LEASE_REQUIRED' },
    });
  });

  it('that does not exist is told with those that do', async () => {
    expect(await nodes.beta.writ('peer', 'remove', 'nobody', '--json', '--yes')).toMatchObject({ code: 2 });
  });
});

describe('a peer that is removed by the node that asks', () => {
  it('loses the watch, and ends the task', async () => {
    const task = await running(nodes.gamma, 14145);
    const watching = follow(nodes.gamma, task);
    expect(await nodes.gamma.writ('peer', 'remove', 'beta', '--json', '--yes')).toMatchObject({ code: 0 });
    const ended = await watching.catch((error: { code: string }) => error);
    expect('outcome' in ended ? ended.outcome.state : ended.code).toMatch(
      /^(failed|PEER_UNKNOWN|UNREACHABLE|TRUST_REVOKED)$/,
    );
    expect(await untilFinished(nodes.gamma, task)).toMatchObject({ state: 'failed', code: 'TRUST_REVOKED' });
    expect(await untilFinished(nodes.beta, task)).toMatchObject({ state: 'cancelled' });
    expect(processesWith('sleep 14145')).toEqual([]);
  });

  it('ends the task also where a reload disables it', async () => {
    await pairAgain();
    const task = await running(nodes.gamma, 14146);
    await nodes.gamma.configure(nodes.gamma.config().replace('[peers.beta]\n', '[peers.beta]\nenabled = false\n'));
    expect(await untilFinished(nodes.gamma, task)).toMatchObject({ state: 'failed', code: 'TRUST_REVOKED' });
    expect(await untilFinished(nodes.beta, task)).toMatchObject({ state: 'cancelled' });
    expect(processesWith('sleep 14146')).toEqual([]);
  });

  it('holds nothing up where it is down', async () => {
    await nodes.gamma.writ('peer', 'remove', 'beta', '--json', '--yes');
    await pairAgain();
    const task = await running(nodes.gamma, 14147);
    await nodes.beta.kill();
    expect(await nodes.gamma.writ('peer', 'remove', 'beta', '--json', '--yes')).toMatchObject({ code: 0 });
    expect(await untilFinished(nodes.gamma, task)).toMatchObject({ state: 'failed', code: 'TRUST_REVOKED' });
    await nodes.beta.up();
    expect((await untilFinished(nodes.beta, task)).state).toBe('lost');
    expect(processesWith('sleep 14147')).toEqual([]);
  });

  /** Gamma has forgotten beta; now beta forgets gamma, and both are paired. */
  async function pairAgain(): Promise<void> {
    expect(await nodes.beta.writ('peer', 'remove', 'gamma', '--json', '--yes')).toMatchObject({ code: 0 });
    await pairNodes(nodes.beta, nodes.gamma, OFFER);
  }
});
