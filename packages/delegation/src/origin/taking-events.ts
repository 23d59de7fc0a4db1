import type { Mirror, TaskEvent } from '@writ/task-store';
import type { PeerClient } from '../peer-port.ts';
import type { WatchedEvent } from '../types.ts';
import { eventBatches } from './event-batches.ts';
import type { EventBound } from './event-bound.ts';
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
  const over = new AbortController();
  try {
    return await takeWhole(parts, mirror, client, { ...view, signal: AbortSignal.any([view.signal, over.signal]) });
  } finally {
    // However it ends: a stream that nobody reads any more stays open as long as the link.
    over.abort();
  }
}

async function takeWhole(parts: OriginParts, mirror: Mirror, client: PeerClient, view: View): Promise<boolean> {
  let cursor = mirror.cursor;
  let bytes = parts.database.withReadTx((tx) => parts.mirrors.outputEnd(tx, mirror.id));
  for await (const batch of eventBatches(client.watch(mirror.id, cursor, view.signal), parts.clock)) {
    if (view.signal.aborted) return false;
    const taken = await takeBatch(parts, { mirror, client, bound: view.intake.bound }, batch, { seq: cursor, bytes });
    if (taken.last !== undefined) return takeOutcome(parts, { mirror, client, ...taken, last: taken.last }, view);
    if (taken.end.seq === cursor) continue;
    const store = (): Mirror | undefined => parts.journal.apply(mirror.id, taken.events, { through: taken.end.seq });
    if (!(await parts.peerTime.spend(mirror.peer, batch.length, view.signal, store))) return false;
    view.progressed();
    cursor = taken.end.seq;
    bytes = taken.end.bytes;
  }
  return false;
}

type Outcome = WatchedEvent & { readonly event: Extract<TaskEvent, { kind: 'outcome' }> };

/** What of a batch is to be stored. */
interface Taken {
  readonly events: readonly TaskEvent[];
  readonly end: OutputEnd;
  /** The event that ends the task, which is not among `events`. */
  readonly last?: Outcome;
}

/** Looks at the events of a batch in their order, and keeps the bytes that come with them. Throws INTERNAL for a gap. */
async function takeBatch(
  parts: OriginParts,
  of: { readonly mirror: Mirror; readonly client: PeerClient; readonly bound: EventBound },
  batch: readonly WatchedEvent[],
  from: OutputEnd,
): Promise<Taken> {
  const { mirror, client, bound } = of;
  const events: TaskEvent[] = [];
  let { seq, bytes } = from;
  for (const watched of batch) {
    const { event } = watched;
    if (event.seq <= seq) continue;
    if (event.seq > seq + 1) throw protocolError(`event ${event.seq} came after event ${seq}`);
    if (event.kind === 'outcome') return { events, end: { seq, bytes }, last: { ...watched, event } };
    // Bytes first: the cursor must not stand behind output that this node does not have.
    const kept = await keepOutput(parts, { id: mirror.id, client, end: bytes }, watched);
    if (kept.kind === 'output') bytes += kept.length;
    if (event.kind !== 'output') bound.told();
    if (event.kind !== 'output' || kept.kind === 'output' || bound.dropped()) events.push(kept);
    seq = event.seq;
  }
  return { events, end: { seq, bytes } };
}

/**
 * The last event, with the result that it names: one transaction with what came right before, unless the result has to
 * be waited for.
 */
async function takeOutcome(
  parts: OriginParts,
  taken: Required<Taken> & { readonly mirror: Mirror; readonly client: PeerClient },
  view: View,
): Promise<boolean> {
  const { mirror, client, last, end } = taken;
  let before = taken.events;
  const store = (): boolean =>
    before.length === 0 || parts.journal.apply(mirror.id, before, { through: end.seq }) !== undefined;
  const waited = (): void => {
    if (store()) before = [];
  };
  const source = { client, task: mirror.id, clock: parts.clock, signal: view.signal, progressed: view.progressed };
  const ending = { mirror, event: last.event, inline: last.result, outputEnd: { ...end, seq: last.event.seq } };
  const ended = await endWithResult(parts, view.intake, ending, { ...source, waited });
  if (!ended) return false;
  const all = [...before, ended.event];
  if (!parts.journal.apply(mirror.id, all, { also: ended.store, through: ended.event.seq })) return false;
  view.progressed();
  return true;
}
