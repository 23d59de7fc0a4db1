import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority } from '@writ/authority';
import { createSystemRandom, silentLogger, WritError } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { createIdentity, createPinStore, loadIdentity, type NodeIdentity, type PinStore } from '@writ/identity';
import {
  createApprovalStore,
  createExecutionStore,
  createInviteStore,
  createLeaseStore,
  createNodeFactStore,
  createPeerIntentStore,
  createRequestLogStore,
  createWindowStore,
} from '@writ/lease-store';
import {
  addPeer,
  createPolicyEngine,
  formatViolations,
  type PolicyEngine,
  readPeer,
  removePeer,
  updatePeer,
} from '@writ/policy';
import type { FakeClock } from '@writ/testkit/clock';
import { createChannel } from '../channel.ts';
import { createPairing } from '../create-pairing.ts';
import type { PairingOptions } from '../options.ts';
import type { ConfigFile, Pairing, RedeemClientMessage, RedeemServerMessage, RedeemTransport } from '../types.ts';

/** Two ends joined in memory, with somebody in the middle. */
export interface TestNetwork extends RedeemTransport {
  readonly nodes: Map<string, TestNode>;
  /** What the one in the middle makes of the messages. */
  onClient: (message: RedeemClientMessage) => RedeemClientMessage;
  onServer: (message: RedeemServerMessage) => RedeemServerMessage;
}

/** What a node is made otherwise with. */
export type TestChange = Partial<PairingOptions> & {
  readonly policy?: string;
  /** Its home is started again, as it was left. */
  readonly earlier?: TestNode;
  readonly power?: Power;
};

/** Asked at each step of what changes files and rows. */
export interface Power {
  /** Once true, nothing happens any more. */
  isOff(): boolean;
  /** Never resolves once it is off. */
  on(): Promise<void>;
}

export interface TestNode {
  readonly home: string;
  /** Peers whose work was ended. */
  readonly endedWork: readonly string[];
  readonly pairing: Pairing;
  /** What it was built from. */
  readonly options: PairingOptions;
  readonly identity: NodeIdentity;
  readonly pins: PinStore;
  readonly database: Database;
  readonly authority: Authority;
  readonly engine: PolicyEngine;
  /** The text of its `writ.toml`. */
  text(): string;
  close(): void;
}

const POLICY = `schema = 1
# a comment that stays
[node]
name = "NAME"
[workspaces.app]
path = "/srv/app"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[profiles.repo-dev]
capabilities = ["read_repo", "edit_repo"]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
`;

function withPower(pins: PinStore, power: Power): PinStore {
  const changing = async <T>(change: () => Promise<T>): Promise<T> => {
    await power.on();
    const done = await change();
    await power.on();
    return done;
  };
  return {
    ...pins,
    put: (pin) => changing(() => pins.put(pin)),
    remove: (id) => changing(() => pins.remove(id)),
  };
}

function fused<T>(power: Power, change: () => T): T {
  if (power.isOff()) throw new Error('the power is off');
  const done = change();
  if (power.isOff()) throw new Error('the power is off');
  return done;
}

export function createTestNetwork(): TestNetwork {
  const network: TestNetwork = {
    nodes: new Map(),
    onClient: (message) => message,
    onServer: (message) => message,
    async *redeem(target, messages, signal) {
      const node = network.nodes.get(target.address);
      if (node?.identity.public.id !== target.id) throw new WritError('UNREACHABLE', 'nobody answers');
      const toServer = createChannel<RedeemClientMessage>(signal);
      const pump = async (): Promise<void> => {
        for await (const message of messages) toServer.send(network.onClient(message));
        toServer.end();
      };
      void pump();
      for await (const message of node.pairing.serve(toServer)) yield network.onServer(message);
    },
  };
  return network;
}

/** A node with its real stores, engine and authority, in a temporary folder. */
export async function createTestNode(
  network: TestNetwork,
  clock: FakeClock,
  name: string,
  change: TestChange = {},
): Promise<TestNode> {
  const { policy = POLICY, earlier, power = { isOff: () => false, on: async () => undefined }, ...replaced } = change;
  const home = earlier?.home ?? mkdtempSync(join(tmpdir(), 'writ-pairing-'));
  const random = createSystemRandom();
  const keys = { dir: join(home, 'keys'), clock, random };
  const identity = earlier === undefined ? await createIdentity(keys) : await loadIdentity(keys);
  const pins = createPinStore(join(home, 'pins'), random, silentLogger);
  earlier?.database.close();
  const database = await openDatabase({ path: join(home, 'writ.db'), clock, logger: silentLogger });
  let text = earlier?.text() ?? policy.replace('NAME', name);
  const engine = createPolicyEngine({ text, clock, selfId: identity.public.id });
  const leases = createLeaseStore();
  const requestLog = createRequestLogStore();
  const liveTasks = { countLive: () => 0 };
  const invites = createInviteStore();
  const authority = createAuthority({
    ...{ database, leases, requestLog, invites, engine, liveTasks, random, logger: silentLogger },
    ...{ windows: createWindowStore(), approvals: createApprovalStore(), executions: createExecutionStore() },
  });
  const rewrite = async (edit: (text: string) => string, acceptWidening: boolean) => {
    const edited = edit(text);
    await power.on();
    const before = text;
    text = edited;
    await power.on();
    const outcome = await engine.reload(edited, { acceptWidening });
    await power.on();
    if (outcome.reloaded) return outcome;
    text = before;
    throw new WritError('CONFIG_INVALID', formatViolations(outcome.violations ?? []));
  };
  const ready = async (): Promise<void> => {
    if ((engine.status().parked ?? []).length === 0) return;
    throw new WritError('CONFLICT', 'a change waits for a yes', { nextSteps: ['writ policy status'] });
  };
  const config: ConfigFile = {
    ready,
    read: async () => text,
    async edit(edit) {
      await ready();
      return rewrite(edit, true);
    },
    takeAway: (edit) => rewrite(edit, false),
  };
  const endedWork: string[] = [];
  const address = `${name.toLowerCase()}.example:7420`;
  const options: PairingOptions = {
    identity,
    pins: withPower(pins, power),
    invites,
    intents: createPeerIntentStore(createNodeFactStore()),
    database: { ...database, withWriteTx: (fn) => fused(power, () => database.withWriteTx(fn)) },
    authority,
    engine,
    config,
    edits: { addPeer, readPeer, removePeer, updatePeer },
    consent: { isNeeded: () => false, ask: () => '', answer: async () => false },
    endWork: async (peerId) => void endedWork.push(peerId),
    transport: network,
    nodeName: name,
    address: () => address,
    clock,
    random,
    logger: silentLogger,
    ...replaced,
  };
  const node: TestNode = {
    home,
    pairing: createPairing(options),
    options,
    endedWork,
    identity,
    pins,
    database,
    authority,
    engine,
    text: () => text,
    close() {
      database.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
  network.nodes.set(address, node);
  return node;
}
