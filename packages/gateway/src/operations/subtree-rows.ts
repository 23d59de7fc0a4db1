import type { GatewayPorts } from '../gateway-ports.ts';
import type { Caller } from '../types.ts';
import { type LabelOf, viewAsked, viewExecuting } from '../views/task-view.ts';
import type { Cursor, Row } from './task-rows.ts';

/** Most tasks that one task handed on and that its list looks at. */
const MOST_CHILDREN = 5000;

/** What is listed, and from where on. */
export interface SubtreeList {
  readonly caller: Extract<Caller, { kind: 'task' }>;
  readonly from: Cursor;
  readonly side: Row['side'] | undefined;
  readonly peer: string | undefined;
  readonly labelOf: LabelOf;
}

/**
 * The two sides of what a task token reaches, each newest first: what the task handed on, and the task itself.
 * INVARIANT: 7 what a caller may not see is not looked at, is not counted and is no place to go on from.
 */
export function subtreeSides(ports: GatewayPorts, list: SubtreeList): readonly Iterator<Row>[] {
  return [
    ...(list.side === 'executing' ? [] : [children(ports, list)]),
    ...(list.side === 'asked' ? [] : [itself(ports, list)]),
  ];
}

function* children(ports: GatewayPorts, { caller, from, peer }: SubtreeList): Generator<Row> {
  const ids = ports.scope.members(caller.task, MOST_CHILDREN);
  const at = from.asked === undefined ? -1 : ids.indexOf(from.asked);
  if (from.asked !== undefined && at < 0) return;
  for (const id of ids.slice(at + 1)) {
    const mirror = ports.origin.get(id);
    if (mirror === undefined || (peer !== undefined && mirror.peer !== peer)) continue;
    yield { side: 'asked', id, createdAtMs: mirror.createdAtMs, isOwn: false, view: () => viewAsked(mirror) };
  }
}

function* itself(ports: GatewayPorts, { caller, from, peer, labelOf }: SubtreeList): Generator<Row> {
  const task = ports.executor.get(caller.task);
  if (from.executing !== undefined || task === undefined || (peer !== undefined && task.sender !== peer)) return;
  const { id, createdAtMs } = task;
  yield { side: 'executing', id, createdAtMs, isOwn: false, view: () => viewExecuting(task, labelOf) };
}
