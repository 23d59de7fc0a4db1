import { bindAddress } from '../node/bind-address.ts';
import type { Closers } from '../node/closers.ts';
import type { Foundations } from '../node/foundations.ts';
import type { Work } from '../node/work.ts';
import { serveMetrics } from './metrics-server.ts';
import { metricsPage, type NodeGauges } from './node-metrics.ts';

/** Newest questions that are counted. */
const COUNTED = 1_000;

/** Serves the metrics of a node where its configuration says so. Throws PORT_IN_USE, BAD_REQUEST. */
export async function serveNodeMetrics(base: Foundations, work: Work, closers: Closers): Promise<void> {
  const { metrics } = base.engine.snapshot().config.telemetry;
  const meter = base.telemetry?.meter;
  if (metrics === undefined || meter === undefined) return;
  const page = (): string => metricsPage(gaugesOf(base, work), meter);
  const server = await bindAddress(base, 'telemetry.metrics', () => serveMetrics(metrics, page, base.logger));
  closers.add(() => server?.close());
}

function gaugesOf(base: Foundations, { peers, authority, gate }: Work): NodeGauges {
  const { engine, audit, database, stores } = base;
  const tasks = database.withReadTx((tx) => ({
    tasksHere: stores.tasks.countLive(tx),
    tasksAsked: stores.mirrors.countLive(tx),
  }));
  return {
    generation: engine.snapshot().generation,
    peers: peers.links().map(({ state }) => ({ link: state })),
    liveLeases: authority.listLeases({}).length,
    pendingApprovals: gate.approvals.list({ pendingOnly: true, limit: COUNTED }).length,
    ...tasks,
    auditRows: audit.state().rows,
    residentBytes: process.memoryUsage.rss(),
  };
}
