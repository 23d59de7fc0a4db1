import { WritError } from '@writ/core';
import type { Database, ReadTx, WriteTx } from '@writ/database';
import {
  isTerminal,
  type Mirror,
  type MirrorStore,
  type NewMirror,
  type TaskEvent,
  type TaskOutcome,
} from '@writ/task-store';
import type { Wakeups } from '../wakeups.ts';

/** Writes what the origin knows of its tasks, each change in its own transaction, then wakes who watches. */
export interface MirrorJournal {
  get(id: string): Mirror | undefined;
  /** Throws NOT_FOUND. */
  require(id: string): Mirror;
  insert(tx: WriteTx, mirror: NewMirror): Mirror;
  /**
   * Takes events over, and the cursor as far as `through`: what lies between them is known, and leaves no row. Stores what
   * `also` does with them. Undefined, with nothing stored, where one is known already. The link works, so much is sure.
   */
  apply(
    id: string,
    events: readonly TaskEvent[],
    more: { readonly through: number; readonly also?: (tx: WriteTx) => void },
  ): Mirror | undefined;
  accept(id: string): void;
  /** No effect on a mirror that is terminal: one that ended without its executor keeps saying so. */
  setUnreachable(id: string, unreachable: boolean): void;
  /** Nothing more is waited for of a mirror that ended without its executor. */
  awaitNothing(id: string): void;
  /** Stores the intent; no effect on a mirror that is terminal. */
  requestCancel(id: string, by: string): Mirror;
  requestCancelIn(tx: WriteTx, id: string, by: string): Mirror;
  /** A person's word that its executor will not come back; the mirror after it. */
  forget(id: string, by: string): Mirror;
  /** Ends a mirror without its executor; no effect on one that is terminal. */
  end(id: string, verdict: Pick<TaskOutcome, 'state' | 'code' | 'message'>): void;
  /** The same for one of which nothing has left this node: its key makes another attempt. */
  endUnsent(id: string, verdict: Pick<TaskOutcome, 'state' | 'code' | 'message'>): void;
  endIn(tx: WriteTx, id: string, verdict: Pick<TaskOutcome, 'state' | 'code' | 'message'>): Mirror | undefined;
}

export function createMirrorJournal(options: {
  readonly database: Database;
  readonly mirrors: MirrorStore;
  readonly wakeups: Wakeups;
}): MirrorJournal {
  const { database, mirrors, wakeups } = options;
  const write = <T>(id: string, fn: (tx: WriteTx) => T): T =>
    database.withWriteTx((tx) => {
      tx.afterCommit(() => wakeups.wake(id));
      return fn(tx);
    });
  const endIn: MirrorJournal['endIn'] = (tx, id, verdict) => {
    const nothingRan = { truncated: false, stdoutBytes: 0, stderrBytes: 0, endedAtMs: tx.nowMs };
    const ended = mirrors.end(tx, id, { ...verdict, ...nothingRan });
    if (ended) audit(tx, ended, verdict.state);
    return ended;
  };
  const requestCancelIn: MirrorJournal['requestCancelIn'] = (tx, id, by) => {
    const mirror = requireMirror(mirrors, tx, id);
    if (isTerminal(mirror.state) || mirror.cancelRequestedAtMs !== undefined) return mirror;
    tx.audit({ kind: 'task', action: 'mirror.cancel-requested', actor: by, subject: id });
    return mirrors.setCancelRequested(tx, id) ?? mirror;
  };
  return {
    get: (id) => database.withReadTx((tx) => mirrors.get(tx, id)),
    require: (id) => database.withReadTx((tx) => requireMirror(mirrors, tx, id)),
    insert(tx, mirror) {
      const inserted = mirrors.insert(tx, mirror);
      audit(tx, inserted, 'submitted');
      return inserted;
    },
    apply: (id, events, more) => write(id, (tx) => applyIn(mirrors, tx, id, { ...more, events })),
    accept: (id) =>
      write(id, (tx) => {
        const mirror = mirrors.setAccepted(tx, id);
        if (mirror && !isTerminal(mirror.state)) mirrors.setUnreachable(tx, id, false);
      }),
    setUnreachable(id, unreachable) {
      const known = database.withReadTx((tx) => mirrors.get(tx, id));
      if (!known || isTerminal(known.state)) return;
      if (known.unreachable !== unreachable) write(id, (tx) => mirrors.setUnreachable(tx, id, unreachable));
    },
    awaitNothing: (id) => {
      write(id, (tx) => awaitNothing(tx, mirrors.setUnreachable(tx, id, false)));
    },
    requestCancel: (id, by) => write(id, (tx) => requestCancelIn(tx, id, by)),
    requestCancelIn,
    forget: (id, by) =>
      write(id, (tx) => {
        const mirror = requireMirror(mirrors, tx, id);
        if (isTerminal(mirror.state)) return mirror;
        if (!mirror.unreachable) throw stillReached(mirror);
        tx.audit({ kind: 'task', action: 'mirror.forgotten', actor: by, subject: id });
        const message = `given up here while ${mirror.peerLabel} could not be reached`;
        return endIn(tx, id, { state: 'lost', code: 'LOST', message }) ?? mirror;
      }),
    end: (id, verdict) => {
      write(id, (tx) => endIn(tx, id, verdict));
    },
    endUnsent: (id, verdict) => {
      write(id, (tx) => {
        if (endIn(tx, id, verdict)) mirrors.giveUpKey(tx, id);
      });
    },
    endIn,
  };
}

function applyIn(
  mirrors: MirrorStore,
  tx: WriteTx,
  id: string,
  { events, through, also }: Parameters<MirrorJournal['apply']>[2] & { readonly events: readonly TaskEvent[] },
): Mirror | undefined {
  for (const event of events) {
    mirrors.passOver(tx, id, event.seq - 1);
    const isLate = event.kind === 'outcome' && isTerminal(requireMirror(mirrors, tx, id).state);
    const applied = mirrors.apply(tx, id, event);
    if (!applied) return undefined;
    if (event.kind === 'outcome') audit(tx, applied, isLate ? 'late' : event.outcome.state);
  }
  mirrors.passOver(tx, id, through);
  also?.(tx);
  const applied = requireMirror(mirrors, tx, id);
  // A mirror that ended without its executor is followed as long as it says so: until the outcome is here.
  const isOpen = isTerminal(applied.state) && events.at(-1)?.kind !== 'outcome';
  return applied.unreachable && !isOpen ? mirrors.setUnreachable(tx, id, false) : applied;
}

function requireMirror(mirrors: MirrorStore, tx: ReadTx, id: string): Mirror {
  const mirror = mirrors.get(tx, id);
  if (mirror) return mirror;
  throw new WritError('NOT_FOUND', 'no such task', { nextSteps: ['list the tasks: writ task list'] });
}

function stillReached({ id, peerLabel }: Mirror): WritError {
  return new WritError('CONFLICT', `${peerLabel} can be reached, and says itself what becomes of the task`, {
    nextSteps: [`to end it: writ task cancel ${id}`],
  });
}

function awaitNothing(tx: WriteTx, mirror: Mirror | undefined): void {
  if (mirror === undefined) return;
  const details = { peer: mirror.peer, session: mirror.session };
  tx.audit({ kind: 'task', action: 'mirror.not-awaited', actor: 'node', subject: mirror.id, details });
}

// INVARIANT: 10 the beginning and the end of every mirror have their audit entry in the same transaction.
function audit(tx: WriteTx, mirror: Mirror, what: 'submitted' | 'late' | TaskOutcome['state']): void {
  tx.audit({
    kind: 'task',
    action: `mirror.${what}`,
    actor: 'node',
    subject: mirror.id,
    details: {
      peer: mirror.peer,
      session: mirror.session,
      code: mirror.outcome?.code ?? null,
      ...(mirror.parent === undefined ? {} : { parent: mirror.parent }),
      ...(mirror.outcome?.result === undefined ? {} : { result: mirror.outcome.result }),
    },
  });
}
