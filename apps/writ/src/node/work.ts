import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Authority, type AuthorityOptions, createAuthority, type LeaseRequest } from '@writ/authority';
import type { Commands, LiveCommandDesk } from '@writ/commands';
import {
  createExecutor,
  createFileTranscripts,
  createLocalPeerClient,
  createOrigin,
  type EvidenceKit,
  type Executor,
  type LeaseAnswer,
  type Origin,
  type PeerClient,
  type PeerDirectory,
  type TranscriptMirror,
  type TurnDesk,
} from '@writ/delegation';
import { createPeerClients, type PeerClients } from '@writ/mesh';
import type { ShellGrammar } from '@writ/policy';
import { createTaskRunner, type TaskRunner } from '@writ/runner';
import type { Environment } from '../env.ts';
import { toolClassifier } from './classification.ts';
import type { Closers } from './closers.ts';
import type { CommandLooker } from './command-looker.ts';
import { openEvidence } from './evidence.ts';
import type { Foundations } from './foundations.ts';
import type { NodeGateParts } from './gate.ts';
import { createNodeCommandDesk, createNodeCommands } from './gated-commands.ts';
import { resolveConfigPath } from './paths.ts';
import { createLeaseDesk, createNodeQuestions } from './persons.ts';
import { createQuestions, type NodeQuestions } from './questions.ts';
import { leadsTo } from './real-path.ts';
import { createNodeRemoval } from './removal.ts';
import { createSessionEnds, createSessionRecord, sessionsLive } from './sessions.ts';
import { createNodeStorage, type NodeStorage, storageOptions } from './storage.ts';
import { createTaskDoors, type NodeTaskDoors } from './task-doors.ts';
import { createTurnDesk } from './turn-desk.ts';
import { createWritIssuer } from './writ-issuer.ts';

/** The use cases of a node: both ends of tasks, and what stands behind them. */
export interface Work extends NodeQuestions {
  readonly authority: Authority;
  /** Gated commands of this node. */
  readonly desk: LiveCommandDesk;
  /** Gated commands here and at peers. */
  readonly commands: Commands;
  readonly executor: Executor;
  readonly origin: Origin;
  readonly peers: PeerClients;
  /** Asks a person of this node for a lease. */
  readonly requestLease: (request: LeaseRequest) => LeaseAnswer;
  /** What a sandbox of this machine can do. */
  readonly sandbox: TaskRunner['sandbox'];
  /** Whether what a run takes is limited as a whole. */
  readonly groups: TaskRunner['groups'];
  /** What is kept on the disk of tasks that are over. */
  readonly storage: NodeStorage;
  /** What is installed on this machine. */
  readonly agents: TaskRunner['agents'];
  /** Programs that answer while the node runs. */
  readonly services: TaskRunner['services'];
  readonly environment: Environment;
  /** Bound to the gateway once that is there. */
  readonly doors: NodeTaskDoors;
}

/** Tasks that run at once for each processor; the others queue. */
const SLOTS_PER_CPU = 4;
/** How long a writ is good for, seconds; it is renewed while its task goes on. */
const WRIT_LIFE_S = 3600;
/** Most bytes of one task's transcript, at either end. */
const TRANSCRIPT_CAP_BYTES = 64 * 1024 * 1024;

/** What the use cases take from outside the node's home. */
export interface WorkOptions {
  readonly environment: Environment;
  readonly grammar: ShellGrammar;
  readonly looker: CommandLooker;
  /** The bundle that starts processes. */
  readonly spawner: URL;
  /** Files and folders of this program, absolute, for tasks that talk to their node. */
  readonly programs: readonly string[];
}

export async function createWork(base: Foundations, options: WorkOptions, closers: Closers): Promise<Work> {
  const { environment } = options;
  const { clock, random, logger, database, stores, engine, home } = base;
  const authorityOptions = authorityOptionsOf(base);
  const authority = createAuthority(authorityOptions);
  const runner = createNodeRunner(base, options, closers);
  const evidence = await openEvidence(base, runner, environment);
  const transcripts = createFileTranscripts(home.mirrorsDir);
  const storage = openStorage(base, runner, evidence, transcripts, closers);
  const doors = createTaskDoors({ dir: home.tasksDir, tokens: stores.tokens, random, logger });
  const turns = createNodeTurns(base, () => questions);
  const executor = withSpans(base, {
    database,
    ...{ tasks: stores.tasks, mirrors: stores.mirrors, removals: stores.removals, authority },
    engine,
    runner,
    evidence,
    doors,
    ...{ turns, workspaces: workspacePaths(base) },
    questions: createNodeQuestions(base, authorityOptions, () => gate.approvals),
    ...{ clock, random, logger },
    sideWork: { end: (task) => desk.endOf(task) },
    slots: SLOTS_PER_CPU * availableParallelism(),
  });
  closers.add((graceMs) => executor.close(graceMs));
  const recordSession = createSessionRecord(stores.sessions, base.identity.public.id);
  const contextOf: NodeGateParts['contextOf'] = (tx, task) => executor.context(tx, task);
  const gateParts = { ...options, options: authorityOptions, authority, contextOf, ...kindsOf(executor) };
  const questions: NodeQuestions = createQuestions(base, gateParts);
  const { gate, classifier, factsOf } = questions;
  closers.add(() => gate.close());
  const requestLease = createLeaseDesk(base, { options: authorityOptions, authority }, gate);
  const desk = createNodeCommandDesk(base, { gate, authority, classifier, factsOf, executor, runner, environment });
  closers.add(() => desk.close());
  const peers = createNodePeers(base);
  closers.add(() => peers.close());
  const issuer = createWritIssuer({ identity: base.identity, engine, clock, random, lifeS: WRIT_LIFE_S });
  const commands = createNodeCommands(base, { desk, peers, issuer });
  const origin = createOrigin({
    database,
    mirrors: stores.mirrors,
    removals: stores.removals,
    engine,
    directory: withSelf(peers, createLocalPeerClient(executor, requestLease)),
    issuer,
    contextOf,
    transcripts,
    transcriptCapBytes: TRANSCRIPT_CAP_BYTES,
    evidence,
    tasks: stores.tasks,
    ...{ recordSession, sessionEnds: createSessionEnds(stores.sessions, gate) },
    sessionLives: sessionsLive(stores.sessions, base.identity.public.id),
    ...{ clock, random, logger },
  });
  closers.add(() => origin.close());
  // What a task handed on ends with it, in the same transaction.
  executor.onEnd((tx, task) => origin.cancelChildren(tx, task.id));
  executor.onEnd((tx, task) => {
    gate.taskEnded(tx, task.id);
    tx.afterCommit(() => desk.taskEnded(task.id));
  });
  const parts = { ...questions, authority, desk, commands, executor, origin, peers, requestLease, doors };
  return { ...parts, ...aboutOf(runner), environment, storage };
}

/** Its sweep asks the database and the runner: both outlive it. */
function openStorage(
  base: Foundations,
  runner: TaskRunner,
  evidence: EvidenceKit,
  transcripts: TranscriptMirror,
  closers: Closers,
): NodeStorage {
  const removal = createNodeRemoval(base, runner, evidence, transcripts);
  const storage = createNodeStorage(base, runner, evidence, removal);
  closers.add(async () => {
    await Promise.all([storage.close(), removal.close()]);
  });
  return storage;
}

/** What the runner knows of its machine. */
function aboutOf(runner: TaskRunner): Pick<TaskRunner, 'sandbox' | 'groups' | 'agents' | 'services'> {
  const { sandbox, groups, agents, services } = runner;
  return { sandbox, groups, agents, services };
}

/** Its tasks have a place in the traces where there are any. */
function withSpans({ telemetry }: Foundations, parts: Parameters<typeof createExecutor>[0]): Executor {
  const executor = createExecutor(parts);
  return telemetry?.spans.executor(executor) ?? executor;
}

function createNodePeers({ identity, pins, engine, clock, logger, telemetry }: Foundations): PeerClients {
  return createPeerClients({ identity, pins, engine, clock, logger, tracing: telemetry?.tracing });
}

function createNodeRunner(
  base: Foundations,
  { environment, spawner, programs }: Pick<WorkOptions, 'environment' | 'spawner' | 'programs'>,
  closers: Closers,
): TaskRunner {
  const { home, clock, random, logger, telemetry } = base;
  const runner = createTaskRunner({
    root: {
      ...{ workspaces: home.workspacesDir, transcripts: home.transcriptsDir, outputs: home.outputsDir },
      ...{ sockets: home.proxiesDir, secrets: home.secretsDir },
    },
    spawner: { node: process.execPath, script: fileURLToPath(spawner) },
    programs,
    storage: storageOptions(base),
    hidden: [home.configDir, home.dataDir, home.runDir, dirname(home.socketFile)],
    resolvePath: (path) => resolveConfigPath(path, home.configFile),
    env: environment.all,
    clock,
    random,
    logger,
    transcriptCapBytes: TRANSCRIPT_CAP_BYTES,
  });
  closers.add(() => runner.close());
  // Calls, commands and tasks wait for what an answering spawner alone can end: one that hangs is given up meanwhile.
  closers.addFirst(() => runner.hasten());
  return telemetry?.spans.runner(runner) ?? runner;
}

function kindsOf({ turns, taskKind }: Executor): Pick<Executor, 'turns' | 'taskKind'> {
  return { turns, taskKind };
}

/** What tasks ask goes by; `questions` are there by the time that the first one asks. */
function createNodeTurns(base: Foundations, questions: () => NodeQuestions): TurnDesk {
  return createTurnDesk(base, () => questions().gate, {
    classify: (argv, cwd) => toolClassifier(questions().classifier)(argv, cwd),
    hold: (argv, cwd, asker) => questions().classifier.hold(argv, { host: 'self', cwd }, asker),
    resolvePath: (path) => resolveConfigPath(path, base.home.configFile),
    leadsTo,
  });
}

/** Absolute path of a workspace as it is configured now. */
function workspacePaths({ engine, home }: Foundations): (name: string) => string | undefined {
  return (name) => {
    const workspace = engine.snapshot().config.workspaces.get(name);
    return workspace === undefined ? undefined : resolveConfigPath(workspace.path, home.configFile);
  };
}

function authorityOptionsOf({ database, stores, engine, random, logger }: Foundations): AuthorityOptions {
  return {
    database,
    leases: stores.leases,
    requestLog: stores.requestLog,
    engine,
    liveTasks: { countLive: (tx, subject) => stores.tasks.countLive(tx, subject) },
    random,
    logger,
  };
}

/** The peers, and this node itself under the name `self`. */
function withSelf(peers: PeerDirectory, self: PeerClient): PeerDirectory {
  return {
    find: (labelOrId) => (labelOrId === 'self' ? { id: 'self', label: 'self' } : peers.find(labelOrId)),
    client: (id) => (id === 'self' ? self : peers.client(id)),
  };
}
