import { rmSync } from 'node:fs';
import { formatAddress, type Logger, replacePrivateFile } from '@writ/core';
import type { Database } from '@writ/database';
import type { NodeInfo } from '@writ/gateway';
import type { ShellGrammar } from '@writ/policy';
import { describeGroups, describeSandbox } from '@writ/runner';
import type { Environment } from '../env.ts';
import type { Home } from '../home.ts';
import { ownPidFile } from '../lifecycle/running-pid.ts';
import type { Started } from '../lifecycle/start-node.ts';
import { serveNodeMetrics } from '../telemetry/serve-node-metrics.ts';
import { VERSION } from '../version.ts';
import { hasApprover } from './asking.ts';
import { bindAddress } from './bind-address.ts';
import { type Closers, createClosers } from './closers.ts';
import { createCommandLooker } from './command-looker.ts';
import { type Foundations, openFoundations } from './foundations.ts';
import { issueHostToken } from './host-token.ts';
import type { ThreadFiles } from './looking-thread.ts';
import { advertisedAddress } from './mesh-address.ts';
import { createSetupAdvice } from './setup-advice.ts';
import { createSurfaces, type Surfaces } from './surfaces.ts';
import { createWork, type Work } from './work.ts';

/** A node that serves. */
export interface RunningNode {
  readonly started: Started;
  readonly surfaces: Surfaces;
  readonly work: Work;
  readonly database: Database;
  /** Ends everything in the reverse order of its start; work may take `graceMs` to end. */
  close(graceMs: number): Promise<void>;
}

export interface ComposeOptions {
  readonly home: Home;
  readonly environment: Environment;
  readonly logger: Logger;
  /** What commands are read with. */
  readonly loadGrammar: () => Promise<ShellGrammar>;
  /** The thread that commands are classified on. */
  readonly commandThread: { readonly script: URL; readonly files: ThreadFiles };
  /** The bundle that starts processes. */
  readonly spawner: URL;
  /** Files and folders of this program, absolute, for tasks that talk to their node. */
  readonly programs: readonly string[];
  /** Called when somebody with the host token asks the node to stop. */
  readonly requestStop: () => void;
}

/**
 * The composition root: the only place that builds the parts of a node and hands them to each other. What was opened
 * is closed again, in reverse, when a later part fails.
 */
export async function composeNode(options: ComposeOptions): Promise<RunningNode> {
  const closers = createClosers();
  try {
    return await compose(options, closers);
  } catch (error) {
    await closers.close(0);
    throw error;
  }
}

async function compose(options: ComposeOptions, closers: Closers): Promise<RunningNode> {
  const { home, environment, logger } = options;
  const base = await openFoundations(home, logger, closers);
  const { spawner, programs } = options;
  const grammar = await options.loadGrammar();
  const looker = createCommandLooker({ ...options.commandThread, clock: base.clock, logger });
  closers.add(() => looker.close());
  // While the rest is built; a node that could look at no command would refuse every one.
  const looking = looker.start();
  looking.catch(() => undefined);
  const work = await createWork(base, { environment, spawner, programs, grammar, looker }, closers);
  await looking;
  const info = createInfo(base);
  const surfaces = createSurfaces(
    base,
    work,
    {
      node: {
        info: () => info.value,
        sandbox: async () => `${describeSandbox(await work.sandbox())}; ${describeGroups(await work.groups())}`,
        commandsProblem: () => looker.problem(),
        requestStop: options.requestStop,
      },
      address: () => info.value.meshAddress,
      advice: createSetupAdvice(home, environment),
    },
    closers,
  );
  // What an earlier boot left behind is settled before anybody can ask.
  await surfaces.pairing.recover();
  const unknownCommands = await work.desk.recover();
  const recovered = { ...(await work.executor.recover()), unknownCommands };
  await info.listen(surfaces);
  await issueHostToken(base.database, base.stores.tokens, home.tokenFile, base.random);
  closers.add(() => rmSync(home.tokenFile, { force: true }));
  await replacePrivateFile(home.pidFile, ownPidFile(home), base.random);
  closers.add(() => rmSync(home.pidFile, { force: true }));
  await surfaces.gateway.listenControl(home.socketFile);
  // From now on a socket that is not there is lost, and not to come.
  await replacePrivateFile(home.holderFile, ownPidFile(home), base.random);
  await info.listenHttp(surfaces);
  await serveNodeMetrics(base, work, closers);
  await work.origin.recover();
  work.desk.start();
  closers.add(sweepRegularly(base, work));
  base.database.withWriteTx((tx) =>
    tx.audit({ kind: 'node', action: 'node.started', actor: 'node', details: recovered }),
  );
  // Without this row before the next start the node was killed.
  closers.add(() =>
    base.database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.stopping', actor: 'node' })),
  );
  const { id, meshAddress } = info.value;
  logger.info('serving', { id, meshAddress, ...recovered });
  return {
    started: { pid: process.pid, id, ...(meshAddress === undefined ? {} : { listen: meshAddress }) },
    surfaces,
    work,
    database: base.database,
    close: (graceMs) => closers.close(graceMs),
  };
}

/** Whether the host token alone, or any process with it and a terminal, lends, pairs and widens. */
function isUnseparated(base: Foundations): boolean {
  return base.engine.snapshot().config.approvals.mode === 'terminal' || !hasApprover(base);
}

/** What the node says of itself; its address is known once the mesh listens. */
function createInfo(base: Foundations): {
  readonly value: NodeInfo;
  listen(surfaces: Surfaces): Promise<void>;
  listenHttp(surfaces: Surfaces): Promise<void>;
} {
  const { node, gateway } = base.engine.snapshot().config;
  let value: Omit<NodeInfo, 'unseparated' | 'clockIsBackwards' | 'unreadableRows'> = {
    id: base.identity.public.id,
    name: node.name,
    version: VERSION,
    pid: process.pid,
    startedAtMs: base.clock.nowMs(),
    home: base.home.root,
  };
  return {
    get value() {
      return {
        ...value,
        clockIsBackwards: base.database.clockIsBackwards(),
        unseparated: isUnseparated(base),
        unreadableRows: base.database.quarantined().map(({ table, key }) => `${table}/${key}`),
      };
    },
    async listen(surfaces) {
      if (node.listen === undefined) return;
      const { listen } = node;
      const bound = await bindAddress(base, 'node.listen', () => surfaces.mesh.listen(listen));
      if (bound !== undefined) value = { ...value, meshAddress: advertisedAddress(listen, bound.port) };
    },
    async listenHttp(surfaces) {
      if (gateway.listen === undefined) return;
      const { listen } = gateway;
      const bound = await bindAddress(base, 'gateway.listen', () => surfaces.gateway.listenHttp(listen));
      if (bound !== undefined) value = { ...value, httpAddress: formatAddress(bound) };
    },
  };
}

/** How often dead records are looked for, milliseconds. */
const SWEEP_EVERY_MS = 3_600_000;

/** How often questions and commands that have had their time are ended, with what waits for them, milliseconds. */
const EXPIRE_EVERY_MS = 10_000;

/** Removes what is dead for long, now and every hour; returns how to stop. */
function sweepRegularly(base: Foundations, work: Work): () => void {
  const sweep = (): void => {
    void work.storage.sweep();
    try {
      const { approvals, executions, windows } = work.gate;
      base.logger.debug('swept', {
        ...work.authority.sweep(),
        approvals: approvals.sweep().expired,
        executions: executions.sweep().expired,
        windows: windows.sweep(),
      });
    } catch (error) {
      base.logger.error('could not sweep', { reason: (error as Error).message });
    }
  };
  const expire = (): void => {
    try {
      work.gate.approvals.sweep();
      work.gate.executions.sweep();
      base.database.withWriteTx((tx) => tx.settleRefusals());
    } catch (error) {
      base.logger.error('what nobody answered or started in time was not ended', { reason: (error as Error).message });
    }
  };
  sweep();
  const stops = [base.clock.setEvery(SWEEP_EVERY_MS, sweep), base.clock.setEvery(EXPIRE_EVERY_MS, expire)];
  return () => {
    for (const stop of stops) stop();
  };
}
