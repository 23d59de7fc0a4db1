import { WritError } from '@writ/core';
import type { ReadTx } from '@writ/database';
import { type Decision, type Grant, meetNetworks, type Snapshot, type SubjectRules } from '@writ/policy';
import { isTerminal, type Task } from '@writ/task-store';
import type { TaskContext } from '../types.ts';
import type { ExecutorParts } from './parts.ts';
import { decideRunning } from './running-decision.ts';

/**
 * What a task that runs here may hand on at most: the meet of what its start granted and of what it would be granted
 * now. Throws TASK_ENDED where it does not run, TRUST_REVOKED where it may not any more, TOKEN_INVALID where nobody's
 * session stands behind it.
 */
export function contextOf(parts: ExecutorParts, tx: ReadTx, id: string): TaskContext {
  const task = parts.tasks.get(tx, id);
  const live = parts.live.get(id);
  if (!task || isTerminal(task.state) || !live?.permit || live.cause || task.cancelRequestedAtMs !== undefined) {
    throw new WritError('TASK_ENDED', 'the task that asks does not run any more');
  }
  // INVARIANT: 7 a context without a session is refused, not defaulted.
  if (task.session === '') throw new WritError('TOKEN_INVALID', 'no session stands behind the task that asks');
  const writs = parts.tasks.writs(tx, id);
  // A record that lost its writs would begin a chain of its own: more authority, not less.
  if (writs.length !== task.chain.length) {
    throw new WritError('WRIT_INVALID', 'the writs of the task that asks are not all there');
  }
  // INVARIANT: 2 nothing is handed on that the policy of this moment does not grant.
  const decision = decideRunning(parts.engine, live, live.permit);
  if (decision.effect !== 'allow' || !decision.grant) {
    throw new WritError('TRUST_REVOKED', `the task that asks is not allowed any more: ${decision.message}`);
  }
  return {
    task: id,
    origin: task.origin,
    session: task.session,
    agent: task.agent,
    ids: task.chain,
    writs,
    ...meet(live.permit.grant, decision.grant),
    runner: live.permit.granted.effectiveRunner,
    workspaces: workspacesOf(parts.engine.snapshot(), task, decision),
    expiresAtMs: Math.min(live.permit.deadlineMs, task.bounds.writExpiresAtMs ?? Number.POSITIVE_INFINITY),
    ...(live.run ? { files: live.run.files } : {}),
  };
}

/** INVARIANT: 1 the smaller of what the start granted and what is granted now, in everything. */
function meet(
  start: Grant,
  now: Grant,
): Pick<TaskContext, 'closure' | 'network' | 'isolation' | 'maxOutputBytes' | 'depth'> {
  return {
    closure: start.closure.filter((capability) => now.closure.includes(capability)),
    network: meetNetworks(start.network, now.network),
    isolation: [start.isolation, now.isolation].includes('required') ? 'required' : 'none',
    maxOutputBytes: Math.min(start.maxOutputBytes, now.maxOutputBytes),
    depth: Math.min(start.depth, now.depth),
  };
}

/** Workspaces that the sender, both profiles and every writ allow. */
function workspacesOf({ config }: Snapshot, task: Task, decision: Decision): readonly string[] {
  const rules = rulesOf(config, task.sender);
  const profiles = [decision.requestedProfile, decision.effectiveProfile].map((name) =>
    config.profiles.get(name ?? ''),
  );
  const bounds = [task.bounds.grantWorkspaces, ...profiles.map((profile) => profile?.workspaces)];
  return (rules?.workspaces ?? []).filter((name) =>
    bounds.every((bound) => bound === undefined || bound.includes(name)),
  );
}

function rulesOf(config: Snapshot['config'], sender: string): SubjectRules | undefined {
  if (sender === 'self') return config.self;
  return [...config.peers.values()].find(({ id }) => id.toLowerCase() === sender.toLowerCase());
}
