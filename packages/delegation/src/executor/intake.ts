import type { Ask } from '@writ/authority';
import { digestJson, type Json, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import { LONGEST_LIFE_S, type VerifiedChain, type WritClaims } from '@writ/identity';
import { type Decision, meetNetworks } from '@writ/policy';
import type {
  Granted,
  MirrorStore,
  NewTask,
  RemovalStore,
  Task,
  TaskBounds,
  TaskSpec,
  TaskStore,
} from '@writ/task-store';
import { removedOn } from '../removed-on.ts';
import type { SubmitRequest } from '../types.ts';
import { artifactRefusal } from './evidence/requested-artifacts.ts';
import { askOf } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';
import { askRefusal, waitForPerson } from './waiting/wait.ts';

/**
 * Most tasks that wait for a slot of whoever takes turns with others (a peer, the person, all agents of this machine),
 * whatever their limits are: each is held in memory and kept for ever.
 */
export const MOST_QUEUED = 1000;

/** How much longer than its life a writ is remembered, for clocks that differ, seconds. */
export const SKEW_S = 120;

/** What a submit came to, inside its transaction. */
export type Intake =
  | { readonly kind: 'known'; readonly task: Task }
  | { readonly kind: 'refused'; readonly decision: Decision }
  | { readonly kind: 'queued' | 'waiting'; readonly task: Task; readonly decision: Decision };

/** What stands before a newcomer: tasks that get a slot first, and all that wait of those whose turns it shares. */
export interface Standing {
  readonly before: number;
  readonly own: number;
  /** Whose those are, in words. */
  readonly whose: string;
}

/**
 * Takes a request in, inside the caller's transaction; `standing` undefined: it has a slot. Throws WRIT_INVALID,
 * WRIT_REPLAYED, CONFLICT, or NOT_FOUND where what it asks for was here and is kept no more.
 */
export type TakeIn = (tx: WriteTx, request: SubmitRequest, standing: Standing | undefined) => Intake;

/** What asking a person takes. */
type AskingParts = Pick<ExecutorParts, 'engine' | 'workspaces' | 'questions'>;

/** The order of the steps of a submit is the body of the function that this returns. */
export function createIntake(
  options: Pick<ExecutorParts, 'authority' | 'tasks' | 'mirrors' | 'removals' | 'journal' | 'slots'> & AskingParts,
): TakeIn {
  const { authority, tasks, mirrors, journal, slots, questions } = options;
  return (tx, request, standing) => {
    if (request.chain) checkBinding(request, request.chain);
    if (isOfMirror(mirrors, tx, request)) throw conflict();
    const requestDigest = digestOf(request);
    const known = findKnown(tasks, tx, request, requestDigest);
    if (known) return { kind: 'known', task: known };
    refuseRemoved(options.removals, tx, request);
    if (questions?.hasEnded(tx, request.subject)) throw sessionEnded();
    if (request.chain) useWrit(tasks, tx, request.chain.last, requestDigest);

    const chain = request.chain?.ids ?? [];
    const bounds = request.chain ? boundsOf(request.chain) : {};
    const decision = authority.decide(tx, request.subject, askOf({ chain, spec: request.spec, bounds }));
    if (decision.effect === 'deny') return { kind: 'refused', decision };
    const message = artifactRefusal(request.spec, decision.grant?.closure ?? []);
    if (message !== undefined) return { kind: 'refused', decision: withoutArtifacts(decision, message) };

    if (decision.effect === 'allow' && standing !== undefined && standing.own >= MOST_QUEUED) {
      return { kind: 'refused', decision: withoutPlace(decision, standing) };
    }

    const granted = grantedOf(decision, request.spec);
    const record = { ...recordOf(request), chain, bounds, granted, requestDigest };
    const refusal = decision.effect === 'ask' ? askRefusal(options, tx, record, decision) : undefined;
    if (refusal) return { kind: 'refused', decision: refusal };
    const inserted = insert(tasks, tx, record);
    journal.append(tx, inserted, [
      { kind: 'state', state: inserted.state },
      { kind: 'granted', granted },
    ]);
    if (decision.effect === 'ask' && questions) {
      return { kind: 'waiting', task: waitForPerson({ ...options, questions }, tx, inserted, decision), decision };
    }
    const note = standing && { message: `waits for a slot: all ${slots} are taken, ${standing.before} before it` };
    const task = journal.move(tx, inserted, { kind: 'queue' }, {}, note);
    return { kind: 'queued', task, decision };
  };
}

function sessionEnded(): WritError {
  return new WritError('NOT_FOUND', 'the session of this task has ended', {
    nextSteps: ['start the work anew, in a session that goes on'],
  });
}

function withoutPlace({ grant: _, leaseId: __, ...decision }: Decision, { own, whose }: Standing): Decision {
  const message = `${own} tasks of ${whose} wait for a slot here already, ${MOST_QUEUED} at most`;
  const nextSteps = ['wait until some of them have started, then ask again', 'or cancel what is not wanted any more'];
  return { ...decision, effect: 'deny', code: 'LIMIT_EXCEEDED', message, nextSteps };
}

function withoutArtifacts({ grant: _, leaseId: __, ...decision }: Decision, message: string): Decision {
  const nextSteps = ['ask for no artifacts, or for a profile that holds `read_repo`'];
  return { ...decision, effect: 'deny', code: 'GRANT_EXCEEDED', message, nextSteps };
}

/** What policy granted, as both ends show it. */
export function grantedOf(decision: Decision, spec: TaskSpec): Granted {
  const { grant, effectiveProfile, effectiveRunner } = decision;
  if (!grant || effectiveProfile === undefined || effectiveRunner === undefined) {
    throw new WritError('INTERNAL', 'a decision that allows has no grant');
  }
  return {
    requestedProfile: decision.requestedProfile ?? spec.profile ?? effectiveProfile,
    effectiveProfile,
    effectiveRunner,
    isolation: grant.isolation,
    generation: decision.generation,
    ...(decision.leaseId === undefined ? {} : { leaseId: decision.leaseId }),
    message: decision.message,
  };
}

/** The last writ must have been made for this task and this request, not for another of the same sender. */
function checkBinding(request: SubmitRequest, chain: VerifiedChain): void {
  checkLives(chain);
  if (chain.last.task !== request.task) throw new WritError('WRIT_INVALID', 'the writ was made for another task');
  if (chain.last.request !== digestJson(plain(request.spec))) {
    throw new WritError('WRIT_INVALID', 'the writ was made for another request');
  }
}

/**
 * Throws WRIT_INVALID for a writ that lives too long, however long its issuer would have it: what is handed out once is not
 * good for ever, and can be remembered.
 */
export function checkLives({ hops }: Pick<VerifiedChain, 'hops'>): void {
  if (hops.some(({ iat, exp, renewedAt = iat }) => exp - renewedAt > LONGEST_LIFE_S)) {
    throw new WritError('WRIT_INVALID', 'a writ in the chain lives longer than 24 hours');
  }
}

/** What policy is asked about a command that came with a chain, within what each of its hops allows. */
export function chainAsk(chain: VerifiedChain, wish: { readonly profile?: string; readonly workspace?: string }): Ask {
  const spec: TaskSpec = { ...wish, input: { kind: 'argv', argv: [] } };
  return askOf({ chain: chain.ids, spec, bounds: boundsOf(chain) });
}

/**
 * The task that this sender submitted before under the key or the id.
 * INVARIANT: 8 one task, and so one start, per idempotency key.
 */
function findKnown(tasks: TaskStore, tx: WriteTx, request: SubmitRequest, requestDigest: string): Task | undefined {
  const sender = request.subject.from;
  const byId = tasks.get(tx, request.task);
  if (byId && byId.sender !== sender) throw conflict();
  const known = tasks.findByKey(tx, sender, request.idempotencyKey) ?? byId;
  if (known && known.requestDigest !== requestDigest) {
    throw new WritError('WRIT_REPLAYED', 'this key was used for another request', {
      nextSteps: ['send a different request under a new idempotency key'],
    });
  }
  return known;
}

/**
 * INVARIANT: 8 what has had its start has none again, however long ago it was removed.
 * INVARIANT: 7 an id that was another's is nobody's: rows about that one are still in the audit trail.
 */
function refuseRemoved(
  removals: Pick<RemovalStore, 'find' | 'findKey'>,
  tx: WriteTx,
  { task, idempotencyKey, subject }: SubmitRequest,
): void {
  const asked = removals.find(tx, 'mirror', task);
  const ran = removals.find(tx, 'task', task);
  const mine = removals.findKey(tx, 'task', subject.from, idempotencyKey) ?? ran;
  if (mine?.owner === subject.from) throw removedOn(mine.atMs);
  if (ran !== undefined || asked !== undefined) throw conflict();
}

/**
 * One writ is for one request, as long as it lives, whatever has become of its task.
 * INVARIANT: 8 what was sent once is not taken for something else, also after a restart.
 */
function useWrit(tasks: TaskStore, tx: WriteTx, { iss, nonce, exp }: WritClaims, request: string): void {
  const used = tasks.useWrit(tx, { sender: iss, nonce, request, untilMs: (exp + SKEW_S) * 1000 });
  if (used === request) return;
  throw new WritError('WRIT_REPLAYED', 'this writ was used for another request', {
    nextSteps: ['send a different request under a new writ'],
  });
}

/** An id that this node gave to another task of its own would lead its person to that one only. */
function isOfMirror(mirrors: Pick<MirrorStore, 'get'>, tx: WriteTx, { task, subject }: SubmitRequest): boolean {
  const mirror = mirrors.get(tx, task);
  return mirror !== undefined && !(mirror.peer === 'self' && subject.from === 'self');
}

function insert(tasks: TaskStore, tx: WriteTx, record: NewTask): Task {
  const result = tasks.insert(tx, record);
  if (result.kind === 'taken') throw conflict();
  return result.task;
}

/** Says nothing about whose the id is. */
function conflict(): WritError {
  return new WritError('CONFLICT', 'this task id cannot be used', { nextSteps: ['submit under a new task id'] });
}

function recordOf(request: SubmitRequest): Omit<NewTask, 'chain' | 'bounds' | 'granted' | 'requestDigest'> {
  const { subject } = request;
  return {
    id: request.task,
    sender: subject.from,
    origin: subject.origin,
    session: subject.session,
    agent: request.agent,
    idempotencyKey: request.idempotencyKey,
    spec: request.spec,
    ...(request.writs === undefined ? {} : { writs: request.writs }),
  };
}

/** Everything that makes it the same request; not the writ's times and nonce, which are new when it is sent again. */
function digestOf(request: SubmitRequest): string {
  const { subject } = request;
  return digestJson(
    plain({
      task: request.task,
      spec: request.spec,
      origin: subject.origin,
      session: subject.session,
      agent: request.agent,
      chain: request.chain?.ids ?? [],
    }),
  );
}

/** What a chain allows at most. INVARIANT: 1 the smallest of every hop. */
export function boundsOf(chain: VerifiedChain): TaskBounds {
  const grants = chain.hops.map((hop) => hop.grant);
  const [first, ...rest] = grants.map((grant) => grant.workspaces);
  return {
    grants: grants.map((grant) => grant.closure),
    grantWorkspaces: (first ?? []).filter((name) => rest.every((names) => names.includes(name))),
    grantNetwork: grants.map((grant) => grant.network).reduce(meetNetworks),
    depthLeft: chain.last.depth,
    maxOutputBytes: Math.min(...grants.map((grant) => grant.maxOutputBytes)),
    writExpiresAtMs: writEndMs(chain),
  };
}

/** When the first of the writs ends as they stand, milliseconds since the epoch: after that nothing starts. */
export function writEndMs({ hops }: Pick<VerifiedChain, 'hops'>): number {
  return Math.min(...hops.map(({ exp }) => exp)) * 1000;
}

function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
