import { type Authority, createAuthority, createGate, type Gate, readRequest } from '@writ/authority';
import { createSystemRandom, nodeIdFromBase32, sha256Hex, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import type { TaskContext } from '@writ/delegation';
import {
  createApprovalStore,
  createApproverStore,
  createExecutionStore,
  createInviteStore,
  createLeaseStore,
  createRequestLogStore,
  createSessionStore,
  createWindowStore,
} from '@writ/lease-store';
import { type Classification, createPolicyEngine, type PolicyEngine } from '@writ/policy';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { createCommandDesk, type LiveCommandDesk } from '../desk.ts';
import type { Looked } from '../parts.ts';
import type { CommandCaller, CommandFiles, CommandOrder, CommandReport, OutputPiece } from '../types.ts';

export const SELF_ID = nodeIdFromBase32('b'.repeat(32));
export const PEER_ID = nodeIdFromBase32('a'.repeat(32));
export const HOUR_MS = 3_600_000;
const START_MS = 1_800_000_000_000;

/** This node's agents and one peer may change it, with a lease. */
export const POLICY = `schema = 1
[node]
name = "beta"
[workspaces.app]
path = "/srv/app"
[workspaces.two]
path = "/srv/two"
[profiles.ops]
capabilities = ["inspect_status", "manage_services", "destructive"]
runner = "shell"
isolation = "none"
timeout = "10m"
require_explicit = true
require_lease = true
[profiles.boxed]
capabilities = ["inspect_status"]
runner = "shell"
[profiles.looks]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[self]
profiles = ["ops", "boxed", "looks"]
workspaces = ["app", "two"]
[peers.alpha]
id = "${PEER_ID}"
profiles = ["ops"]
workspaces = ["app"]
`;

export const IN_A: CommandCaller = { kind: 'host', session: { id: 'a', agent: 'agent' } };
export const IN_B: CommandCaller = { kind: 'host', session: { id: 'b', agent: 'agent' } };

/** A process of a test, which ends when the test says so. */
export interface HeldProcess {
  readonly order: CommandOrder;
  write(text: string): void;
  end(report?: Partial<CommandReport>): void;
}

/** What is done with files. */
export interface HeldCounts {
  /** Held now. */
  count: number;
  looks: number;
  /** Paths that were read and not held. */
  readonly reads: string[];
  /** Told each time that one is read, which goes on when that is done. */
  onRead: (signal: AbortSignal | undefined) => Promise<void>;
}

/** A desk on a real database, engine and gate; files and processes are the test's. */
export interface DeskFixture {
  readonly desk: LiveCommandDesk;
  readonly gate: Gate;
  readonly authority: Authority;
  readonly database: Database;
  /** Stands until a test moves it. */
  readonly clock: FakeClock;
  readonly engine: PolicyEngine;
  /** Content by path; every one is a program, and everything else is a directory. */
  readonly files: Map<string, string>;
  readonly held: HeldCounts;
  readonly processes: Map<string, HeldProcess>;
  /** Told each time that a process is started, before it is. */
  onStart: (order: CommandOrder) => void;
  /** Told when processes of an earlier node are to be ended. */
  onEndLeft: () => Promise<void>;
  /** Processes go on when they are stopped, until the test ends them. */
  holdStops: boolean;
  /** Why nobody can tell what a command is; absent: they can. */
  untold: Looked['untold'] | undefined;
  /** What a task that runs here may do, by its id. */
  readonly contexts: Map<string, TaskContext>;
  readonly environment: Record<string, string>;
  yes(approval: string | undefined, scope?: 'once' | 'session' | 'target'): void;
  close(): Promise<void>;
}

export async function createDeskFixture(): Promise<DeskFixture> {
  const clock = createFakeClock(START_MS);
  const database = await openDatabase({ path: ':memory:', clock, logger: silentLogger });
  const engine = createPolicyEngine({ text: POLICY, clock, selfId: SELF_ID });
  const random = createSystemRandom();
  const sessions = createSessionStore();
  const base = {
    ...{ database, engine, random, logger: silentLogger, liveTasks: { countLive: () => 0 } },
    ...{ leases: createLeaseStore(), requestLog: createRequestLogStore(), invites: createInviteStore() },
    ...{ windows: createWindowStore(), approvals: createApprovalStore(), executions: createExecutionStore() },
  };
  const authority = createAuthority(base);
  const contexts = new Map<string, TaskContext>();
  const gate = createGateOf({ base, authority, sessions, contexts });
  for (const peer of [PEER_ID, 'self']) {
    authority.grantLease({ peer, profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
  }
  const files = new Map([
    ['/bin/systemctl', 'systemctl'],
    ['/bin/uptime', 'uptime'],
  ]);
  const held: HeldCounts = { count: 0, looks: 0, reads: [], onRead: async () => undefined };
  const processes = new Map<string, HeldProcess>();
  const output = new Map<string, OutputPiece[]>();
  const environment: Record<string, string> = { PATH: '/bin', LANG: 'C' };
  const at: Pick<DeskFixture, 'onStart' | 'onEndLeft' | 'holdStops' | 'untold'> = {
    ...{ onStart: () => undefined, holdStops: false, untold: undefined },
    onEndLeft: async () => undefined,
  };
  const desk = createCommandDesk({
    ...{ self: SELF_ID, database, engine, authority, gate, clock, random, logger: silentLogger },
    executor: { get: (id) => (contexts.has(id) ? (TASK as never) : undefined) },
    contextOf(_, id) {
      const context = contexts.get(id);
      if (context === undefined) throw new Error('no such task');
      return context;
    },
    classify(argv) {
      const classification = classify(argv);
      const { untold } = at;
      if (untold === undefined) return { classification, decided: true };
      return { classification: { ...classification, class: 'destructive', known: false }, decided: false, untold };
    },
    factsOf: ({ class: of, known, needs, target }) => ({ class: of, known, needs, ...(target && { target }) }),
    environmentOf: () => ({ values: { ...environment }, secretNames: new Set(), sealKey: Buffer.alloc(32) }),
    workspacePath: (name) => (name === 'app' ? '/srv/app' : undefined),
    recordSession(tx, { origin, id, agent }) {
      if (sessions.get(tx, origin, id) === undefined) sessions.start(tx, { origin, id, agent });
    },
    endLeft: () => at.onEndLeft(),
    files: filesOf(files, held),
    processes: {
      async start(order, onOutput) {
        at.onStart(order);
        return startHeld(order, onOutput, { processes, output, holdsStops: () => at.holdStops });
      },
      readOutput: async (id, offset) => pageOf(output.get(id) ?? [], offset),
    },
  });
  desk.start();
  const fixture = { desk, clock, gate, authority, database, engine, files, held, processes, contexts, environment };
  return Object.assign(at, fixture, {
    yes(approval: string | undefined, scope: 'once' | 'session' | 'target' = 'once') {
      const statement = gate.approvals.statement(approval ?? '', { answer: 'approve', scope });
      if (statement === undefined) throw new Error(`no approval ${approval}`);
      const proof = { kind: 'passphrase', approver: 'ap-1', signature: 'signed' } as const;
      const outcome = gate.approvals.decide(approval ?? '', { statement, proof });
      if (!outcome.decided) throw new Error(outcome.refusal.message);
    },
    async close() {
      await desk.close();
      gate.close();
      database.close();
    },
  });
}

const TASK = {
  spec: { workspace: 'app' },
  granted: { effectiveProfile: 'ops', effectiveRunner: 'shell', isolation: 'none' },
};

function createGateOf({
  base,
  authority,
  sessions,
  contexts,
}: {
  readonly base: Parameters<typeof createAuthority>[0];
  readonly authority: Authority;
  readonly sessions: ReturnType<typeof createSessionStore>;
  readonly contexts: ReadonlyMap<string, TaskContext>;
}): Gate {
  const none = { refusal: () => undefined, digestNow: () => undefined, settle: () => undefined };
  const rights = (_: unknown, { task = '', profile }: { readonly task?: string; readonly profile: string }) => ({
    ...{ granted: true as const, profile, closure: contexts.get(task)?.closure ?? [] },
    ...{ runner: 'shell', network: contexts.get(task)?.network ?? ('deny' as const), isolation: 'none' as const },
  });
  const gate = createGate({
    ...base,
    ...{ self: SELF_ID, authority, sessions, approvers: createApproverStore() },
    invites: createInviteStore(),
    approvals: createApprovalStore(),
    windows: createWindowStore(),
    executions: createExecutionStore(),
    tasks: { isLive: (_, id) => contexts.has(id) },
    taskRights: { look: rights, claim: rights, giveBack: () => undefined },
    classify({ request }) {
      const { class: of, known, needs, target } = classify(readRequest(request)?.argv ?? []);
      return { class: of, known, needs, ...(target && { target }) };
    },
    verify: () => true,
    kinds: { task: none, permission: none, credential: none, policy: none, peer: none },
  });
  base.database.withWriteTx((tx) =>
    gate.approvers.enroll(tx, { id: 'ap-1', kind: 'passphrase', publicKey: 'key', label: 'person' }),
  );
  return gate;
}

/** `uptime` reads, `systemctl stop` is destructive, everything else changes a service. */
function classify(argv: readonly string[]): Classification {
  const [program, verb, name] = argv;
  const of = program === 'uptime' ? 'read' : verb === 'stop' ? 'destructive' : 'config-mutation';
  return {
    ...{ class: of, known: true, rule: 'test', reason: 'test', commands: [] },
    needs: of === 'read' ? ['inspect_status'] : ['manage_services'],
    ...(name === undefined ? {} : { target: `self/service/${name}` }),
  };
}

function filesOf(files: ReadonlyMap<string, string>, held: HeldCounts): CommandFiles {
  return {
    async inspect(path) {
      held.looks += 1;
      const kind = files.has(path) ? 'file' : path.startsWith('/bin/') ? undefined : 'directory';
      if (kind === undefined) return undefined;
      return { kind, realPath: path, device: '1', inode: sha256Hex(path), born: '0', sizeBytes: 1, isExecutable: true };
    },
    async read(path, _mostBytes, signal) {
      const content = files.get(path);
      if (content === undefined) return undefined;
      held.reads.push(path);
      await held.onRead(signal);
      const sha256 = sha256Hex(content);
      return {
        sha256,
        sizeBytes: content.length,
        heldPath: path,
        isCopy: false,
        leavesPlace: true,
        release: async () => undefined,
      };
    },
    async hold(path) {
      const content = files.get(path);
      if (content === undefined) return undefined;
      held.count += 1;
      return {
        ...{
          sha256: sha256Hex(content),
          sizeBytes: content.length,
          heldPath: `/held${path}`,
          isCopy: true,
          leavesPlace: true,
        },
        async release() {
          held.count -= 1;
        },
      };
    },
  };
}

function startHeld(
  order: CommandOrder,
  onOutput: () => void,
  {
    processes,
    output,
    holdsStops,
  }: {
    readonly processes: Map<string, HeldProcess>;
    readonly output: Map<string, OutputPiece[]>;
    readonly holdsStops: () => boolean;
  },
) {
  let end: (report: CommandReport) => void = () => undefined;
  const done = new Promise<CommandReport>((resolve) => {
    end = resolve;
  });
  processes.set(order.id, {
    order,
    write(text) {
      const pieces = output.get(order.id) ?? [];
      output.set(order.id, [
        ...pieces,
        { offset: pieces.length, atMs: START_MS, stream: 'stdout', data: Buffer.from(text) },
      ]);
      onOutput();
    },
    end: (report = {}) => end({ ending: { kind: 'exit', exitCode: 0 }, truncated: false, ...report }),
  });
  return {
    done,
    stop(cause: { readonly kind: 'cancel'; readonly cause: string } | { readonly kind: 'timeout' }) {
      if (holdsStops()) return;
      end({ ending: cause.kind === 'cancel' ? cause : { kind: 'timeout', timeoutMs: 1 }, truncated: false });
    },
  };
}

function pageOf(pieces: readonly OutputPiece[], offset: number) {
  const page = pieces.slice(offset);
  return { pieces: page, next: Math.max(offset, pieces.length) };
}
