import { nextTurn, quote, WritError } from '@writ/core';
import type { AuditReader } from '../audit-ports.ts';
import type { OperationInput, StreamItem } from '../client/types.ts';
import { eventContract } from '../contract/events.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implementStream } from '../implement.ts';
import type { TaskScope } from '../ports.ts';
import type { CallContext } from '../types.ts';
import { viewLine } from '../views/audit-view.ts';

/** Lines that are read at once. */
const PAGE = 256;

/** What happens on this node: the audit trail, as far as the asker may know of it. */
export function eventOperations(ports: GatewayPorts): readonly AnyOperation[] {
  return [implementStream(eventContract.events, (input, context) => events(ports, input, context))];
}

/** Throws BAD_REQUEST, before the first item, for a place that is not there yet (it was another node's, or another home's), and for a kind that there is not. */
function events(
  { audit, auditKinds, scope }: GatewayPorts,
  { after, kinds, follow = true }: OperationInput<'events'>,
  { caller, signal, turn = nextTurn }: CallContext,
): AsyncIterable<StreamItem<'events'>> {
  const trail = caller.kind === 'host' ? trailOfNode(audit) : trailOfTask(audit, scope, caller.task);
  const end = trail.end();
  if (after !== undefined && after > end) {
    throw new WritError('BAD_REQUEST', `there is no event ${after}: the newest is ${end}`, {
      nextSteps: ['go on from a number that this node has told', 'or leave it out, for what happens from now on'],
    });
  }
  const unknown = kinds?.find((kind) => !auditKinds.includes(kind));
  if (unknown !== undefined) {
    throw new WritError('BAD_REQUEST', `there are no events of kind ${quote(unknown)}`, {
      nextSteps: [`one of: ${auditKinds.join(', ')}`],
    });
  }
  const wanted = kinds === undefined ? undefined : new Set(kinds);
  return readOn(audit, trail, {
    after: after ?? end,
    isWanted: ({ kind }) => wanted === undefined || wanted.has(kind),
    ...{ follow, signal, turn },
  });
}

/** One asker's own view of the audit trail: numbered from 1, without holes, and only ever longer. */
interface Trail {
  /** Number of its newest event; 0: there is none. */
  end(): number;
  /** At most `PAGE` of what stands behind number `place`, oldest first. */
  after(place: number): readonly StreamItem<'events'>[];
}

/** To the host token: every row, whole, by its own number. */
function trailOfNode(audit: AuditReader): Trail {
  return {
    end: () => audit.auditEnd(),
    after: (place) => audit.auditAfter(place, PAGE).map(viewLine),
  };
}

/**
 * To a task: what happened to itself and to what it handed on, not who did it nor what else was noted for the person of this node.
 * INVARIANT: 7 its events are counted by themselves, and the rows of others neither read nor numbered: how much happens here
 * besides shows in nothing. What a task hands on has no rows before it is handed on, so that no number is given anew.
 */
function trailOfTask(audit: AuditReader, scope: Pick<TaskScope, 'members'>, task: string): Trail {
  const tasks = (): readonly string[] => [task, ...scope.members(task, Number.MAX_SAFE_INTEGER)];
  return {
    end: () => audit.auditCountOfTasks(tasks()),
    after: (place) =>
      audit.auditOfTasks(tasks(), place, PAGE).map(({ atMs, kind, action, subject }, n) => ({
        ...{ seq: place + n + 1, at_ms: atMs, kind, action },
        ...(subject === undefined ? {} : { subject }),
      })),
  };
}

interface Reading {
  readonly after: number;
  readonly isWanted: (event: StreamItem<'events'>) => boolean;
  readonly follow: boolean;
  readonly signal: AbortSignal;
  /** Resolves when the next page may be read: nothing else is done while one is. */
  readonly turn: () => Promise<void>;
}

async function* readOn(
  audit: Pick<AuditReader, 'onAudit'>,
  trail: Trail,
  { after, isWanted, follow, signal, turn }: Reading,
): AsyncGenerator<StreamItem<'events'>> {
  let place = after;
  const changes = createChanges(audit, signal);
  try {
    while (!signal.aborted) {
      // Asked for before the rows are read: what is written in between wakes it.
      const changed = changes.next();
      // However many readers there are, and also where nothing of a page is shown.
      await turn();
      const page = trail.after(place);
      for (const event of page) {
        if (isWanted(event)) yield event;
        place = event.seq;
      }
      if (page.length === PAGE) continue;
      if (!follow) return;
      await changed;
    }
  } finally {
    changes.stop();
  }
}

/** Tells that something was written since it was asked. */
function createChanges(audit: Pick<AuditReader, 'onAudit'>, signal: AbortSignal) {
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
