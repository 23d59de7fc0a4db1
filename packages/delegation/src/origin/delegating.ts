import {
  canonicalJson,
  errorFromJson,
  type Json,
  nearest,
  quote,
  RUNNING_CODES,
  type WritCode,
  WritError,
} from '@writ/core';
import type { ReadTx, WriteTx } from '@writ/database';
import { isTerminal, type Mirror } from '@writ/task-store';
import { removedOn } from '../removed-on.ts';
import type { DelegateAnswer, DelegateRequest, RefusedDecision, TaskContext } from '../types.ts';
import { childKey, childOf, childRefusal, requireContext } from './children.ts';
import { startFollower } from './follower.ts';
import type { Follower, Handover } from './following.ts';
import { issueWrits, outboundRefusal } from './handover.ts';
import type { OriginParts } from './parts.ts';
import { type ShippedWish, shipInTurn } from './shipping.ts';
import { verdictOnRefusal } from './verdicts.ts';

/** Hands a wish over; the order of the steps is the order of the lines. */
export async function delegateTask(parts: OriginParts, request: DelegateRequest): Promise<DelegateAnswer> {
  if (parts.closing()) throw new WritError('SHUTTING_DOWN', 'this node is shutting down');
  const known = findKnown(parts, request);
  if (known) return answerKnown(parts, known);
  const peer = findPeer(parts, request.to);
  const stored = await storeOnce(parts, request, peer);
  if (!stored) return delegateTask(parts, request);
  const { mirror, refusal } = stored;
  if (refusal) return { accepted: false, task: mirror, decidedBy: 'here', decision: refusal };
  return answer(parts, mirror.id, await stored.follower.handover);
}

/** Starts following a task unless somebody does already. */
export function follow(parts: OriginParts, id: string, options: { readonly fresh: boolean }): Follower {
  const running = parts.followers.get(id);
  if (running) return running;
  const follower = startFollower(parts, id, options);
  parts.followers.set(id, follower);
  void follower.done.then(() => {
    parts.followers.delete(id);
    parts.late.await(id);
  });
  return follower;
}

/** What this session asked for before under the same key. INVARIANT: 8 one task per idempotency key. */
function findKnown(parts: OriginParts, request: DelegateRequest): Mirror | undefined {
  const { idempotencyKey: key, parent } = request;
  if (key === undefined) return undefined;
  const known = parts.database.withReadTx((tx) => {
    const at = parent === undefined ? request.session : requireContext(parts, tx, parent).session;
    const ownKey = parent === undefined ? key : childKey(parent, key);
    const found = parts.mirrors.findByKey(tx, at, ownKey);
    if (found === undefined) refuseRemoved(parts, tx, at, ownKey);
    return found;
  });
  if (known && !(isFor(parts, known, request.to) && sameRequest(known, request))) {
    throw new WritError('WRIT_REPLAYED', 'this key was used for another request', {
      nextSteps: ['delegate a different request under a new idempotency key'],
    });
  }
  return known;
}

/** INVARIANT: 8 a key that has had its task gets no other, however long ago that was removed. Throws NOT_FOUND. */
function refuseRemoved({ removals }: OriginParts, tx: ReadTx, session: string, key: string): void {
  const removed = removals.findKey(tx, 'mirror', session, key);
  if (removed) throw removedOn(removed.atMs);
}

/** Throws PEER_UNKNOWN for a name that is nobody's, unless it is what this very peer was called at the first use. */
function isFor(parts: OriginParts, { peer, peerLabel }: Mirror, to: string): boolean {
  const was = parts.directory.find(to) === undefined && [peer, peerLabel].includes(to);
  return was || findPeer(parts, to).id === peer;
}

/** What was shipped is not compared: a retry ships nothing, whatever the working tree holds by now. */
function sameRequest(known: Mirror, request: DelegateRequest): boolean {
  const { shipped, ...spec } = known.spec;
  // What was refused right away was never shipped.
  const sameShip = (shipped !== undefined) === (request.ship !== undefined) || known.outcome?.refusal !== undefined;
  return sameShip && canonicalJson(spec as unknown as Json) === canonicalJson(request.spec as unknown as Json);
}

async function answerKnown(parts: OriginParts, known: Mirror): Promise<DelegateAnswer> {
  const follower = parts.followers.get(known.id);
  if (follower) return answer(parts, known.id, await follower.handover);
  const { outcome } = known;
  if (known.accepted || !isTerminal(known.state) || !outcome?.code) return { accepted: true, task: known };
  const { code, message, refusal } = outcome;
  if (refusal) {
    const { decidedBy, ...decision } = refusal;
    return { accepted: false, task: known, decidedBy, decision: { ...decision, code, message } };
  }
  // It was answered as a task, and ended otherwise since.
  if (RUNNING_CODES.some((ending) => ending === code)) return { accepted: true, task: known };
  throw errorFromJson({ code: code as WritCode, message, details: { task: known.id } });
}

/** Throws PEER_UNKNOWN with the labels that there are. */
export function findPeer(
  parts: Pick<OriginParts, 'directory' | 'engine'>,
  to: string,
): { readonly id: string; readonly label: string } {
  if (to === 'self') return { id: 'self', label: 'self' };
  const peer = parts.directory.find(to);
  if (peer) return peer;
  const labels = [...parts.engine.snapshot().config.peers.keys()].sort();
  const close = nearest(to, [...labels, 'self']);
  throw new WritError('PEER_UNKNOWN', `no peer ${quote(to)}`, {
    details: { peers: labels.join(', ') },
    nextSteps: [
      ...(close === undefined ? [] : [`did you mean ${quote(close)}`]),
      labels.length > 0 ? `known peers: ${labels.join(', ')}` : 'pair with a node first: writ peer join CODE',
    ],
  });
}

/** A wish as it was stored, and who brings it to its executor. */
type StoredWish = { readonly mirror: Mirror } & (
  | { readonly refusal: RefusedDecision }
  | { readonly refusal?: undefined; readonly follower: Follower }
);

/**
 * Ships what goes along, then stores the wish. Undefined, with nothing done, where the same wish was under way already:
 * it is known by now, or came to nothing.
 */
async function storeOnce(
  parts: OriginParts,
  request: DelegateRequest,
  peer: ShippedWish['peer'],
): Promise<StoredWish | undefined> {
  if (request.spec.shipped !== undefined) {
    throw new WritError('BAD_REQUEST', 'what was shipped is found out here, not told');
  }
  const id = parts.random.uuid();
  if (request.ship === undefined) return storeAndFollow(parts, request, peer, id);
  const key = JSON.stringify([request.session, request.parent ?? null, request.idempotencyKey ?? id]);
  if (parts.shipping.has(key)) {
    await Promise.allSettled([parts.shipping.get(key)]);
    return undefined;
  }
  const storing = shipAndStore(parts, { id, peer, request }).finally(() => parts.shipping.delete(key));
  parts.shipping.set(key, storing);
  return storing;
}

async function shipAndStore(parts: OriginParts, wish: ShippedWish): Promise<StoredWish> {
  const { id, peer, request } = wish;
  const shipped = await shipInTurn(parts, wish);
  if (parts.closing()) throw new WritError('SHUTTING_DOWN', 'this node is shutting down');
  const spec = shipped ? { ...request.spec, shipped } : request.spec;
  return storeAndFollow(parts, { ...request, spec }, peer, id);
}

/** Whoever finds the stored wish by its key finds who follows it, too. */
function storeAndFollow(...wish: Parameters<typeof store>): StoredWish {
  const { mirror, refusal } = store(...wish);
  return refusal ? { mirror, refusal } : { mirror, follower: follow(wish[0], mirror.id, { fresh: true }) };
}

/** The mirror and its key are stored before the first byte of `Submit` goes out. INVARIANT: 9 */
function store(parts: OriginParts, request: DelegateRequest, peer: ShippedWish['peer'], id: string) {
  const { spec, idempotencyKey: key } = request;
  const ships = request.ship !== undefined;
  return parts.database.withWriteTx((tx) => {
    // In this very transaction the task that hands it on still runs: its end finds every child that there is.
    const parent = request.parent === undefined ? undefined : requireContext(parts, tx, request.parent);
    const head = { id, peer: peer.id, peerLabel: peer.label, spec };
    const wish = parent
      ? { ...head, ...childOf(parent), idempotencyKey: childKey(parent.task, key ?? id) }
      : { ...head, session: request.session, agent: request.agent, idempotencyKey: key ?? id };
    // It may have gone since it was looked for, while the working tree was sent ahead.
    refuseRemoved(parts, tx, wish.session, wish.idempotencyKey);
    // A child's session is recorded where it began.
    if (!parent) parts.recordSession(tx, { id: wish.session, agent: wish.agent });
    else if (hasEnded(parts, tx, parent)) throw new WritError('NOT_FOUND', 'the session of this task has ended');
    const refusal = (parent ? childRefusal(parts, tx, parent, wish) : undefined) ?? outboundRefusal(parts, wish, ships);
    if (!refusal) {
      const writs = issueWrits(parts, wish, parent);
      return { mirror: parts.journal.insert(tx, { ...wish, writs }), refusal };
    }
    const mirror = parts.journal.insert(tx, wish);
    return { mirror: parts.journal.endIn(tx, id, verdictOnRefusal(refusal)) ?? mirror, refusal };
  });
}

/** What the executor answered is told at once, the event that says the same comes later. */
function waitingState({ state }: Mirror, { waits }: Extract<Handover, { kind: 'accepted' }>): Partial<Mirror> {
  return waits === true && state === 'submitted' ? { state: 'waiting' } : {};
}

function hasEnded({ sessionEnds, evidence }: OriginParts, tx: WriteTx, { origin, session }: TaskContext): boolean {
  const key = { origin: origin === 'self' ? evidence.identity.public.id : origin, session };
  return sessionEnds.get(tx, key)?.endedAtMs !== undefined;
}

function answer(parts: OriginParts, id: string, handover: Handover): DelegateAnswer {
  const task = parts.journal.require(id);
  switch (handover.kind) {
    case 'accepted':
      return { accepted: true, task: { ...task, accepted: true, ...waitingState(task, handover) } };
    case 'pending':
      return { accepted: true, task };
    case 'refused':
      return { accepted: false, task, decidedBy: handover.decidedBy, decision: handover.decision };
    case 'failed':
      throw handover.error;
  }
}
