import { sha256Hex, toWritError, type WritError } from '@writ/core';
import type { Mirror } from '@writ/task-store';
import type { OutgoingSubmit, PeerClient, RefusedDecision } from '../types.ts';
import type { Handover } from './following.ts';
import type { OriginParts } from './parts.ts';
import { isPassing, refusedDecision } from './verdicts.ts';

/** One try. `again` says whether anything may have reached the peer. */
export type SubmitTry =
  | Exclude<Handover, { kind: 'pending' }>
  | { readonly kind: 'again'; readonly sent: boolean; readonly error: WritError };

/**
 * Sends a task once, always under its own key; a fresh writ each time, so that it is not too old. Waits until the peer
 * has not too many to answer; undefined where `signal` aborts meanwhile. Never rejects.
 */
export async function trySubmit(
  parts: OriginParts,
  mirror: Mirror,
  signal: AbortSignal,
): Promise<SubmitTry | undefined> {
  const leave = await parts.turns.take(mirror.peer, signal);
  if (!leave) return undefined;
  try {
    const refusal = outboundRefusal(parts, mirror);
    if (refusal) return { kind: 'refused', decidedBy: 'here', decision: refusal };
    const client: PeerClient = parts.directory.client(mirror.peer);
    const answer = await client.submit(outgoing(parts, mirror));
    if (answer.accepted) return { kind: 'accepted' };
    return { kind: 'refused', decidedBy: 'peer', decision: answer.decision };
  } catch (thrown) {
    const error = toWritError(thrown);
    if (isPassing(error)) return { kind: 'again', sent: error.details.sent !== false, error };
    return { kind: 'failed', error };
  } finally {
    leave();
  }
}

/** What this node's own policy says against sending it; asked before every try. INVARIANT: 2 */
export function outboundRefusal(
  parts: OriginParts,
  mirror: Pick<Mirror, 'peer' | 'spec'>,
): RefusedDecision | undefined {
  if (mirror.peer === 'self') return undefined;
  const { profile, workspace } = mirror.spec;
  const decision = parts.engine.decideOutbound({
    to: mirror.peer,
    ship: false,
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

function outgoing(parts: OriginParts, mirror: Mirror): OutgoingSubmit {
  const { id: task, spec, session, agent, peer: to } = mirror;
  // A key belongs to one session here, but to the whole node there.
  const idempotencyKey = sha256Hex(JSON.stringify([session, mirror.idempotencyKey]));
  const { generation } = parts.engine.snapshot();
  const writs = to === 'self' ? [] : [parts.issuer.issue({ to, task, spec, session, agent, generation })];
  return { task, idempotencyKey, spec, writs, session, agent };
}
