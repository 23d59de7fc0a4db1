import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Clock,
  createSystemClock,
  createSystemRandom,
  digestJson,
  type Json,
  type LogFields,
  silentLogger,
  WritError,
} from '@writ/core';
import type { LeaseAnswer, OutgoingSubmit } from '@writ/delegation';
import { createIdentity, createPinStore, issueWrit, type NodeIdentity, type PinStore } from '@writ/identity';
import type { RedeemClientMessage, RedeemServerMessage } from '@writ/pairing';
import { addPeer, createPolicyEngine, type PolicyEngine, stockConfig, updatePeer } from '@writ/policy';
import { createPeerClients, type PeerClients } from '../client/peer-clients.ts';
import type { MeshLimits } from '../limits.ts';
import { createMeshServer, type MeshServer } from '../server/mesh-server.ts';
import { createFakeCommands, type FakeCommands } from './fake-commands.ts';
import { createFakeExecutor, type FakeExecutor } from './fake-executor.ts';

/** A node of a test: real keys, real policy, real TLS; what would run tasks is a fake. */
export interface TestNode {
  readonly name: string;
  readonly id: string;
  readonly address: string;
  readonly identity: NodeIdentity;
  readonly pins: PinStore;
  readonly engine: PolicyEngine;
  readonly executor: FakeExecutor;
  readonly commands: FakeCommands;
  readonly server: MeshServer;
  readonly clients: PeerClients;
  /** Pins a node and puts it into the configuration. */
  trust(other: TestNode, options?: { readonly address?: string }): Promise<void>;
  /** Takes it out of both. */
  distrust(other: TestNode): Promise<void>;
  /** Loads the configuration with these peers and no others, without touching the pins; a peer may use its workspaces. */
  configure(peers: readonly TestPeer[], more?: string): Promise<void>;
  openInvite: boolean;
  /** How this node answers a `Redeem`. */
  serve: (messages: AsyncIterable<RedeemClientMessage>) => AsyncIterable<RedeemServerMessage>;
  /** Asked of `CheckPolicy`, in order. */
  readonly questions: unknown[];
  /** What the next requests for leases come to; none is left: a question waits. */
  readonly leaseAnswers: LeaseAnswer[];
  /** Lines that the server wrote at `info` and above. */
  readonly logged: { readonly message: string; readonly fields: LogFields | undefined }[];
  /** What waits, where timers go off on demand. */
  readonly timers: readonly TestTimer[];
  close(): Promise<void>;
}

interface TestTimer {
  readonly delayMs: number;
  fire(): void;
}

function holdTimer(timers: TestTimer[], delayMs: number, fire: () => void): () => void {
  const timer = { delayMs, fire };
  timers.push(timer);
  return () => {
    timer.fire = () => undefined;
  };
}

interface TestPeer {
  readonly label: string;
  readonly id: string;
  readonly address?: string;
  readonly enabled?: boolean;
  readonly profiles?: readonly string[];
  readonly workspaces?: readonly string[];
}

/** Workspaces that every node has and no peer may use unless it is configured to. */
const WORKSPACES = ['app', 'lib'].map((name) => ({ name, path: `/srv/${name}` }));

/** Starts a node on a free port of the loopback. */
export async function startTestNode(
  name: string,
  limits: Partial<MeshLimits> = {},
  options: {
    /** Another node whose place is taken: its keys, its pins and its address. */
    readonly at?: TestNode;
    /** Where it listens; absent: on a free port of 127.0.0.1. */
    readonly listen?: string;
    /** Timers go off only when the test says so. */
    readonly timersOnDemand?: boolean;
  } = {},
): Promise<TestNode> {
  const dir = mkdtempSync(join(tmpdir(), 'writ-mesh-'));
  const timers: TestTimer[] = [];
  const clock: Clock = {
    ...createSystemClock(),
    ...(options.timersOnDemand ? { setTimer: (delayMs, fire) => holdTimer(timers, delayMs, fire) } : {}),
  };
  const random = createSystemRandom();
  const identity = options.at?.identity ?? (await createIdentity({ dir: join(dir, 'keys'), clock, random }));
  const pins = options.at?.pins ?? createPinStore(join(dir, 'pins'), random, silentLogger);
  const text = stockConfig({ nodeName: name, workspaces: WORKSPACES, isolation: 'none' });
  const engine = options.at?.engine ?? createPolicyEngine({ text, clock, selfId: identity.public.id });
  const executor = createFakeExecutor();
  const commands = createFakeCommands();
  const clients = createPeerClients({ identity, pins, engine, clock, logger: silentLogger });
  const questions: unknown[] = [];
  const leaseAnswers: LeaseAnswer[] = [];
  const logged: { message: string; fields: LogFields | undefined }[] = [];
  const note = (message: string, fields?: LogFields): void => void logged.push({ message, fields });
  const pairing: Pick<TestNode, 'openInvite' | 'serve'> = { openInvite: false, async *serve() {} };
  const server = createMeshServer({
    identity,
    pins,
    engine,
    executor,
    commands,
    pairing: { hasOpenInvite: () => pairing.openInvite, serve: (messages) => pairing.serve(messages) },
    async checkPolicy(subject, question) {
      questions.push({ subject, question });
      return engine.decide({ ...question, from: subject.from, leases: [], usage: { concurrent: 0, lastHour: 0 } });
    },
    requestLease(request) {
      questions.push(request);
      return leaseAnswers.shift() ?? { asked: true, approval: 'ap-1', state: 'pending', answerByMs: 5 };
    },
    endSession(from, statement) {
      const text = Buffer.from(statement).toString();
      if (text === 'bad') throw new WritError('EVIDENCE_INVALID', 'a path of this machine');
      questions.push(`${from} ${text}`);
    },
    noteRefusal: (from, code) => void questions.push(`${from} ${code}`),
    name,
    version: '0.0.0',
    clock,
    logger: { debug() {}, info: note, warn: note, error: note },
    limits: { revokedGraceMs: 50, ...limits },
  });
  const { port } = await server.listen(options.at?.address ?? options.listen ?? '127.0.0.1:0');
  const id = identity.public.id;
  const parts = {
    name,
    id,
    address: `127.0.0.1:${port}`,
    identity,
    pins,
    engine,
    executor,
    commands,
    server,
    clients,
    questions,
    leaseAnswers,
    logged,
    timers,
  };
  return Object.assign(pairing, parts, createTrust(text, engine, pins), {
    async close() {
      clients.close();
      await server.close(2_000);
      // A connection that outlives its server is a leak.
      if (server.connections() !== 0) throw new Error(`${server.connections()} connections of ${name} are left`);
      rmSync(dir, { recursive: true });
    },
  });
}

function createTrust(
  text: string,
  engine: PolicyEngine,
  pins: PinStore,
): Pick<TestNode, 'trust' | 'distrust' | 'configure'> {
  const peers = new Map<string, TestPeer>();
  const configure = async (list: readonly TestPeer[], more = ''): Promise<void> => {
    const rights = { profiles: ['query', 'repo-dev'], workspaces: [] };
    const named = list.reduce((config, { enabled = true, ...peer }) => {
      const added = addPeer(config, { ...rights, ...peer, outbound: rights });
      return enabled ? added : updatePeer(added, peer.label, { enabled });
    }, text);
    const outcome = await engine.reload(named + more, { acceptWidening: true });
    if (!outcome.reloaded) throw new Error(JSON.stringify(outcome.violations));
  };
  return {
    configure,
    async trust(other, { address = other.address } = {}) {
      await pins.put(other.identity.public);
      peers.set(other.id, { label: other.name, id: other.id, address });
      await configure([...peers.values()]);
    },
    async distrust(other) {
      peers.delete(other.id);
      await configure([...peers.values()]);
      await pins.remove(other.id);
    },
  };
}

let count = 0;

/** A submit of one command with its writ from one node to another. */
export function submitFrom(from: TestNode, to: TestNode, change: Partial<OutgoingSubmit> = {}): OutgoingSubmit {
  count += 1;
  const seconds = Math.floor(createSystemClock().nowMs() / 1000);
  const task = change.task ?? `task-${count}`;
  const spec = change.spec ?? { input: { kind: 'argv' as const, argv: ['true'] }, profile: 'query' };
  const writ = issueWrit(from.identity, {
    v: 1,
    iss: from.id,
    aud: to.id,
    task,
    origin: from.id,
    session: 'session-1',
    agent: 'agent-1',
    ...(spec.profile === undefined ? {} : { profile: spec.profile }),
    grant: { closure: ['inspect_status'], workspaces: [], network: 'deny', maxOutputBytes: 1000 },
    depth: 0,
    iat: seconds,
    exp: seconds + 600,
    nonce: Buffer.from(createSystemRandom().bytes(16)).toString('hex'),
    request: digestJson(spec as unknown as Json),
    generation: 1,
  });
  return {
    task,
    idempotencyKey: `key-${task}`,
    spec,
    writs: [writ],
    session: 'session-1',
    agent: 'agent-1',
    ...change,
  };
}
