import type { WatchedEvent } from '@writ/delegation';
import type { StreamItem } from '../client/types.ts';
import { taskContract } from '../contract/tasks.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement, implementStream } from '../implement.ts';
import type { CallContext } from '../types.ts';
import { viewEvent } from '../views/event-view.ts';
import { viewTaskDetail } from '../views/task-detail.ts';
import { labelsOf } from './peer-lookup.ts';
import { findTask, isFinished, stateOf } from './task-lookup.ts';

/** Transcript bytes that one line of `task_log` carries at most. */
const LOG_CHUNK_BYTES = 65_536;

/** Looking at tasks closely. */
export function taskOperations(ports: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(taskContract.task_show, ({ task }, { caller }) =>
      viewTaskDetail(findTask(ports, task, caller), labelsOf(ports.engine.snapshot().config), ports.node.info().id),
    ),
    implementStream(taskContract.task_watch, ({ task, after_seq }, context) =>
      watchViews(watch(ports, task, after_seq, context)),
    ),
    implementStream(taskContract.task_log, (input, context) => readLog(ports, input, context)),
  ];
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
