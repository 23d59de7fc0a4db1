import { isTerminal } from '@writ/delegation';
import type { Closers } from '../node/closers.ts';
import type { Foundations } from '../node/foundations.ts';
import type { Work } from '../node/work.ts';
import { serveMetrics } from './metrics-server.ts';
import { metricsPage, type NodeGauges } from './node-metrics.ts';

/** Newest tasks that are looked at to count those that live. */
const COUNTED = 1_000;

/** Serves the metrics of a node where its configuration says so. Throws PORT_IN_USE, BAD_REQUEST. */
export async function serveNodeMetrics(base: Foundations, work: Work, closers: Closers): Promise<void> {
  const { metrics } = base.engine.snapshot().config.telemetry;
  const meter = base.telemetry?.meter;
  if (metrics === undefined || meter === undefined) return;
  const server = await serveMetrics(metrics, () => metricsPage(gaugesOf(base, work), meter));
  closers.add(() => server.close());
}

function gaugesOf({ engine, audit }: Foundations, { peers, authority, gate, executor, origin }: Work): NodeGauges {
  const live = (tasks: readonly { readonly state: Parameters<typeof isTerminal>[0] }[]): number =>
    tasks.filter(({ state }) => !isTerminal(state)).length;
  return {
    generation: engine.snapshot().generation,
    peers: peers.links().map(({ state }) => ({ link: state })),
    liveLeases: authority.listLeases({}).length,
    pendingApprovals: gate.approvals.list({ pendingOnly: true, limit: COUNTED }).length,
    tasksHere: live(executor.list({ limit: COUNTED })),
    tasksAsked: live(origin.list({ limit: COUNTED })),
    auditRows: audit.state().rows,
    residentBytes: process.memoryUsage.rss(),
  };
}
