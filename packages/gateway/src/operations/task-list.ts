import type { Mirror, Task } from '@writ/delegation';
import type { z } from 'zod';
import type { OperationOutput } from '../client/types.ts';
import type { delegationContract } from '../contract/delegation.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { reaches } from '../ownership.ts';
import type { Caller } from '../types.ts';
import { type LabelOf, type TaskViewData, viewAsked, viewExecuting } from '../views/task-view.ts';
import { labelsOf, requirePeerId } from './peer-lookup.ts';

/** Most records that one call looks at, so that a rare state does not make it read everything. */
const MOST_LOOKED_AT = 5000;

type ListInput = z.output<typeof delegationContract.list_tasks.input>;

/** A record of either side; a self-delegation shows as the asking one. */
type Row = { readonly id: string; readonly view: () => TaskViewData };

/** Tasks of both sides, newest first by id. Throws NOT_FOUND for a peer that is none. */
export function listTasks(ports: GatewayPorts, input: ListInput, caller: Caller): OperationOutput<'list_tasks'> {
  const { config } = ports.engine.snapshot();
  const peer = input.peer === undefined ? undefined : requirePeerId(config, input.peer);
  const labelOf = labelsOf(config);
  if (caller.kind === 'task') return collect(subtreeRows({ ports, input, caller, peer, labelOf }), input);
  const sides: Iterator<Row>[] = [];
  if (input.side !== 'executing') {
    const page = (before: string | undefined, limit: number) =>
      ports.origin.list({
        limit,
        ...(peer === undefined ? {} : { peer }),
        ...(before === undefined ? {} : { before }),
      });
    sides.push(scan<Mirror>(page, input, (mirror) => viewAsked(mirror)));
  }
  if (input.side !== 'asked') {
    const page = (before: string | undefined, limit: number) =>
      ports.executor.list({
        limit,
        ...(peer === undefined ? {} : { sender: peer }),
        ...(before === undefined ? {} : { before }),
      });
    sides.push(scan<Task>(page, input, (task) => viewExecuting(task, labelOf)));
  }
  return collect(newestFirst(sides), input);
}

function collect(rows: Iterable<Row>, input: ListInput): OperationOutput<'list_tasks'> {
  const tasks: TaskViewData[] = [];
  let last: string | undefined;
  let lookedAt = 0;
  for (const row of rows) {
    if (tasks.length === input.limit || lookedAt === MOST_LOOKED_AT) return { tasks, next_before: last ?? row.id };
    lookedAt += 1;
    last = row.id;
    const view = row.view();
    if (input.state === undefined || view.state === input.state) tasks.push(view);
  }
  return { tasks };
}

/**
 * A task's own record and what it handed on, newest first.
 * INVARIANT: 7 what a caller may not see is not looked at, is not counted and is no place to go on from.
 */
function* subtreeRows(list: {
  readonly ports: GatewayPorts;
  readonly input: ListInput;
  readonly caller: Extract<Caller, { kind: 'task' }>;
  readonly peer: string | undefined;
  readonly labelOf: LabelOf;
}): Generator<Row> {
  const { ports, input, caller, peer, labelOf } = list;
  const { before, side } = input;
  if (before !== undefined && !reaches(caller, before, ports.scope)) return;
  const ids = [caller.task, ...ports.scope.members(caller.task, MOST_LOOKED_AT)].sort().reverse();
  for (const id of ids) {
    if (before !== undefined && id >= before) continue;
    const own = id === caller.task;
    if (side !== undefined && side !== (own ? 'executing' : 'asked')) continue;
    const task = own ? ports.executor.get(id) : undefined;
    const mirror = own ? undefined : ports.origin.get(id);
    if (peer !== undefined && (task?.sender ?? mirror?.peer) !== peer) continue;
    if (task) yield { id, view: () => viewExecuting(task, labelOf) };
    if (mirror) yield { id, view: () => viewAsked(mirror) };
  }
}

/** All records of one side from `before` on, read page by page as they are needed. */
function* scan<R extends { readonly id: string }>(
  page: (before: string | undefined, limit: number) => readonly R[],
  input: ListInput,
  view: (record: R) => TaskViewData,
): Generator<Row> {
  let before = input.before;
  const limit = input.limit + 1;
  while (true) {
    const records = page(before, limit);
    for (const record of records) yield { id: record.id, view: () => view(record) };
    const last = records.at(-1);
    if (last === undefined || records.length < limit) return;
    before = last.id;
  }
}

/** Merges sides that are each sorted by falling id; of two rows with one id the first side's wins. */
function* newestFirst(sides: readonly Iterator<Row>[]): Generator<Row> {
  const heads = sides.map((side) => side.next());
  while (true) {
    let newest: Row | undefined;
    for (const head of heads) {
      if (!head.done && (newest === undefined || head.value.id > newest.id)) newest = head.value;
    }
    if (newest === undefined) return;
    yield newest;
    for (const [at, side] of sides.entries()) {
      const head = heads[at];
      if (head !== undefined && !head.done && head.value.id === newest.id) heads[at] = side.next();
    }
  }
}
