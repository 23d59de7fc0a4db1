import { isWritError, retryStored } from '@writ/core';
import type { EvidenceKit, Removal } from '@writ/delegation';
import { hasChanges } from '@writ/evidence';
import type { WorkspaceKeeper, WorkspaceRow } from '@writ/gateway';
import type {
  KeptWorkspace,
  ListedWorkspace,
  LiveClone,
  StorageRules,
  SweepOrder,
  TaskRunner,
  TaskRunnerOptions,
} from '@writ/runner';
import { isTerminal } from '@writ/task-store';
import type { Foundations } from './foundations.ts';
import { removeInvites } from './invite-removal.ts';
import { resolveConfigPath } from './paths.ts';
import { removeSessions } from './session-removal.ts';

/** What the node keeps on its disk of tasks that are over. */
export interface NodeStorage extends WorkspaceKeeper {
  /** Removes what has had its time or is over the budget; one sweep at a time. */
  sweep(): Promise<void>;
  /** Cuts short the sweep that is under way; resolves when it is over, and nothing sweeps any more. */
  close(): Promise<void>;
}

/** What is kept and made ahead, as the policy in force says. */
export function storageOptions({ engine, home, database }: Foundations): TaskRunnerOptions['storage'] {
  return {
    rules: (): StorageRules => engine.snapshot().config.storage,
    isTimeBelieved: database.isTimeBelieved,
    ready({ name, path }) {
      const workspace = engine.snapshot().config.workspaces.get(name);
      // What was made of another folder serves no task any more.
      if (workspace === undefined || resolveConfigPath(workspace.path, home.configFile) !== path) return 0;
      return workspace.ready;
    },
  };
}

export function createNodeStorage(
  base: Foundations,
  runner: Pick<TaskRunner, 'storage'> & { readonly commands: Pick<TaskRunner['commands'], 'removeOutputs'> },
  evidence: EvidenceKit,
  removal: Pick<Removal, 'sweep'>,
): NodeStorage {
  const { engine, logger } = base;
  const { storage } = runner;
  const closing = new AbortController();
  const order = (): SweepOrder => {
    const { transcriptsMs = Number.POSITIVE_INFINITY } = engine.snapshot().config.storage;
    return {
      holdsWork: holdsWork(base, evidence, closing.signal),
      signal: closing.signal,
      transcriptsBeforeMs: base.clock.nowMs() - transcriptsMs,
      mayForget: ({ task }) => task !== undefined && isHandedOver(base, task),
    };
  };
  // What keeps one of them from ending keeps nothing else.
  const { signal } = closing;
  const steps: Readonly<Record<string, () => Promise<Readonly<Record<string, number>>>>> = {
    clones: async () => ({ ...(await storage.sweep(order())) }),
    outputs: async () => ({ outputs: await runner.commands.removeOutputs((id) => isCommandKept(base, id), signal) }),
    tasks: async () => ({ ...(await removal.sweep()) }),
    sessions: async () => ({ sessions: await removeSessions(base, signal) }),
    invites: async () => ({ invites: await removeInvites(base, signal) }),
  };
  const sweepOnce = async (): Promise<void> => {
    if (!base.database.isTimeBelieved()) {
      logger.warn(whyNot(base));
      return;
    }
    for (const [what, step] of Object.entries(steps)) {
      if (signal.aborted) return;
      try {
        logger.debug('swept what is over', { what, ...(await step()) });
      } catch (error) {
        logger.error('what is over could not be swept', { what, reason: String(error) });
      }
    }
  };
  const audit = createRemovalAudit(base, closing.signal);
  let sweeping: Promise<void> = Promise.resolve();
  return {
    sweep() {
      sweeping = sweeping.then(() => (closing.signal.aborted ? undefined : sweepOnce()));
      return sweeping;
    },
    async close() {
      closing.abort();
      await sweeping;
      await audit.closed();
    },
    held: storage.held,
    undeleted: storage.undeleted,
    async list() {
      const { inUse, ready, kept, bytes } = await storage.list();
      const names = workspaceNames(base);
      const rows = [
        ...inUse.map((clone) => liveRow('in-use', clone, names)),
        ...ready.map((clone) => liveRow('ready', clone, names)),
        ...kept.map(keptRow),
      ];
      return { rows, bytes, budgetBytes: engine.snapshot().config.storage.budgetBytes };
    },
    async remove({ which, unbundled, actor }) {
      const gone: KeptWorkspace[] = [];
      const removed = (ones: readonly KeptWorkspace[]): void => void gone.push(...ones);
      try {
        const order = { unbundled, removed, ...(which === undefined ? {} : { which }) };
        return (await storage.remove(order)).map(keptRow);
      } finally {
        const tasks = gone.flatMap(({ record }) => (record === undefined ? [] : [record.task]));
        if (gone.length > 0) audit.write({ actor, details: { removed: gone.length, tasks, unbundled } });
      }
    },
  };
}

/** Why nothing is removed. */
function whyNot({ database }: Foundations): string {
  if (database.clockIsBackwards())
    return 'nothing is removed until the clock is accepted, which went back: writ lease accept-clock';
  return 'nothing is removed for a day of running: the clock was set ahead, or this node was off for more than a week';
}

/** What is written down of a removal. */
interface RemovalNote {
  readonly actor: string;
  readonly details: { readonly removed: number; readonly tasks: readonly string[]; readonly unbundled: boolean };
}

/**
 * Writes removals down before they are answered, or, where the database takes nothing, behind the scenes until it does or the
 * node closes: its disk may be full of more than what was removed, and the person has to hear what went.
 */
function createRemovalAudit({ database, clock, logger }: Foundations, stopping: AbortSignal) {
  const owed = new Set<Promise<void>>();
  const failed = (error: unknown): void => logger.error('a removal is not written down yet', { reason: String(error) });
  return {
    write(note: RemovalNote): void {
      const step = (): void =>
        database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.workspaces-removed', ...note }));
      try {
        step();
      } catch (error) {
        failed(error);
        if (!isWritError(error, 'DATABASE_ERROR')) throw error;
        const done: Promise<void> = retryStored({ clock, stopping, failed }, step)
          .catch(() => {})
          .finally(() => owed.delete(done));
        owed.add(done);
      }
    },
    async closed(): Promise<void> {
      await Promise.all(owed);
    },
  };
}

/** Whether the clone of a run holds changes: looked at like the evidence of one that has ended. */
function holdsWork(
  { clock, random }: Foundations,
  evidence: EvidenceKit,
  signal: AbortSignal,
): SweepOrder['holdsWork'] {
  return async ({ clone }, dir) => {
    signal.throwIfAborted();
    const { base, objectFormat, source } = clone;
    const { gitDirRoot, path, limits } = evidence;
    const work = { ...cutBy(signal, evidence), gitDirRoot, platform: process.platform, path, clock, random };
    const about = { ...work, objectFormat, limits: limits.collect };
    return hasChanges({
      ...about,
      workspaceDir: dir,
      base,
      ...(base === undefined ? {} : { baseRepository: source }),
    });
  };
}

/** Git, here and in rooms, until `signal` aborts. */
function cutBy(signal: AbortSignal, { git, openRoom }: EvidenceKit): Pick<EvidenceKit, 'git' | 'openRoom'> {
  return {
    git: (call) => git({ ...call, signal }),
    openRoom: openRoom && ((shown) => openRoom({ ...shown, signal })),
  };
}

/** Whether a task has ended and whoever asked for it has signed for its result, and so has its output too. */
function isHandedOver({ database, stores }: Foundations, id: string): boolean {
  return database.withReadTx((tx) => {
    const task = stores.tasks.get(tx, id);
    return task !== undefined && isTerminal(task.state) && stores.results.receipt(tx, id) !== undefined;
  });
}

function isCommandKept({ database, stores }: Foundations, id: string): boolean {
  return database.withReadTx((tx) => stores.executions.has(tx, id));
}

/** Names of the workspaces as they are configured now, by their path. */
function workspaceNames({ engine, home }: Foundations): ReadonlyMap<string, string> {
  const { workspaces } = engine.snapshot().config;
  return new Map([...workspaces].map(([name, { path }]) => [resolveConfigPath(path, home.configFile), name]));
}

function liveRow(
  state: 'in-use' | 'ready',
  { dir, source, bytes }: LiveClone,
  names: ReadonlyMap<string, string>,
): WorkspaceRow {
  const workspace = names.get(source);
  return {
    ...{ state, dir },
    ...(workspace === undefined ? {} : { workspace }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}

function keptRow({ id, dir, record, end, bytes, dueAtMs }: ListedWorkspace): WorkspaceRow {
  return {
    ...{ state: end.state, id, dir, bytes, sinceMs: end.atMs, unbundled: end.unbundled },
    ...(record === undefined ? {} : { task: record.task, workspace: record.workspace }),
    ...(record?.sender === undefined ? {} : { sender: record.sender }),
    ...(dueAtMs === undefined ? {} : { dueAtMs }),
  };
}
