import { canonicalJson, isWritError, type Json, sha256Hex, toWritError, type WritError } from '@writ/core';
import { type Hop, readWritClaims, type WritClaims } from '@writ/identity';
import type { Mirror } from '@writ/task-store';
import type { OutgoingSubmit, PeerClient, PeerSubmitAnswer } from '../peer-port.ts';
import type { RefusedDecision, TaskContext } from '../types.ts';
import { childRefusal, requireContext } from './children.ts';
import { extendedWrits } from './extending.ts';
import type { Handover } from './following.ts';
import type { OriginParts } from './parts.ts';
import { sendAhead } from './sending-ahead.ts';
import { isPassing, refusedDecision } from './verdicts.ts';

/** One try. `again` says whether anything may have reached the peer. */
export type SubmitTry =
  | Exclude<Handover, { kind: 'pending' }>
  | { readonly kind: 'again'; readonly sent: boolean; readonly error: WritError };

/**
 * Sends a task once, always under its own key: the first time with the writ that was stored with it, later with a fresh
 * one, so that it is not too old. Waits until the peer has not too many to answer; undefined where `signal` aborts
 * meanwhile. Never rejects.
 */
export async function trySubmit(
  parts: OriginParts,
  mirror: Mirror,
  { isFirst, signal }: { readonly isFirst: boolean; readonly signal: AbortSignal },
): Promise<SubmitTry | undefined> {
  const leave = await parts.turns.take(mirror.peer, signal);
  if (!leave) return undefined;
  try {
    const held = isFirst ? undefined : parentHolds(parts, mirror);
    if (held) return held;
    const refusal = outboundRefusal(parts, mirror);
    if (refusal) return { kind: 'refused', decidedBy: 'here', decision: refusal };
    const answer = await submitWithInput(parts, mirror, outgoing(parts, mirror, isFirst), signal);
    if (answer.accepted) return { kind: 'accepted', waits: answer.state === 'waiting' };
    return { kind: 'refused', decidedBy: 'peer', decision: answer.decision };
  } catch (thrown) {
    const error = toWritError(thrown);
    if (isPassing(error)) return { kind: 'again', sent: error.details.sent !== false, error };
    return { kind: 'failed', error };
  } finally {
    leave();
  }
}

/**
 * What keeps the task that hands it on from sending it again; undefined: nothing. This is said here, not by the peer, so
 * that it tells nothing of what may have arrived there.
 */
function parentHolds(parts: OriginParts, mirror: Mirror): SubmitTry | undefined {
  const refused = (decision: RefusedDecision): SubmitTry => ({ kind: 'refused', decidedBy: 'here', decision });
  try {
    const refusal = narrowedRefusal(parts, mirror);
    return refusal && refused(refusal);
  } catch (thrown) {
    const error = toWritError(thrown);
    if (isPassing(error)) throw error;
    // INVARIANT: 9 between two attempts of it this goes on as soon as it runs again; an end of it is an intent to cancel
    // this one, stored with that end.
    if (error.code === 'TASK_ENDED') return { kind: 'again', sent: false, error };
    const { code, message, nextSteps } = error;
    return refused({ effect: 'deny', code, message, nextSteps, generation: parts.engine.snapshot().generation });
  }
}

/** Sends what was shipped along once more where the peer does not have it any more. */
async function submitWithInput(
  parts: OriginParts,
  mirror: Mirror,
  submit: OutgoingSubmit,
  signal: AbortSignal,
): Promise<PeerSubmitAnswer> {
  const client: PeerClient = parts.directory.client(mirror.peer);
  const { shipped, workspace } = mirror.spec;
  try {
    return await client.submit(submit);
  } catch (error) {
    if (!isWritError(error, 'NOT_FOUND') || workspace === undefined || shipped?.bundle === undefined) throw error;
  }
  await sendAhead(parts, client, { workspace, ...shipped.bundle }, signal);
  return client.submit(submit);
}

/** What this node's own policy says against sending it; asked before every try. INVARIANT: 2 */
export function outboundRefusal(
  parts: OriginParts,
  mirror: Pick<Mirror, 'peer' | 'spec'>,
  ship: boolean = mirror.spec.shipped !== undefined,
): RefusedDecision | undefined {
  if (mirror.peer === 'self') return undefined;
  const { profile, workspace } = mirror.spec;
  const decision = parts.engine.decideOutbound({
    to: mirror.peer,
    ship,
    ...(profile === undefined ? {} : { profile }),
    ...(workspace === undefined ? {} : { workspace }),
  });
  return decision.effect === 'allow' ? undefined : refusedDecision(decision);
}

/** Tells the executor of a task that ends here, where it can still be told; whether it hears changes nothing here. */
export function tellToCancel({ directory, logger }: OriginParts, mirror: Mirror): void {
  const unheard = (error: unknown): void =>
    logger.debug('an executor was not told of a cancel', { task: mirror.id, error: String(error) });
  try {
    directory.client(mirror.peer).cancel(mirror.id).catch(unheard);
  } catch (error) {
    unheard(error);
  }
}

function outgoing(parts: OriginParts, mirror: Mirror, first: boolean): OutgoingSubmit {
  const { id: task, spec, session, agent } = mirror;
  // A key belongs to one session here, but to the whole node there.
  const idempotencyKey = sha256Hex(JSON.stringify([session, mirror.idempotencyKey]));
  const writs = first ? parts.database.withReadTx((tx) => parts.mirrors.writs(tx, task)) : renewWrits(parts, mirror);
  return { task, idempotencyKey, spec, writs, session, agent };
}

/**
 * The chain that goes out with a task: the writs of the task that hands it on, then this node's own; none to `self`.
 * `nonce`: of an earlier writ for the same task.
 */
export function issueWrits(
  { issuer, engine }: OriginParts,
  wish: Pick<Mirror, 'id' | 'peer' | 'spec' | 'session' | 'agent'>,
  parent: TaskContext | undefined,
  nonce?: string,
): readonly string[] {
  const { id: task, peer: to, spec, session, agent } = wish;
  if (to === 'self') return [];
  const { generation } = engine.snapshot();
  const more = { ...(parent ? { parent } : {}), ...(nonce === undefined ? {} : { nonce }) };
  const own = issuer.issue({ to, task, spec, session, agent, generation, ...more });
  return [...(parent?.writs ?? []), own];
}

function renewWrits(parts: OriginParts, mirror: Mirror): readonly string[] {
  const { parent } = mirror;
  if (mirror.peer === 'self') return [];
  return parts.database.withWriteTx((tx) => {
    const context = parent === undefined ? undefined : requireContext(parts, tx, parent);
    const known = parts.mirrors.writs(tx, mirror.id);
    const before = known.at(-1);
    const claims = before === undefined ? undefined : readWritClaims(before);
    // The result names the nonce of whichever writ has arrived: it is one for all of them.
    const fresh = issueWrits(parts, mirror, context, claims?.nonce);
    // What may have arrived stays the one writ of the task, which can be renewed by its digest, unless less is passed on now.
    const isSame = isSameReach(claims, readWritClaims(fresh.at(-1) ?? ''));
    const writs = isSame ? (extendedWrits(parts, tx, mirror) ?? known) : fresh;
    parts.mirrors.setWrits(tx, mirror.id, writs);
    return writs;
  });
}

/** Whether two writs pass on the same: everything but when they were made, and for how long. */
function isSameReach(one: WritClaims | undefined, other: WritClaims | undefined): boolean {
  if (!one || !other) return false;
  const reach = { ...other, iat: one.iat, exp: one.exp, generation: one.generation };
  const { renewedAt: _, ...signed }: Hop = one;
  return canonicalJson(signed as unknown as Json) === canonicalJson(reach as unknown as Json);
}

/** What the task that hands it on may not hand on any more. */
export function narrowedRefusal(parts: OriginParts, mirror: Mirror): RefusedDecision | undefined {
  const { parent } = mirror;
  if (parent === undefined) return undefined;
  return parts.database.withReadTx((tx) => childRefusal(parts, tx, requireContext(parts, tx, parent), mirror));
}
