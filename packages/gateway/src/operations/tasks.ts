import type { Task, WatchedEvent, WritClaims } from '@writ/delegation';
import type { Config } from '@writ/policy';
import type { OperationOutput, StreamItem } from '../client/types.ts';
import { taskContract } from '../contract/tasks.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement, implementStream } from '../implement.ts';
import type { CallContext } from '../types.ts';
import { viewHops, without } from '../views/chain-view.ts';
import { viewEvent } from '../views/event-view.ts';
import { standingText } from '../views/result-view.ts';
import { viewTaskDetail } from '../views/task-detail.ts';
import { findResult } from './known-result.ts';
import { labelsOf, nodeLabels } from './peer-lookup.ts';
import { type FoundTask, findTask, isFinished, stateOf } from './task-lookup.ts';
import { showTurn } from './turns.ts';
import { waitingOf, waitsOf } from './waiting.ts';

/** Transcript bytes that one line of `task_log` carries at most. */
const LOG_CHUNK_BYTES = 65_536;

/** Looking at tasks closely. */
export function taskOperations(ports: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(taskContract.task_show, ({ task }, { caller }) => showTask(ports, findTask(ports, task, caller))),
    implementStream(taskContract.task_watch, ({ task, after_seq }, context) =>
      watchViews(watch(ports, task, after_seq, context)),
    ),
    implementStream(taskContract.task_log, (input, context) => readLog(ports, input, context)),
  ];
}

function showTask(ports: GatewayPorts, found: FoundTask): OperationOutput<'task_show'> {
  const { engine, node, origin, executor } = ports;
  const { config } = engine.snapshot();
  const names = nodeLabels(ports);
  const record = found.asked ?? found.executing;
  const hops = (found.asked === undefined ? executor : origin).writs(record.id);
  return {
    ...viewTaskDetail(found, labelsOf(config), node.info().id),
    ...waitingOf(ports, found),
    ...waitsOf(ports, found),
    hops: viewHops(hops, names),
    ...showResult(ports, found),
    ...showTurn(ports, found),
    ...(found.executing === undefined ? {} : runsHere(config, found.executing, hops)),
  };
}

function showResult(ports: GatewayPorts, found: FoundTask): Pick<OperationOutput<'task_show'>, 'result'> {
  const known = findResult(ports, found);
  if (known === undefined) return {};
  return {
    result: {
      sha256: known.sha256,
      standing: standingText(known.standing, nodeLabels(ports)),
      late: known.late,
      ...(known.receivedAtMs === undefined ? {} : { received_at_ms: known.receivedAtMs }),
      ...(known.receiptAtMs === undefined ? {} : { receipt_at_ms: known.receiptAtMs }),
      ...(known.receiptRefusedAtMs === undefined ? {} : { receipt_refused_at_ms: known.receiptRefusedAtMs }),
    },
  };
}

function runsHere(
  { profiles }: Config,
  { granted }: Task,
  hops: readonly WritClaims[],
): Pick<OperationOutput<'task_show'>, 'runs_here'> {
  const capabilities = profiles.get(granted.effectiveProfile)?.closure;
  if (capabilities === undefined) return {};
  const took = without(hops.at(-1)?.grant.closure ?? [], capabilities);
  return { runs_here: { capabilities: [...capabilities], took_away: took } };
}

function watch(
  ports: GatewayPorts,
  task: string,
  afterSeq: number,
  { caller, signal }: CallContext,
): AsyncIterable<WatchedEvent> {
  const end = findTask(ports, task, caller).asked === undefined ? ports.executor : ports.origin;
  return end.watch(task, afterSeq, signal);
}

async function* watchViews(events: AsyncIterable<WatchedEvent>): AsyncGenerator<StreamItem<'task_watch'>> {
  for await (const event of events) yield viewEvent(event);
}

/** The transcript to where it ends now; where it is followed, each event says that there may be more. */
async function* readLog(
  ports: GatewayPorts,
  request: { readonly task: string; readonly offset: number; readonly follow: boolean },
  { caller, signal }: CallContext,
): AsyncGenerator<StreamItem<'task_log'>> {
  const found = findTask(ports, request.task, caller);
  const reader = found.asked === undefined ? ports.executor : ports.origin;
  // Taken before the first page is read: what is written meanwhile comes as an event after it.
  const afterSeq = found.asked?.cursor ?? found.executing?.lastSeq ?? 0;
  let offset = request.offset;
  const pages = async function* (): AsyncGenerator<StreamItem<'task_log'>> {
    while (!signal.aborted) {
      const page = await reader.readTranscript(request.task, offset, LOG_CHUNK_BYTES);
      const empty = page.data.length === 0;
      if (!empty || page.end) yield logItem(offset, page);
      offset = page.next;
      if (empty || page.end) return;
    }
  };
  yield* pages();
  if (!request.follow || isFinished(stateOf(found))) return;
  for await (const { event } of reader.watch(request.task, afterSeq, signal)) {
    if (event.kind === 'output' || event.kind === 'outcome') yield* pages();
  }
}

function logItem(
  offset: number,
  page: { readonly data: Uint8Array; readonly next: number; readonly end: boolean },
): StreamItem<'task_log'> {
  return { offset, data: Buffer.from(page.data).toString('base64'), next: page.next, end: page.end };
}
