import { nextTurn, WritError } from '@writ/core';
import type { AuditLine } from '../audit-ports.ts';
import type { OperationInput, StreamItem } from '../client/types.ts';
import { eventContract } from '../contract/events.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implementStream } from '../implement.ts';
import type { TaskScope } from '../ports.ts';
import type { CallContext, Caller } from '../types.ts';

/** Lines that are read at once. */
const PAGE = 256;

/** What happens on this node: the audit trail, as far as the asker may know of it. */
export function eventOperations(ports: GatewayPorts): readonly AnyOperation[] {
  return [implementStream(eventContract.events, (input, context) => events(ports, input, context))];
}

/** Throws BAD_REQUEST, before the first item, for a place that is not there yet: it was another node's, or another home's. */
function events(
  ports: GatewayPorts,
  { after, kinds, follow = true }: OperationInput<'events'>,
  { caller, signal }: CallContext,
): AsyncIterable<StreamItem<'events'>> {
  const end = ports.audit.auditEnd();
  // INVARIANT: 7 to a task a place that is not there yet is like any other: how much happens here is nothing of its own.
  if (after !== undefined && after > end && caller.kind === 'host') {
    throw new WritError('BAD_REQUEST', `there is no event ${after}: the newest is ${end}`, {
      nextSteps: ['go on from a number that this node has told', 'or leave it out, for what happens from now on'],
    });
  }
  const wanted = kinds === undefined ? undefined : new Set(kinds);
  const isShown = (line: AuditLine): boolean =>
    (wanted === undefined || wanted.has(line.kind)) && mayKnow(ports.scope, caller, line);
  return readOn(ports, { after: after ?? end, follow, signal }, (line) =>
    isShown(line) ? view(line, caller) : undefined,
  );
}

async function* readOn<T>(
  { audit }: Pick<GatewayPorts, 'audit'>,
  { after, follow, signal }: { readonly after: number; readonly follow: boolean; readonly signal: AbortSignal },
  show: (line: AuditLine) => T | undefined,
): AsyncGenerator<T> {
  let seq = after;
  const changes = createChanges(audit, signal);
  try {
    while (!signal.aborted) {
      // Asked for before the rows are read: what is written in between wakes it.
      const changed = changes.next();
      const lines = audit.auditAfter(seq, PAGE);
      for (const line of lines) {
        const item = show(line);
        if (item !== undefined) yield item;
        seq = line.seq;
      }
      if (lines.length === PAGE) {
        // Where nothing of a page is shown nobody would wait, and the whole trail would be one turn.
        await nextTurn();
        continue;
      }
      if (!follow) return;
      await changed;
    }
  } finally {
    changes.stop();
  }
}

/** Tells that something was written since it was asked. */
function createChanges(audit: Pick<GatewayPorts['audit'], 'onAudit'>, signal: AbortSignal) {
  let wake: () => void = () => {};
  const stopListening = audit.onAudit(() => wake());
  const abort = (): void => wake();
  signal.addEventListener('abort', abort, { once: true });
  return {
    next: (): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve;
        if (signal.aborted) resolve();
      }),
    stop(): void {
      signal.removeEventListener('abort', abort);
      stopListening();
      wake();
    },
  };
}

/** INVARIANT: 7 a task knows of itself and of what it handed on, and of nothing else that happens here. */
function mayKnow(scope: Pick<TaskScope, 'within'>, caller: Caller, line: AuditLine): boolean {
  if (caller.kind === 'host') return true;
  const task = taskOf(line);
  return task !== undefined && (task === caller.task || scope.within(caller.task, task));
}

/** The task that a line is about; undefined: it is about none. */
function taskOf({ kind, subject, details }: AuditLine): string | undefined {
  if (kind === 'task') return subject;
  const task = details?.task;
  return typeof task === 'string' ? task : undefined;
}

/** To a task: what happened, not who did it nor what else was noted for the person of this node. */
function view({ seq, atMs, kind, action, actor, subject, details }: AuditLine, caller: Caller): StreamItem<'events'> {
  return {
    seq,
    at_ms: atMs,
    kind,
    action,
    ...(subject === undefined ? {} : { subject }),
    ...(caller.kind === 'host' ? { actor, ...(details === undefined ? {} : { details: { ...details } }) } : {}),
  };
}
