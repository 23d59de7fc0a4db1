import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WritError } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  createPeerLink,
  createPeerServer,
  createScriptedRunner,
  createTestNode,
  gitIn,
  type LinkCall,
  type LinkFault,
  makeRepository,
  NODE_IDS,
  type PeerLink,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DelegateRequest } from '../types.ts';

const { alpha, beta } = NODE_IDS;
const PROFILE = `[profiles.build]
capabilities = ["read_repo"]
commands = [["true"]]
runner = "shell"
isolation = "none"
`;
const alphaPolicy = (ship: boolean, repository: string): string => `schema = 1
[node]
name = "alpha"
[workspaces.app]
path = ${JSON.stringify(repository)}
${PROFILE}[self]
profiles = ["build"]
workspaces = ["app"]
[peers.beta]
id = "${beta}"
address = "127.0.0.1:1"
[peers.beta.outbound]
profiles = ["build"]
workspaces = ["app"]
ship = ${ship}
`;
const betaPolicy = (repository: string): string => `schema = 1
[node]
name = "beta"
[workspaces.app]
path = ${JSON.stringify(repository)}
${PROFILE}[peers.alpha]
id = "${alpha}"
profiles = ["build"]
workspaces = ["app"]
`;

let clock: FakeClock;
let executing: TestNode;
let asking: TestNode;
let link: PeerLink;
let callFault: (call: LinkCall, nth: number) => LinkFault | undefined;
let tree: string;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  callFault = () => undefined;
  const runner = createScriptedRunner({ clock, onStart: (run) => run.exit(0) });
  executing = await createTestNode({ clock, runner, policy: 'schema = 1\n[node]\nname = "beta"\n' });
  const repository = await makeRepository(join(executing.dir, 'app'));
  await executing.engine.reload(betaPolicy(repository), { acceptWidening: true });
  tree = join(executing.dir, 'mine');
  gitIn(executing.dir, 'clone', '--quiet', repository, tree);
  writeFileSync(join(tree, 'mine.txt'), 'mine\n');
  link = createPeerLink({
    server: createPeerServer({ executor: executing.executor, sender: alpha, clock }),
    call: (call, nth) => callFault(call, nth),
  });
  asking = await createTestNode({
    ...{ clock, policy: alphaPolicy(true, repository), selfId: alpha, peers: { [beta]: link } },
    runner: createScriptedRunner({ clock, onStart: (run) => run.exit(0) }),
  });
});

afterEach(async () => {
  await asking.close();
  await executing.close();
});

const wish = (more: Partial<DelegateRequest> = {}): DelegateRequest => ({
  ...{ to: 'beta', session: 's1', agent: 'tester', ship: tree },
  spec: { input: { kind: 'argv', argv: ['true'] }, profile: 'build', workspace: 'app' },
  ...more,
});

/** What is waited for after this turn is waited for no more: git takes real time, and no other passes meanwhile. */
function letTimePass(): void {
  setImmediate(() => setImmediate(() => clock.advance(1000)));
}

async function isOver(id: string): Promise<string | undefined> {
  for await (const _ of asking.origin.watch(id, 0, new AbortController().signal));
  return asking.origin.get(id)?.state;
}

describe('a working tree that goes along', () => {
  it('is there before the task, which is stored with what was sent', async () => {
    const { accepted, task } = await asking.origin.delegate(wish());
    expect(accepted).toBe(true);
    expect(task.spec.shipped).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}$/), bundle: {} });
    expect(link.calls).toMatchObject({ workspaceCommits: 1, upload: 1, submit: 1 });
    expect(await isOver(task.id)).toBe('completed');
  });

  it('is not sent where everything is there already', async () => {
    const { task } = await asking.origin.delegate(wish({ ship: join(executing.dir, 'app') }));
    expect(task.spec.shipped).toEqual({ commit: gitIn(tree, 'rev-parse', 'HEAD') });
    expect(link.calls.upload).toBe(0);
  });

  it('goes to this node itself', async () => {
    const { accepted, task } = await asking.origin.delegate(wish({ to: 'self' }));
    expect([accepted, await isOver(task.id)]).toEqual([true, 'completed']);
  });

  it('is not even read where policy is against it', async () => {
    await asking.engine.reload(alphaPolicy(false, join(executing.dir, 'app')), { acceptWidening: true });
    const request = wish({ ship: '/nowhere', idempotencyKey: 'k' });
    const answer = await asking.origin.delegate(request);
    expect(answer).toMatchObject({ accepted: false, decidedBy: 'here', task: { state: 'failed' } });
    expect(link.calls).toMatchObject({ workspaceCommits: 0, upload: 0, submit: 0 });
    expect(await asking.origin.delegate(request)).toMatchObject({ task: { id: answer.task.id } });
  });

  it('is not sent again under a key that is known, and once for two calls at a time', async () => {
    const request = wish({ idempotencyKey: 'k' });
    const both = await Promise.all([asking.origin.delegate(request), asking.origin.delegate(request)]);
    writeFileSync(join(tree, 'more.txt'), 'more\n');
    const again = await asking.origin.delegate(request);
    expect(new Set([...both, again].map(({ task }) => task.id)).size).toBe(1);
    expect(link.calls).toMatchObject({ workspaceCommits: 1, upload: 1 });
    const { ship: _, ...without } = request;
    await expect(asking.origin.delegate(without)).rejects.toMatchObject({ code: 'WRIT_REPLAYED' });
  });

  it('is read a few at a time, and refused where too many wait', async () => {
    const wishes = Array.from({ length: 40 }, (_, place) => wish({ ship: '/nowhere', idempotencyKey: `k${place}` }));
    const ask = (one: DelegateRequest) => asking.origin.delegate(one).catch(({ code }: { code: string }) => code);
    const asked = wishes.map(ask);
    // The person of the node has a place of their own.
    const mine = ask(wish({ session: 'key-mine', agent: 'cli' }));
    const codes = await Promise.all(asked);
    expect(codes.filter((code) => code === 'LIMIT_EXCEEDED')).toHaveLength(6);
    expect(await mine).toMatchObject({ accepted: true });
    expect(link.calls.workspaceCommits).toBe(35);
    expect((await asking.origin.delegate(wish())).accepted).toBe(true);
  });

  it('is sent again where its way breaks, and nothing is kept where it stays broken', async () => {
    callFault = (call, nth) => {
      if ((call !== 'upload' && call !== 'workspaceCommits') || nth > 2) return undefined;
      letTimePass();
      return { kind: 'drop-request' };
    };
    expect((await asking.origin.delegate(wish())).accepted).toBe(true);
    callFault = (call) => {
      if (call !== 'upload') return undefined;
      letTimePass();
      return { kind: 'drop-request' };
    };
    writeFileSync(join(tree, 'more.txt'), 'more\n');
    await expect(asking.origin.delegate(wish())).rejects.toMatchObject({
      code: 'UNREACHABLE',
      details: { sent: false },
    });
    expect(asking.origin.list({ limit: 10 })).toHaveLength(1);
  });

  it('is sent once more where it is gone when the task arrives', async () => {
    callFault = (call, nth) => {
      if (call !== 'submit' || nth > 1) return undefined;
      throw new WritError('NOT_FOUND', 'what was sent along is not here any more');
    };
    const { task } = await asking.origin.delegate(wish());
    expect(link.calls).toMatchObject({ upload: 2, submit: 2 });
    expect(await isOver(task.id)).toBe('completed');
  });

  it('belongs to a workspace, and stands instead of a ref', async () => {
    const { spec } = wish();
    const { workspace: _, ...nowhere } = spec;
    for (const more of [{ spec: nowhere }, { spec: { ...spec, ref: 'main' } }]) {
      await expect(asking.origin.delegate(wish(more))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    const shipped = { commit: 'a'.repeat(40) };
    await expect(asking.origin.delegate(wish({ spec: { ...spec, shipped } }))).rejects.toThrow(WritError);
    expect(link.calls.workspaceCommits).toBe(0);
  });

  it('leaves nothing behind but what was sent', async () => {
    mkdirSync(join(tree, 'folder'));
    const before = gitIn(tree, 'status', '--porcelain');
    await asking.origin.delegate(wish());
    expect(gitIn(tree, 'status', '--porcelain')).toBe(before);
    expect(readdirSync(asking.evidence.gitDirRoot).filter((name) => name.startsWith('git-'))).toEqual([]);
  });
});
