import { createContinuationWorker } from '@writ/authority';
import { type Clock, createFairTurns, quote, WritError } from '@writ/core';
import type { Execution, ExecutionOutcome } from '@writ/lease-store';
import { askAgain, keyOfNext } from './again.ts';
import { createAskRates } from './ask-rates.ts';
import { createHeldUp } from './held-up.ts';
import type { CommandDeskOptions, DeskParts } from './parts.ts';
import { proposePlan } from './plans.ts';
import { PREPARED_AT_ONCE } from './preparing.ts';
import { proposeCommand } from './proposing.ts';
import { createLiveCommands, type LiveCommands } from './running.ts';
import type { CommandCaller, CommandDesk, CommandView, PlanSpec, WishAnswer } from './types.ts';
import { isFinal, viewOf, waitingFor } from './view.ts';
import { createWakeups } from './wakeups.ts';
import { watchCommand } from './watching.ts';
import { checkWish } from './wish.ts';

/** The desk of one node, with what makes commands go on. */
export interface LiveCommandDesk extends CommandDesk {
  /**
   * What an earlier node left running has an unknown outcome, once none of its processes is left; before `start`, and
   * before anything else of this node runs. Returns how many.
   */
  recover(): Promise<number>;
  /** Begins to take up what may run, now, at every change, and every few seconds. */
  start(): void;
  /** Ends what a task asked for and still runs, and starts nothing more of it; resolves when no process of it is left. */
  endOf(task: string): Promise<void>;
  /** The end of the task is stored; what still waited has been ended in the same transaction. */
  taskEnded(task: string): void;
  /** Takes no more up and ends what runs; resolves when that is stored. */
  close(): Promise<void>;
}

/** How often what may have become ready unnoticed is looked for, milliseconds. */
const LOOK_EVERY_MS = 5_000;
const GOING_DOWN: ExecutionOutcome = { code: 'CANCELLED', message: 'the node went down while it ran' };
const BY_CALLER: ExecutionOutcome = { code: 'CANCELLED', message: 'its caller cancelled it' };

export function createCommandDesk(options: CommandDeskOptions): LiveCommandDesk {
  const { gate, engine, processes, logger } = options;
  const { executions } = gate;
  const parts: DeskParts = {
    ...options,
    rates: createAskRates(options.clock),
    turns: createFairTurns(PREPARED_AT_ONCE),
  };
  const wakeups = createWakeups();
  const live = createLiveCommands(options, wakeups.wake);
  /** By the one that has ended; whoever watches that learns which one takes its place. */
  const askingAgain = new Map<string, Promise<unknown>>();
  const heldUp = createHeldUp(wakeups.wake);
  const onChanged = (execution: Execution): void => {
    const asking = askAgain(parts, execution).finally(() => {
      askingAgain.delete(execution.id);
      worker.wake();
    });
    askingAgain.set(execution.id, asking);
  };
  const worker = createContinuationWorker({
    ...{ executions, engine, runner: live, clock: options.clock, logger },
    ...{ onChanged, onHeldUp: heldUp.note },
  });
  const view = (execution: Execution): CommandView => viewHere(options, execution, heldUp.of(execution.id));
  const own = (caller: CommandCaller, id: string): Execution => requireOwn(options, caller, id);
  const stops: (() => void)[] = [];
  return {
    async ask(caller, wish, named, signal) {
      checkWish(wish);
      // INVARIANT: 7 tasks of one session know nothing of each other's keys.
      const key = caller.kind === 'task' ? `${caller.task} ${named}` : named;
      if (wish.kind === 'plan') return askPlan(parts, caller, { plan: wish.plan, key, signal });
      const outcome = await proposeCommand(parts, caller, { command: wish.command, key, signal });
      if (!outcome.proposed) return refused(options, outcome.refusal);
      worker.wake();
      return { accepted: true, command: view(executions.get(outcome.execution.id) ?? outcome.execution) };
    },
    show: (caller, id) => view(own(caller, id)),
    list: (caller, limit) => listOwn(options, caller, limit).map(view),
    watch(caller, id, offset, signal) {
      own(caller, id);
      const readOutput = (from: number): ReturnType<typeof processes.readOutput> => processes.readOutput(id, from);
      const news = wakeups.listen(id);
      const settled = async (): Promise<unknown> => askingAgain.get(id);
      const live = { get: () => executions.get(id), heldUp: () => heldUp.of(id) };
      return watchCommand({ ...live, view, readOutput, settled, news, signal }, offset);
    },
    cancel: async (caller, id, signal) => view(await cancel(own(caller, id), { options, live, wakeups, signal })),
    async recover() {
      // INVARIANT: 9 a process that has let go of everything it inherited outlived its node, and is not looked for twice.
      if (executions.countRunning() > 0) await options.endLeft();
      return executions.recover();
    },
    start() {
      stops.push(...followChanges(options, live, { wakeUp: () => worker.wake(), tell: wakeups.wake }));
      worker.wake();
    },
    endOf: (task) => live.stopOf(task),
    taskEnded(task) {
      // An ending that no attempt came before, after a restart, has stopped nothing yet.
      void live.stopOf(task);
      live.forget(task);
    },
    async close() {
      for (const stop of stops.splice(0)) stop();
      const closed = worker.close();
      live.stopAll(GOING_DOWN);
      await closed;
      await Promise.all(askingAgain.values());
    },
  };
}

/** What may let a command start, or takes away what one runs by. */
function followChanges(
  { gate, engine, authority, clock }: CommandDeskOptions,
  live: LiveCommands,
  { wakeUp, tell }: { readonly wakeUp: () => void; readonly tell: (id: string) => void },
): readonly (() => void)[] {
  const endWithdrawn = (): void => {
    for (const { execution, refusal } of gate.executions.withdrawn()) live.stop(execution.id, refusal);
    live.stopBeyond();
    wakeUp();
  };
  return [
    gate.events.add((event) => {
      if (event.kind === 'execution') tell(event.execution.id);
      wakeUp();
    }),
    engine.onChange(endWithdrawn),
    authority.onLeaseRevoked(endWithdrawn),
    every(clock, LOOK_EVERY_MS, wakeUp),
  ];
}

function every(clock: Clock, everyMs: number, look: () => void): () => void {
  return clock.setEvery(everyMs, look);
}

async function askPlan(
  options: DeskParts,
  caller: CommandCaller,
  asked: { readonly plan: PlanSpec; readonly key: string; readonly signal: AbortSignal | undefined },
): Promise<WishAnswer> {
  const outcome = await proposePlan(options, caller, asked);
  if (!outcome.asked) return refused(options, outcome.refusal);
  const { id, state, createdAtMs, expiresAtMs } = outcome.approval;
  const why = state === 'pending' ? waitingFor(nodeName(options), createdAtMs, id) : `was ${state}, approval ${id}`;
  return { accepted: true, question: { approval: id, state, why, expiresAtMs, steps: outcome.steps } };
}

function refused(
  { engine }: CommandDeskOptions,
  refusal: Extract<WishAnswer, { accepted: false }>['refusal'],
): WishAnswer {
  return { accepted: false, refusal, generation: engine.snapshot().generation };
}

function nodeName({ engine }: CommandDeskOptions): string {
  return engine.snapshot().config.node.name;
}

function viewHere(options: CommandDeskOptions, execution: Execution, heldUp: string | undefined): CommandView {
  const isChanged = execution.outcome?.code === 'CHANGED_SINCE_APPROVAL';
  const next = isChanged
    ? options.gate.executions.findByKey({ ...execution, idempotencyKey: keyOfNext(execution) })
    : undefined;
  const place = { node: nodeName(options), clockIsBackwards: options.database.clockIsBackwards(), heldUp };
  return viewOf(execution, place, next?.id);
}

/**
 * INVARIANT: 7 the one ownership check: the host reaches every command of its node, a peer those that it asked for, a
 * task those that it asked for itself; whatever else is there is not there for them.
 */
function reaches(caller: CommandCaller, { requestedBy, task }: Execution): boolean {
  switch (caller.kind) {
    case 'host':
      return true;
    case 'task':
      return task === caller.task;
    case 'peer':
      return task === undefined && requestedBy === caller.id;
  }
}

function requireOwn({ gate }: CommandDeskOptions, caller: CommandCaller, id: string): Execution {
  const execution = gate.executions.get(id);
  if (execution !== undefined && reaches(caller, execution)) return execution;
  throw new WritError('NOT_FOUND', `no execution ${quote(id)} of yours here`, {
    nextSteps: [
      'see them with list_executions or writ execution list',
      'one that runs at a peer is asked for there (an agent: `at`): writ execution show EXECUTION --peer PEER',
    ],
  });
}

function listOwn({ gate }: CommandDeskOptions, caller: CommandCaller, limit: number): readonly Execution[] {
  if (caller.kind === 'task') return gate.executions.list({ task: caller.task, limit });
  return gate.executions.list({ limit }).filter((execution) => reaches(caller, execution));
}

/**
 * INVARIANT: 8 acknowledged when nothing of it runs any more, and nothing of it can start. Whoever is not there any more to hear
 * that waits no longer; what was stopped stays stopped.
 */
async function cancel(
  { id }: Execution,
  {
    options,
    live,
    wakeups,
    signal,
  }: {
    readonly options: CommandDeskOptions;
    readonly live: LiveCommands;
    readonly wakeups: ReturnType<typeof createWakeups>;
    readonly signal: AbortSignal;
  },
): Promise<Execution> {
  const { executions } = options.gate;
  const waiting = executions.cancel(id);
  if (waiting !== undefined) return waiting;
  const news = wakeups.listen(id);
  try {
    for (;;) {
      const execution = executions.get(id);
      if (execution === undefined) throw new WritError('NOT_FOUND', `no execution ${quote(id)} any more`);
      if (isFinal(execution)) return execution;
      live.stop(id, BY_CALLER);
      if (signal.aborted) throw new WritError('CANCELLED', 'its caller does not wait for its end any more');
      await news.next(signal);
    }
  } finally {
    news.stop();
  }
}
