import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock, silentLogger } from '@writ/core';
import { openDatabase } from '@writ/database';
import { contract } from '@writ/gateway';
import { type ControlClient, createControlClient, type StreamItem } from '@writ/gateway/client';
import {
  createTestMesh,
  doorOf,
  executingConfig,
  HOLD,
  type MeshNode,
  makeRepository,
  pairNodes,
  submit,
  type TaskDoor,
  type TestMesh,
  untilFinished,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Cell,
  ELSEWHERE,
  MATRIX,
  TARGETS,
  type Target,
  TOKENS,
  type TokenKind,
  VERBS,
  type Verb,
} from './token-matrix.ts';

const RELAY = `
[profiles.relay]
capabilities = ["read_repo", "subdelegate"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
isolation = "none"

[self]
profiles = ["query"]
`;
const SLEEP = ['sleep', '600'];
const MISSING = '01a00000-0000-7000-8000-000000000000';
/** Of nothing that any result names. */
const NO_DIGEST = 'f'.repeat(64);

let mesh: TestMesh;
let nodes: Readonly<Record<'alpha' | 'beta' | 'gamma' | 'delta', MeshNode>>;
let doors: Readonly<Record<'beta' | 'gamma', TaskDoor>>;
let expired: string;
let targets: Readonly<Record<Target, string>>;

const hostTokenOf = ({ home }: MeshNode): string => readFileSync(join(home, 'run', 'host-token'), 'utf8').trim();
const controlOf = ({ home }: MeshNode): string => join(home, 'run', 'control.sock');

async function handOn(door: TaskDoor, wish: Parameters<typeof submit>[1] & { readonly to: string }): Promise<string> {
  const answer = await createControlClient(door).call('delegate', wish);
  if (!answer.accepted) throw new Error(`refused: ${answer.decided?.code} ${answer.decided?.message}`);
  return answer.task;
}

/** A finished task of a node from before sessions were recorded. */
async function withoutSession(node: MeshNode): Promise<string> {
  const task = await submit(node, { to: 'self', argv: ['true'] });
  await untilFinished(node, task);
  await node.down();
  const path = join(node.home, 'db', 'writ.db');
  const database = await openDatabase({ path, clock: createSystemClock(), logger: silentLogger });
  database.withWriteTx((tx) => {
    for (const table of ['task', 'mirror']) tx.prepare(`UPDATE ${table} SET session = '' WHERE id = ?`).run(task);
  });
  database.close();
  await node.up();
  return task;
}

beforeAll(async () => {
  mesh = createTestMesh();
  const workspaces = { app: makeRepository(join(mesh.dir, 'app')) };
  const add = (name: string) =>
    mesh.add(name, {
      config: (listen) => executingConfig({ name, listen, workspaces, commands: [SLEEP], more: RELAY }),
    });
  const [alpha, beta, gamma, delta] = await Promise.all([mesh.add('alpha'), add('beta'), add('gamma'), add('delta')]);
  nodes = { alpha, beta, gamma, delta };
  const preSession = await withoutSession(beta);
  const offer = { profiles: ['query', 'relay'], workspaces: ['app'] };
  for (const [host, guest] of [
    [beta, alpha],
    [gamma, beta],
    [delta, gamma],
  ] as const)
    await pairNodes(host, guest, offer);
  const origin = `[origins.alpha]\nid = "${await alpha.id()}"\n`;
  await beta.configure(beta.config().replace('[peers.alpha]', '[peers.alpha]\nmax_depth = 3'));
  for (const [node, peer] of [
    [gamma, 'beta'],
    [delta, 'gamma'],
  ] as const) {
    const rules = `[peers.${peer}]\nmax_depth = 2\naccept_origins = ["alpha"]`;
    await node.configure(`${node.config().replace(`[peers.${peer}]`, rules)}\n${origin}`);
  }
  const lease = { profile: 'relay', duration: '8h' };
  await beta.client().call('lease_grant', { peer: 'alpha', ...lease });
  await gamma.client().call('lease_grant', { peer: 'beta', origin: 'alpha', ...lease });
  const relay = { profile: 'relay', workspace: 'app', argv: [...HOLD] };
  const ended = await submit(alpha, { to: 'beta', ...relay });
  expired = (await doorOf(beta, ended)).token;
  await alpha.client().call('cancel', { task: ended });
  const [own, sibling] = [await submit(alpha, { to: 'beta', ...relay }), await submit(alpha, { to: 'beta', ...relay })];
  const ownDoor = await doorOf(beta, own);
  const child = await handOn(ownDoor, { to: 'gamma', ...relay });
  const childDoor = await doorOf(gamma, child);
  const grandchild = await handOn(childDoor, { to: 'delta', profile: 'query', argv: SLEEP });
  const stranger = await submit(beta, { to: 'self', argv: SLEEP });
  doors = { beta: ownDoor, gamma: childDoor };
  targets = { own, child, grandchild, parent: own, sibling, stranger, preSession };
}, 180_000);
afterAll(() => mesh.close(), 60_000);

/** Verbs that name no task: what they answer with is looked through for it. */
type Listing = 'list' | 'events';

const LISTED: Readonly<Record<Listing, (client: ControlClient) => Promise<readonly (string | undefined)[]>>> = {
  list: async (client) => (await client.call('list_tasks', { limit: 100 })).tasks.map(({ task }) => task),
  events: async (client) => (await eventsOf(client)).map(({ subject }) => subject),
};

async function eventsOf(client: ControlClient): Promise<readonly StreamItem<'events'>[]> {
  const all: StreamItem<'events'>[] = [];
  for await (const event of client.stream('events', { after: 0, follow: false })) all.push(event);
  return all;
}

const CALLS: Readonly<Record<Exclude<Verb, Listing>, (client: ControlClient, task: string) => Promise<unknown>>> = {
  status: (client, task) => client.call('status', { task }),
  result: (client, task) => client.call('result', { task }),
  transcript: (client, task) => client.call('transcript', { task }),
  artifact: (client, task) => client.call('artifact', { task, sha256: NO_DIGEST }),
  cancel: (client, task) => client.call('cancel', { task }),
};

/** What a call came to, without the id that was asked for. */
const saidOf = (call: Promise<unknown>, id: string): Promise<string> =>
  call.then(
    () => 'OK',
    (error: { code: string; message: string }) => `${error.code} ${error.message.replaceAll(id, 'ID')}`,
  );

/** Who tries many tokens is not even told any more that they prove nothing. */
const isRefusal = (said: string): boolean => /^(TOKEN_INVALID|RATE_LIMITED)/.test(said);

async function cellOf(client: ControlClient, verb: Verb, task: string): Promise<Cell> {
  if (verb === 'list' || verb === 'events') {
    const listed = await LISTED[verb](client).catch((error: { code: string }) => error.code);
    if (typeof listed === 'string') return isRefusal(listed) ? 'refused' : 'reached';
    return listed.includes(task) ? 'reached' : 'absent';
  }
  const said = await saidOf(CALLS[verb](client, task), task);
  if (isRefusal(said)) return 'refused';
  return said === (await saidOf(CALLS[verb](client, MISSING), MISSING)) ? 'absent' : 'reached';
}

/** Where a token of this kind is presented at a node: its place, and for one that proves nothing both sockets. */
function clientsOf(kind: TokenKind, at: 'beta' | 'gamma'): readonly ControlClient[] {
  const control = controlOf(nodes[at]);
  const door = doors[at];
  const onBoth = (token: string): readonly ControlClient[] =>
    [control, door.socketPath].map((socketPath) => createControlClient({ socketPath, token }));
  switch (kind) {
    case 'task':
      return [createControlClient(door)];
    case 'host':
      return [nodes[at].client()];
    case 'none':
      return onBoth('');
    case 'garbage':
      return [...onBoth('garbage'), ...onBoth(`${door.token}x`), ...onBoth(door.token.slice(0, -1))];
    case 'expired':
      return onBoth(expired);
    case 'foreign':
      return [...onBoth(hostTokenOf(nodes.alpha)), ...onBoth(doors[at === 'beta' ? 'gamma' : 'beta'].token)];
  }
}

const CELLS = VERBS.flatMap((verb) =>
  // Who may not ask first: what is cancelled by its own token takes its door with it.
  [...TOKENS].reverse().flatMap((token) =>
    (['grandchild', 'parent', 'sibling', 'stranger', 'preSession', 'child', 'own'] as const).map((target) => {
      const expected: Cell = token === 'task' || token === 'host' ? MATRIX[target][token] : 'refused';
      return { verb, token, target, expected };
    }),
  ),
);
/** Cancelling with the host token comes after everything that another token may not. */
const inOrder = CELLS.filter(({ verb }) => verb !== 'cancel').concat(
  ...(['foreign', 'expired', 'garbage', 'none', 'task', 'host'] as const).map((kind) =>
    CELLS.filter(({ verb, token }) => verb === 'cancel' && token === kind),
  ),
);

describe('the token of a task', () => {
  it('is no token on the control socket, nor is the host token one on the socket of a task', async () => {
    const { socketPath, token } = doors.beta;
    for (const misplaced of [
      { socketPath: controlOf(nodes.beta), token },
      { socketPath, token: hostTokenOf(nodes.beta) },
    ]) {
      const client = createControlClient(misplaced);
      expect(await saidOf(client.call('status', { task: targets.own }), '')).toMatch(/^TOKEN_INVALID/);
      for (const verb of VERBS) expect(await cellOf(client, verb, targets.own), verb).toBe('refused');
      const handedOn = client.call('delegate', { to: 'gamma', argv: ['true'] });
      expect(isRefusal(await saidOf(handedOn, ''))).toBe(true);
    }
  });

  it('hands on in the session of its task, as its child; other tokens hand nothing on', async () => {
    for (const kind of TOKENS.filter((one) => one !== 'task' && one !== 'host')) {
      for (const client of clientsOf(kind, 'beta')) {
        const said = await saidOf(client.call('delegate', { to: 'gamma', profile: 'query', argv: ['true'] }), '');
        expect(isRefusal(said), `${kind}: ${said}`).toBe(true);
      }
    }
    const child = await handOn(doors.beta, { to: 'gamma', profile: 'query', argv: ['true'] });
    const own = await submit(nodes.beta, { to: 'gamma', profile: 'query', argv: ['true'] });
    const show = (task: string) => nodes.beta.client().call('task_show', { task });
    const [parent, byTask, byHost] = [await show(targets.own), await show(child), await show(own)];
    expect(byTask).toMatchObject({ parent: targets.own, session: parent.session, origin: parent.origin });
    expect(byHost.parent).toBeUndefined();
    expect(byHost.session).not.toBe(parent.session);
  });
});

describe('the events of a task', () => {
  /** Everything that a task was shown, with words in the place of ids, and without times. */
  async function shownTo(door: TaskDoor, task: string, child: string): Promise<readonly unknown[]> {
    const words = new Map([
      [task, 'the task'],
      [child, 'its child'],
    ]);
    const events = await eventsOf(createControlClient(door));
    return events.map(({ at_ms: _, subject, ...event }) => ({ ...event, subject: words.get(subject ?? '') }));
  }

  // INVARIANT: 7 two worlds that differ only outside of the task look the same to it.
  it('are the same on two nodes that differ only outside of it, numbers too', async () => {
    const { alpha, beta, gamma } = nodes;
    const relay = { profile: 'relay', workspace: 'app', argv: [...HOLD] };
    const worlds = [
      { node: beta, next: 'gamma', task: await submit(alpha, { to: 'beta', ...relay }), isBusy: true },
      { node: gamma, next: 'delta', task: await handOn(doors.beta, { to: 'gamma', ...relay }), isBusy: false },
    ];
    const shown: (readonly unknown[])[] = [];
    for (const { node, next, task, isBusy } of worlds) {
      const elsewhere = async (): Promise<void> => {
        if (!isBusy) return;
        await node.client().call('session_start', { agent: 'somebody' });
        await submit(node, { to: 'self', argv: ['true'] });
      };
      const door = await doorOf(node, task);
      await elsewhere();
      const child = await handOn(door, { to: next, profile: 'query', argv: ['true'] });
      await elsewhere();
      await untilFinished(node, child);
      shown.push(await shownTo(door, task, child));
    }
    expect(shown[0]).toEqual(shown[1]);
    const told = shown[0] as readonly { readonly seq: number; readonly action: string; readonly subject?: string }[];
    expect(told.map(({ seq }) => seq)).toEqual(told.map((_, n) => n + 1));
    expect(told.map(({ subject, action }) => `${subject}: ${action}`)).toContain('its child: mirror.completed');
  });
});

describe('what a token reaches', () => {
  it.each(inOrder)('$verb of $target with $token: $expected', async ({ verb, token, target, expected }) => {
    const at = TARGETS[target];
    for (const client of clientsOf(token, at)) {
      const cell = await cellOf(client, verb, targets[target]).catch((error: { code: string }) => error.code);
      expect(cell).toBe(expected);
    }
  });
});

describe('every operation about a task', () => {
  it('is in the matrix, or said to be looked at elsewhere', () => {
    const owned = Object.values(contract).flatMap((spec) => ('ownedTask' in spec && spec.ownedTask ? [spec.name] : []));
    const here = [...VERBS.filter((verb) => verb !== 'list' && verb !== 'events'), ...Object.keys(ELSEWHERE)];
    expect([...owned].sort()).toEqual(here.sort());
  });
});
