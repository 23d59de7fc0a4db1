import type { Mirror, TaskEvent } from '@writ/task-store';
import type { PeerClient } from '../peer-port.ts';
import type { WatchedEvent } from '../types.ts';
import { eventBatches } from './event-batches.ts';
import { keepOutput, type OutputEnd } from './keeping-output.ts';
import type { OriginParts } from './parts.ts';
import { protocolError } from './protocol-error.ts';
import type { Intake } from './results/intake.ts';
import { endWithResult } from './results/outcome-event.ts';

/** How one watch is followed. */
interface View {
  readonly signal: AbortSignal;
  readonly progressed: () => void;
  /** What earlier watches have brought of the result. */
  readonly intake: Intake;
}

/**
 * Takes over the events that follow the mirror's cursor, by as few transactions as do not delay the output. True when
 * the outcome came and its result with it, false when the stream ended or was aborted before. Throws what the client
 * throws, INTERNAL for a stream with a gap or without an end, DATABASE_ERROR where this node cannot keep what comes.
 */
export async function takeEvents(parts: OriginParts, mirror: Mirror, client: PeerClient, view: View): Promise<boolean> {
  let { cursor } = mirror;
  let end = parts.database.withReadTx((tx) => parts.mirrors.outputEnd(tx, mirror.id));
  for await (const batch of eventBatches(client.watch(mirror.id, cursor, view.signal), parts.clock)) {
    await parts.peerTime.ready(mirror.peer, view.signal);
    if (view.signal.aborted) return false;
    const events: TaskEvent[] = [];
    for (const watched of batch) {
      const { event } = watched;
      if (event.seq <= cursor) continue;
      if (event.seq > cursor + 1) throw protocolError(`event ${event.seq} came after event ${cursor}`);
      if (event.kind === 'outcome') {
        return takeOutcome(
          parts,
          { mirror, client, watched: { ...watched, event }, before: events, outputEnd: { bytes: end, seq: event.seq } },
          view,
        );
      }
      // Bytes first: the cursor must not stand behind output that this node does not have.
      const kept = event.kind === 'output' ? await keepOutput(parts, { id: mirror.id, client, end }, watched) : event;
      if (kept.kind === 'output') end += kept.length;
      else view.intake.told.add();
      events.push(kept);
      cursor = event.seq;
    }
    const stored = parts.peerTime.spend(mirror.peer, batch.length, () =>
      events.length === 0 ? undefined : parts.journal.apply(mirror.id, events),
    );
    if (events.length === 0) continue;
    if (!stored) return false;
    view.progressed();
  }
  return false;
}

/**
 * The last event, with the result that it names: one transaction with what came right before, unless the result has to
 * be waited for.
 */
async function takeOutcome(
  parts: OriginParts,
  last: {
    readonly mirror: Mirror;
    readonly client: PeerClient;
    readonly watched: WatchedEvent & { readonly event: Extract<TaskEvent, { kind: 'outcome' }> };
    readonly before: readonly TaskEvent[];
    readonly outputEnd: OutputEnd;
  },
  view: View,
): Promise<boolean> {
  const { mirror, client, watched, outputEnd } = last;
  let { before } = last;
  const store = (): boolean => before.length === 0 || parts.journal.apply(mirror.id, before) !== undefined;
  const waited = (): void => {
    if (store()) before = [];
  };
  const source = { client, task: mirror.id, clock: parts.clock, signal: view.signal, progressed: view.progressed };
  const ending = { mirror, event: watched.event, inline: watched.result, outputEnd };
  const ended = await endWithResult(parts, view.intake, ending, { ...source, waited });
  if (!ended) return false;
  if (!parts.journal.apply(mirror.id, [...before, ended.event], ended.store)) return false;
  view.progressed();
  return true;
}
