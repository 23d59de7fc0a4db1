import type { TaskState } from '@writ/delegation';
import { nodeContract } from '../contract/node.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { nodeLabels } from './peer-lookup.ts';
import { refuseAlone } from './separation.ts';
import { isFinished } from './task-lookup.ts';

/** Newest records that the count of live work looks at on each side. */
const COUNTED_TASKS = 1000;

/** The node as a whole; for a person. */
export function nodeOperations(ports: GatewayPorts, upstreams: Pick<Upstreams, 'problems'>): readonly AnyOperation[] {
  const { engine, node, links, clock } = ports;
  return [
    implement(nodeContract.node_status, async () => {
      const info = node.info();
      const { config } = engine.snapshot();
      const policy = engine.status();
      const { unreadable, violations } = policy.lastError ?? {};
      const failure = unreadable ?? violations?.[0]?.message;
      const commandsProblem = node.commandsProblem();
      return {
        id: info.id,
        name: info.name,
        version: info.version,
        pid: info.pid,
        started_at_ms: info.startedAtMs,
        uptime_ms: Math.max(0, clock.nowMs() - info.startedAtMs),
        home: info.home,
        ...(info.meshAddress === undefined ? {} : { mesh_address: info.meshAddress }),
        ...(info.httpAddress === undefined ? {} : { http_address: info.httpAddress }),
        clock_is_backwards: info.clockIsBackwards,
        unseparated: info.unseparated,
        generation: policy.generation,
        policy_digest: policy.digest,
        ...(failure === undefined ? {} : { policy_error: failure }),
        ...(commandsProblem === undefined ? {} : { commands_problem: commandsProblem }),
        policy_parked: policy.parked?.length ?? 0,
        policy_shut: policy.isShut,
        restart_needed: [...policy.restartNeeded],
        peers: [...config.peers.values()].map(({ label, id, enabled }) => ({
          label,
          id,
          enabled,
          link: links.state(id),
        })),
        live_leases: ports.authority.listLeases({}).length,
        running_asked: countLive(ports.origin.list({ limit: COUNTED_TASKS })),
        running_here: countLive(ports.executor.list({ limit: COUNTED_TASKS })),
        audit: auditState(ports),
        unreadable_rows: [...info.unreadableRows],
        sandbox: await node.sandbox(),
        held_work: ports.workspaces.held().map(({ sender, bytes, shareBytes }) => ({
          sender: sender === '' ? 'unknown' : nodeLabels(ports)(sender),
          ...{ bytes, share_bytes: shareBytes },
        })),
        keep_tasks_ms: config.storage.keepTasksMs,
        undeleted_workspaces: [...ports.workspaces.undeleted()],
        upstream_problems: [...upstreams.problems()],
        isolation_none: [...config.profiles.values()]
          .filter((profile) => profile.isolation === 'none')
          .map((profile) => profile.name),
      };
    }),
    implement(nodeContract.node_stop, () => {
      const { pid } = node.info();
      node.requestStop();
      return { stopping: true as const, pid };
    }),
    implement(nodeContract.clock_accept, () => {
      refuseAlone(ports, 'a clock that went back', 'writ lease accept-clock');
      return { revoked: ports.gate.acceptClock('person') };
    }),
  ];
}

function countLive(records: readonly { readonly state: TaskState }[]): number {
  return records.filter(({ state }) => !isFinished(state)).length;
}

function auditState({ auditLog }: Pick<GatewayPorts, 'auditLog'>) {
  const { rows, written, signed, problem } = auditLog.state();
  return {
    ...{ rows, written, signed },
    ...(problem === undefined ? {} : { problem: problem.message, problem_since_ms: problem.sinceMs }),
    next_steps: [...(problem?.nextSteps ?? [])],
  };
}
