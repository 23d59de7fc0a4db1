import type { CallMeter } from './call-meter.ts';

/** What a node measures of itself at the moment that somebody asks. */
export interface NodeGauges {
  readonly generation: number;
  readonly peers: readonly { readonly link: string }[];
  readonly liveLeases: number;
  readonly pendingApprovals: number;
  readonly tasksHere: number;
  readonly tasksAsked: number;
  readonly auditRows: number;
  readonly residentBytes: number;
}

/** The whole page, in the text format of Prometheus. */
export function metricsPage(gauges: NodeGauges, meter: Pick<CallMeter, 'lines'>): string {
  const links = new Map<string, number>();
  for (const { link } of gauges.peers) links.set(link, (links.get(link) ?? 0) + 1);
  return [
    ...gauge('writ_policy_generation', 'Generation of the policy in force.', gauges.generation),
    '# HELP writ_peers Peers by the state of their link.',
    '# TYPE writ_peers gauge',
    ...[...links].map(([link, count]) => `writ_peers{link="${link}"} ${count}`),
    ...gauge('writ_leases_live', 'Leases that count now.', gauges.liveLeases),
    ...gauge('writ_approvals_pending', 'Questions that wait for a person.', gauges.pendingApprovals),
    '# HELP writ_tasks_live Tasks that have not ended, by who does them.',
    '# TYPE writ_tasks_live gauge',
    `writ_tasks_live{side="executing"} ${gauges.tasksHere}`,
    `writ_tasks_live{side="asked"} ${gauges.tasksAsked}`,
    ...gauge('writ_audit_rows', 'Rows of the audit trail.', gauges.auditRows),
    ...gauge('process_resident_memory_bytes', 'Resident memory.', gauges.residentBytes),
    ...meter.lines(),
    '',
  ].join('\n');
}

const gauge = (name: string, help: string, value: number): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  `${name} ${value}`,
];
