import type { Ask, Lease, Subject } from '@writ/authority';
import type { Grant, Profile } from '@writ/policy';
import type { Granted, Task, TaskBounds } from '@writ/task-store';
import type { StopCause } from '../outcome.ts';
import type { Run, RunSpec } from '../types.ts';

/** What an attempt was started with. */
export interface Permit {
  readonly granted: Granted;
  /** What the effective profile held at the start. */
  readonly closure: readonly string[];
  /** Everything that the start granted. */
  readonly grant: Grant;
  readonly deadlineMs: number;
  /** What the runner was told. */
  readonly spec: RunSpec;
  readonly lease?: Lease;
  /** What becomes of it when its writ ends, as the effective profile said at the start. */
  readonly onPartition: Profile['onPartition'];
}

/** A task that this process is going to run or runs: the part that is in no row. */
export interface LiveTask {
  readonly id: string;
  readonly sender: string;
  readonly subject: Subject;
  readonly ask: Ask;
  readonly bounds: TaskBounds;
  /** A person was asked about it: what asks for approval is taken to have it, until the start looks. */
  readonly approved: boolean;
  /** Ends the preparation of its workspace, which no permit covers yet. */
  readonly preparing: AbortController;
  /** When its writs end, milliseconds since the epoch; a renewal moves it. Absent: it came without any. */
  writEndsAtMs?: number;
  /** Aborted by the first reason why this node ends it. */
  readonly stopped: AbortController;
  /** Set once the transaction that starts the attempt is committed. */
  permit?: Permit;
  /** Set once a process was spawned. */
  run?: Run;
  /** The first reason why this node ends it; later ones change nothing. */
  cause?: StopCause;
  /** Resolves when nothing of it is left in this process; its row is terminal then. */
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/** The live part of a task, from what its row holds or will hold alone, so that a restart makes the same. */
export function createLiveTask(
  task: Pick<Task, 'id' | 'sender' | 'origin' | 'session' | 'chain' | 'spec' | 'bounds'> &
    Partial<Pick<Task, 'granted'>>,
): LiveTask {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    id: task.id,
    sender: task.sender,
    subject: subjectOf(task),
    ask: askOf(task),
    bounds: task.bounds,
    approved: task.granted?.approval !== undefined,
    ...(task.bounds.writExpiresAtMs === undefined ? {} : { writEndsAtMs: task.bounds.writExpiresAtMs }),
    preparing: new AbortController(),
    stopped: new AbortController(),
    ended,
    end,
  };
}

/** Who asked for a task, as its credentials proved when it was accepted. */
function subjectOf(task: Pick<Task, 'sender' | 'origin' | 'session'>): Subject {
  return { from: task.sender, origin: task.origin, session: task.session };
}

/** What policy is asked about a task. */
export function askOf(task: Pick<Task, 'chain' | 'spec' | 'bounds'>): Ask {
  const { spec, bounds } = task;
  return {
    chain: task.chain,
    input: spec.input.kind,
    ...(spec.profile === undefined ? {} : { profile: spec.profile }),
    ...(spec.runner === undefined ? {} : { runner: spec.runner }),
    ...(spec.workspace === undefined ? {} : { workspace: spec.workspace }),
    ...(bounds.grants === undefined ? {} : { grants: bounds.grants }),
    ...(bounds.grantWorkspaces === undefined ? {} : { grantWorkspaces: bounds.grantWorkspaces }),
    ...(bounds.grantNetwork === undefined ? {} : { grantNetwork: bounds.grantNetwork }),
    ...(bounds.maxOutputBytes === undefined ? {} : { grantMaxOutputBytes: bounds.maxOutputBytes }),
    ...(bounds.depthLeft === undefined ? {} : { depthLeft: bounds.depthLeft }),
  };
}

/**
 * Stops a task that has a slot for `cause`, unless something else did first: its preparation now, its run, or what is
 * just being started as soon as it runs.
 */
export function stopLive(live: LiveTask, cause: StopCause): void {
  live.cause ??= cause;
  live.preparing.abort();
  live.stopped.abort();
  live.run?.stop({ kind: 'cancel', cause: live.cause.kind === 'cancel' ? live.cause.by : live.cause.code });
}
