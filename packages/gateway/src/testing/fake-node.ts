import type { Lease } from '@writ/authority';
import { createSystemRandom, type Logger, WritError } from '@writ/core';
import type { DelegateRequest, Mirror, Task } from '@writ/delegation';
import type { InviteEvent, JoinEvent } from '@writ/pairing';
import { untilAborted } from '../abortable.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import type { PeerDescription, PolicyVerdict } from '../ports.ts';
import type { Caller, SessionRef } from '../types.ts';
import { fakeAgents } from './fake-agents.ts';
import { fakeAuditLog } from './fake-audit-log.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { fakeCommands } from './fake-commands.ts';
import { BETA_ID, GAMMA_ID } from './fake-config.ts';
import { fakeAuthority, fakeEngine, fakeExecutor, fakeOrigin, partial } from './fake-core.ts';
import { createFakeEnd, type FakeEnd } from './fake-end.ts';
import { fakeGate } from './fake-gate.ts';
import { createFakeResults, type FakeResults } from './fake-results.ts';
import { createFakeTrail, type FakeTrail } from './fake-trail.ts';
import { createFakeWorkspaces } from './fake-workspaces.ts';

/** The token that a fake node takes for its host's. */
export const HOST_TOKEN = 'host-token-of-the-test';
/** What a fake node takes for the credential of a session. */
export const SESSION_CREDENTIAL = 'session-credential-of-the-test';
/** The token that a fake node takes for that of task `t-root`. */
export const TASK_TOKEN = 'task-token-of-the-test';

/** Everything that a gateway stands on, in memory, with handles for a test. */
export interface FakeNode {
  readonly ports: GatewayPorts;
  readonly clock: FakeClock;
  readonly asked: FakeEnd<Mirror>;
  readonly executing: FakeEnd<Task>;
  /** Of both ends. */
  readonly results: FakeResults;
  readonly trail: FakeTrail;
  readonly delegated: DelegateRequest[];
  readonly leases: Map<string, Lease>;
  readonly sessions: string[];
  /** What was asked of commands, by whom. */
  readonly commanded: Parameters<GatewayPorts['commands']['ask']>[];
  readonly logged: string[];
  readonly stops: number;
  /** Parent of each sub-delegated task. */
  readonly children: Map<string, string>;
  invites: AsyncIterable<InviteEvent>;
  /** Answers to invites. */
  readonly confirmed: { readonly id: string; readonly accept: boolean }[];
  joins: AsyncIterable<JoinEvent>;
}

/** A fake node without tasks. */
export function createFakeNode(): FakeNode {
  const clock = createFakeClock();
  const asked = createFakeEnd<Mirror>();
  const executing = createFakeEnd<Task>();
  const results = createFakeResults();
  const trail = createFakeTrail();
  const leases = new Map<string, Lease>();
  const counters = { stops: 0 };
  const logged: string[] = [];
  const delegated: DelegateRequest[] = [];
  const sessions: string[] = [];
  const startSession = (agent: string): SessionRef => {
    sessions.push(agent);
    return { origin: 'wn-alpha', id: `s-${sessions.length}`, agent };
  };
  const commanded: FakeNode['commanded'] = [];
  const children = new Map<string, string>();
  const ports: GatewayPorts = {
    engine: fakeEngine(),
    authority: fakeAuthority(leases),
    origin: fakeOrigin(asked, delegated, results),
    executor: fakeExecutor(executing, results),
    commands: fakeCommands(commanded),
    pairing: fakePairing(() => node),
    ...fakeGate(),
    node: fakeControl(clock, counters),
    agents: fakeAgents(),
    links: { state: (id) => (id === BETA_ID ? 'up' : 'none') },
    describe: { describe: describePeer, check: checkPeer },
    config: fakeAdmin(),
    advice: fakeAdvice(),
    profiles: fakeValidator(),
    workspaces: createFakeWorkspaces(),
    sessions: {
      start: startSession,
      startForCall: startSession,
      issue: (agent) => ({ session: { origin: 'wn-alpha', id: 'cli-1', agent }, credential: SESSION_CREDENTIAL }),
      find: (credential) =>
        credential === SESSION_CREDENTIAL ? { origin: 'wn-alpha', id: 'cli-1', agent: 'cli' } : undefined,
      listOpen: () => [{ origin: 'wn-alpha', id: 'cli-1', agent: 'cli', startedAtMs: 1 }],
      end: () => ({ ended: true, peers: 0 }),
    },
    authenticator: { authenticate: callerOf },
    scope: {
      within(root, task) {
        for (let at = children.get(task); at !== undefined; at = children.get(at)) if (at === root) return true;
        return false;
      },
      members: (root, limit) =>
        [...children.keys()]
          .filter((id) => ports.scope.within(root, id))
          .reverse()
          .slice(0, limit),
    },
    audit: trail,
    auditKinds: ['lease', 'task', 'approval', 'peer'],
    auditLog: fakeAuditLog(trail),
    upstreamProcesses: { start: () => Promise.reject(new WritError('RUNNER_UNAVAILABLE', 'there is no spawner')) },
    upstreamAudit: { note: () => {} },
    clock,
    random: createSystemRandom(),
    logger: recordingLogger(logged),
  };
  const node: FakeNode = {
    ports,
    clock,
    asked,
    executing,
    results,
    trail,
    delegated,
    leases,
    sessions,
    commanded,
    logged,
    children,
    get stops() {
      return counters.stops;
    },
    invites: empty(),
    confirmed: [],
    joins: empty(),
  };
  return node;
}

async function* empty(): AsyncGenerator<never> {}

function callerOf(token: string): Caller | undefined {
  if (token === HOST_TOKEN) return { kind: 'host' };
  if (token !== TASK_TOKEN) return undefined;
  return { kind: 'task', task: 't-root', session: { origin: BETA_ID, id: 's-9', agent: 'other' } };
}

function recordingLogger(logged: string[]): Logger {
  const record = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  return { debug: record, info: record, warn: record, error: record };
}

function fakePairing(node: () => FakeNode): GatewayPorts['pairing'] {
  return partial<GatewayPorts['pairing']>({
    createInvite: async () => ({ id: 'i-1', code: 'writ-code', expiresAtMs: 5 }),
    watchInvite: (_id, signal) => untilAborted(node().invites, signal),
    confirm: async (id, accept) => void node().confirmed.push({ id, accept }),
    join: () => node().joins,
    remove: async (label) => ({ label, generation: 8 }),
  });
}

function fakeControl(clock: FakeClock, counters: { stops: number }): GatewayPorts['node'] {
  return {
    info: () => ({
      id: 'wn-alpha',
      name: 'alpha',
      version: '0.1.0',
      pid: 4242,
      startedAtMs: clock.nowMs(),
      home: '/home/of/the/node',
      clockIsBackwards: false,
      unseparated: true,
      unreadableRows: ['task/t-9'],
    }),
    sandbox: async () => 'bubblewrap',
    commandsProblem: () => 'no thread',
    requestStop: () => {
      counters.stops += 1;
    },
  };
}

async function describePeer(id: string): Promise<PeerDescription> {
  if (id === GAMMA_ID) throw new WritError('UNREACHABLE', 'gamma has no address');
  return {
    id,
    name: 'beta',
    version: '0.1.0',
    profiles: [{ name: 'repo-dev', rank: 2, requiresLease: true, requiresApproval: false }],
    workspaces: ['app'],
    generation: 3,
  };
}

async function checkPeer(_id: string, { profile }: { readonly profile?: string }): Promise<PolicyVerdict> {
  const refusal = {
    code: 'LEASE_REQUIRED',
    message: 'it needs a lease',
    nextSteps: [],
    generation: 3,
  } as const;
  if (profile === 'repo-dev') return { effect: 'deny', ...refusal };
  return { effect: 'allow', ...refusal, code: 'OK', message: 'may run', nextSteps: [], effectiveProfile: 'query' };
}

/** What a setup tool finds there: something of each kind that it can take away. */
const SET_UP = `schema = 1
[workspaces.app]
path = "/src/app"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
[profile_ceilings]
query = "query"
[peers.beta]
id = "${BETA_ID}"
[peers.beta.profile_ceilings]
query = "query"
`;

function fakeAdmin(): GatewayPorts['config'] {
  return {
    text: async () => 'schema = 1\n',
    reload: async () => ({ reloaded: true, generation: 8, restartNeeded: [] }),
    unusedYesAtMs: () => undefined,
    validate: async (text) => ({
      violations: text.startsWith('schema') ? [] : [{ code: 'TOML_SYNTAX', path: '', message: 'no TOML' }],
      deprecations: [],
    }),
    test: async () => [{ name: 'laptop query', ok: true, expected: 'allow:query', got: 'allow:query', line: 3 }],
    propose: async (change) => ({
      difference: change(SET_UP),
      digest: '0'.repeat(64),
      violations: [],
      changes: [],
      gains: [],
    }),
    revert: async () => ({ difference: '', digest: '0'.repeat(64), violations: [], changes: [], gains: [] }),
  };
}

function fakeAdvice(): GatewayPorts['advice'] {
  return {
    clients: async () => [{ client: 'cursor', here: true, state: 'absent', file: '/home/a/.cursor/mcp.json' }],
    clientSteps: () => ({ file: '/home/a/.cursor/mcp.json', settings: '{}' }),
    service: () => ({ kind: 'systemd', file: '/home/a/writ.service', text: '[Service]', installed: false }),
  };
}

function fakeValidator(): GatewayPorts['profiles'] {
  return {
    validate: ({ capabilities, requireLease }) => ({
      violations: requireLease ? [] : [{ code: 'HIGH_RISK_NEEDS_LEASE', path: 'profiles.x', message: 'set it' }],
      deprecations: [],
      closure: [...capabilities].sort(),
      rank: 2,
    }),
  };
}
