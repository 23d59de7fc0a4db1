import { isWritError, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Mirror, TaskEvent, TaskOutcome } from '@writ/task-store';
import type { WatchedEvent } from '../../types.ts';
import type { OutputEnd } from '../keeping-output.ts';
import type { OriginParts } from '../parts.ts';
import type { Source } from './download.ts';
import type { Intake } from './intake.ts';
import { type ReceivedTree, receiveResult } from './receiving.ts';

type OutcomeEvent = Extract<TaskEvent, { kind: 'outcome' }>;

/** The event that ends a mirror, and what is stored with it in one transaction. */
export interface Ended {
  readonly event: TaskEvent;
  store(tx: WriteTx): void;
}

/**
 * The end of a task, with its result or without a valid one. Undefined where the source's signal aborts; throws what
 * delays it.
 */
export async function endWithResult(
  parts: OriginParts,
  intake: Intake,
  ending: {
    readonly mirror: Mirror;
    readonly event: OutcomeEvent;
    readonly inline: WatchedEvent['result'];
    readonly outputEnd: OutputEnd;
  },
  from: Source,
): Promise<Ended | undefined> {
  const { mirror, event, inline, outputEnd } = ending;
  const told = { mirror, outcome: event.outcome, outputEnd, ...(inline === undefined ? {} : { inline }) };
  try {
    const received = await receiveResult(parts, intake, told, from);
    return received && { event, store: (tx) => storeResult(parts, tx, mirror, received) };
  } catch (error) {
    if (!isWritError(error, 'EVIDENCE_INVALID')) throw error;
    // Says nothing about the result: it is taken when the clocks agree, and not thrown away before.
    if (error.details.check === 'time') throw new WritError('UNREACHABLE', error.message, { cause: error });
    parts.logger.warn('a result is not taken', { task: mirror.id, peer: mirror.peer, error: error.message });
    return { event: { ...event, outcome: withoutEvidence(event.outcome, error) }, store: () => {} };
  }
}

function storeResult({ evidence, receipts }: OriginParts, tx: WriteTx, mirror: Mirror, received: ReceivedTree): void {
  const { id: task, peer } = mirror;
  const { tree, envelopes } = received;
  for (const [sha256, envelope] of envelopes) evidence.results.putEnvelope(tx, sha256, envelope);
  evidence.results.putDelivery(tx, { task, peer, result: tree.sha256, standing: tree.standing });
  tx.afterCommit(() => receipts.owe(peer));
}

/**
 * What a task came to whose result does not hold.
 * INVARIANT: 10 no success without evidence; any other ending keeps its reason.
 */
function withoutEvidence({ result: _, ...outcome }: TaskOutcome, { message }: WritError): TaskOutcome {
  if (outcome.state !== 'completed') return { ...outcome, message: `${outcome.message}; ${message}` };
  return { ...outcome, state: 'failed', code: 'EVIDENCE_INVALID', message };
}
