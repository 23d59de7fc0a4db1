import { WritError } from '@writ/core';
import { extensionsOf } from '@writ/identity';
import { isTerminal } from '@writ/task-store';
import { pauseUntil } from '../pause.ts';
import { readChain } from '../read-chain.ts';
import { backoffMs } from './backoff.ts';
import { extendedWrits } from './extending.ts';
import { narrowedRefusal, outboundRefusal } from './handover.ts';
import type { OriginParts } from './parts.ts';

/** Shortest pause between two looks, milliseconds. */
const SHORTEST_MS = 100;
/** Longest pause between two looks, milliseconds. */
const LONGEST_MS = 3_600_000;

/** `later`: nothing can be renewed now, for instance because what stands before it has not been. `over`: never again. */
type Renewal = 'renewed' | 'later' | 'over';

/**
 * Has the writs of a task renewed whenever half of what they have left is over, as long as the task goes on and is wanted;
 * what fails is tried again. Resolves when there is nothing to renew any more or `signal` aborts; never rejects.
 */
export async function keepRenewed(parts: OriginParts, id: string, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const waitMs = waitOf(parts, id, failures);
    if (waitMs === undefined) return;
    await pauseUntil(parts.clock, parts.clock.nowMs() + waitMs, signal);
    if (signal.aborted) return;
    try {
      const renewal = await renewOnce(parts, id, signal);
      if (renewal === 'over') return;
      failures = 0;
    } catch (error) {
      failures += 1;
      parts.logger.debug('a writ was not renewed', { task: id, error: String(error) });
    }
  }
}

/** Undefined: there are no writs. After their end, and after a failure, as often as a broken link is tried. */
function waitOf(parts: OriginParts, id: string, failures: number): number | undefined {
  try {
    const ends = readChain(parts.database.withReadTx((tx) => parts.mirrors.writs(tx, id))).map(({ exp }) => exp * 1000);
    if (ends.length === 0) return undefined;
    const leftMs = Math.min(...ends) - parts.clock.nowMs();
    const halfMs = leftMs > 0 ? leftMs / 2 : backoffMs(Math.max(failures, 10), parts.random);
    const waitMs = failures > 0 ? Math.min(halfMs, backoffMs(failures, parts.random)) : halfMs;
    return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, waitMs));
  } catch (error) {
    parts.logger.error('the writs of a task could not be read', { task: id, error: String(error) });
    return backoffMs(failures, parts.random);
  }
}

async function renewOnce(parts: OriginParts, id: string, signal: AbortSignal): Promise<Renewal> {
  const mirror = parts.journal.get(id);
  if (!mirror || isTerminal(mirror.state) || mirror.cancelRequestedAtMs !== undefined) return 'over';
  // INVARIANT: 2 this node renews nothing that it would not send any more.
  const refusal = outboundRefusal(parts, mirror) ?? narrowedRefusal(parts, mirror);
  if (refusal) throw new WritError('TRUST_REVOKED', `this node would not send it now: ${refusal.message}`);
  const writs = parts.database.withReadTx((tx) => extendedWrits(parts, tx, mirror));
  if (!writs) return 'later';
  const answer = await parts.directory.client(mirror.peer).renew(id, extensionsOf(writs));
  if (!answer.renewed) throw new WritError('TRUST_REVOKED', `${mirror.peerLabel} refused: ${answer.decision.message}`);
  if (signal.aborted) return 'over';
  // What was sent last is kept: with a later end, for the next round, and for whoever asks for the chain.
  parts.database.withWriteTx((tx) => parts.mirrors.setWrits(tx, id, writs));
  return 'renewed';
}
