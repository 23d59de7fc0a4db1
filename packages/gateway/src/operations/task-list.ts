import { quote, WritError } from '@writ/core';
import type { Mirror, Task } from '@writ/delegation';
import type { z } from 'zod';
import type { OperationOutput } from '../client/types.ts';
import type { delegationContract } from '../contract/delegation.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { reaches } from '../ownership.ts';
import type { TaskScope } from '../ports.ts';
import type { Caller } from '../types.ts';
import { type TaskViewData, viewAsked, viewExecuting } from '../views/task-view.ts';
import { labelsOf, requirePeerId } from './peer-lookup.ts';

/** Most records that one call looks at, so that a rare state does not make it read everything. */
const MOST_LOOKED_AT = 5000;

type ListInput = z.output<typeof delegationContract.list_tasks.input>;

/** A record of either side; a delegation to this node itself shows as the asking one. */
interface Row {
  readonly side: 'asked' | 'executing';
  readonly id: string;
  /** When this node recorded it: falls with the order of its table, on both sides by the same clock. */
  readonly createdAtMs: number;
  /** This node asked itself. */
  readonly isOwn: boolean;
  readonly view: () => TaskViewData;
}

/** Tasks of both sides, newest first. Throws NOT_FOUND for a peer that is none, BAD_REQUEST for a cursor that is none. */
export function listTasks(ports: GatewayPorts, input: ListInput, caller: Caller): OperationOutput<'list_tasks'> {
  const { config } = ports.engine.snapshot();
  const peer = input.peer === undefined ? undefined : requirePeerId(config, input.peer);
  const labelOf = labelsOf(config);
  const from = readCursor(input.before);
  const sides: Iterator<Row>[] = [];
  if (input.side !== 'executing') {
    const page = (before: string | undefined, limit: number) =>
      ports.origin.list({
        limit,
        ...(peer === undefined ? {} : { peer }),
        ...(before === undefined ? {} : { before }),
      });
    const row = (mirror: Mirror): Row => ({
      side: 'asked',
      id: mirror.id,
      createdAtMs: mirror.createdAtMs,
      isOwn: mirror.peer === 'self',
      view: () => viewAsked(mirror),
    });
    sides.push(scan<Mirror>(page, { before: from.asked, limit: input.limit + 1 }, row));
  }
  if (input.side !== 'asked') {
    const page = (before: string | undefined, limit: number) =>
      ports.executor.list({
        limit,
        ...(peer === undefined ? {} : { sender: peer }),
        ...(before === undefined ? {} : { before }),
      });
    const row = (task: Task): Row => ({
      side: 'executing',
      id: task.id,
      createdAtMs: task.createdAtMs,
      isOwn: task.sender === 'self' && input.side === undefined,
      view: () => viewExecuting(task, labelOf),
    });
    sides.push(scan<Task>(page, { before: from.executing, limit: input.limit + 1 }, row));
  }
  return collect(onlyReached(newestFirst(sides), caller, ports.scope), input, from);
}

function collect(rows: Iterable<Row>, input: ListInput, from: Cursor): OperationOutput<'list_tasks'> {
  const tasks: TaskViewData[] = [];
  const cursor = { ...from };
  let lookedAt = 0;
  for (const row of rows) {
    if (tasks.length === input.limit || lookedAt === MOST_LOOKED_AT) return { tasks, next_before: writeCursor(cursor) };
    lookedAt += 1;
    cursor[row.side] = row.id;
    // What this node asked of itself has a row on both sides; the asking one is shown.
    if (row.side === 'executing' && row.isOwn) continue;
    const view = row.view();
    if (input.state === undefined || view.state === input.state) tasks.push(view);
  }
  return { tasks };
}

/** Where a page went on: the last record taken of each side. */
interface Cursor {
  asked?: string;
  executing?: string;
}

/** Stands between the two ids of a cursor; no id holds it. */
const SEPARATOR = '+';

function writeCursor({ asked = '', executing = '' }: Cursor): string {
  return `${asked}${SEPARATOR}${executing}`;
}

function readCursor(text: string | undefined): Cursor {
  if (text === undefined) return {};
  const [asked, executing, ...rest] = text.split(SEPARATOR);
  if (asked === undefined || executing === undefined || rest.length > 0) {
    throw new WritError('BAD_REQUEST', `${quote(text)} is no place in the list`, {
      nextSteps: ['pass next_before of the page before, or nothing'],
    });
  }
  return { ...(asked === '' ? {} : { asked }), ...(executing === '' ? {} : { executing }) };
}

/** INVARIANT: 7 what a caller may not see is not counted either and is no place to go on from. */
function* onlyReached(rows: Iterable<Row>, caller: Caller, scope: TaskScope): Generator<Row> {
  for (const row of rows) if (reaches(caller, row.id, scope)) yield row;
}

/** All records of one side from `before` on, read page by page as they are needed. */
function* scan<R extends { readonly id: string }>(
  page: (before: string | undefined, limit: number) => readonly R[],
  from: { readonly before: string | undefined; readonly limit: number },
  rowOf: (record: R) => Row,
): Generator<Row> {
  let { before } = from;
  while (true) {
    const records = page(before, from.limit);
    for (const record of records) yield rowOf(record);
    const last = records.at(-1);
    if (last === undefined || records.length < from.limit) return;
    before = last.id;
  }
}

/** Merges sides that are each sorted by falling time; at one time the first side goes first. */
function* newestFirst(sides: readonly Iterator<Row>[]): Generator<Row> {
  const heads = sides.map((side) => ({ side, head: side.next() }));
  while (true) {
    let newest: (typeof heads)[number] | undefined;
    for (const entry of heads) {
      if (entry.head.done) continue;
      if (newest === undefined || newest.head.done || entry.head.value.createdAtMs > newest.head.value.createdAtMs) {
        newest = entry;
      }
    }
    if (newest === undefined || newest.head.done) return;
    yield newest.head.value;
    newest.head = newest.side.next();
  }
}
