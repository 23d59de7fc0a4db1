import { quote, sha256Hex, WritError } from '@writ/core';
import type { ReadTx } from '@writ/database';
import type { Mirror } from '@writ/task-store';
import type { RefusedDecision, TaskContext } from '../types.ts';
import type { OriginParts } from './parts.ts';

/** Most tasks that one task may have handed on and that still go on. */
const MOST_LIVE_CHILDREN = 64;

/** What the task may hand on now, in the caller's transaction. Throws where it does not run any more. */
export function requireContext(parts: OriginParts, tx: ReadTx, parent: string): TaskContext {
  if (parts.contextOf) return parts.contextOf(tx, parent);
  throw new WritError('TASK_ENDED', 'this node hands nothing on');
}

/** INVARIANT: 7 a child's session, origin and agent are those of the context, whatever its caller says. */
export function childOf(parent: TaskContext): Pick<Mirror, 'session' | 'origin' | 'agent' | 'parent'> {
  const { task, session, agent, origin } = parent;
  return { parent: task, session, agent, ...(origin === 'self' ? {} : { origin }) };
}

/** A key belongs to the task that hands on: sessions of two origins may have one id, and siblings use the same words. */
export function childKey(parent: string, key: string): string {
  return sha256Hex(JSON.stringify(['child', parent, key]));
}

/**
 * Why the task may not hand this on; asked before every try, and again by whoever receives it.
 * INVARIANT: 3 nobody is in a chain twice, and it is no longer than the limit.
 * INVARIANT: 1 only what holds `subdelegate` hands on, and nothing beyond its own grant.
 */
export function childRefusal(
  parts: OriginParts,
  tx: ReadTx,
  parent: TaskContext,
  wish: Pick<Mirror, 'id' | 'peer' | 'peerLabel' | 'spec'>,
): RefusedDecision | undefined {
  const { generation, config } = parts.engine.snapshot();
  const refuse = (code: string, message: string, nextSteps: readonly string[]): RefusedDecision => ({
    ...{ effect: 'deny', code, message, nextSteps, generation },
  });
  const { peer, peerLabel, spec } = wish;
  if (peer === 'self' || parent.ids.some((id) => id.toLowerCase() === peer.toLowerCase())) {
    const where = peer === 'self' ? 'is here already' : `was at ${quote(peerLabel)} before`;
    return refuse('CHAIN_CYCLE', `the work ${where}`, ['hand it to a node that is not in its chain']);
  }
  if (!parent.closure.includes('subdelegate')) {
    return refuse('GRANT_EXCEEDED', 'the grant of this task may not be handed on', [
      'have the first task run under a profile that holds `subdelegate`',
    ]);
  }
  if (parent.depth < 1 || parent.ids.length + 1 > config.node.maxChain) {
    return refuse('CHAIN_TOO_DEEP', 'no further hop may follow this task', ['do the work here']);
  }
  if (spec.workspace !== undefined && !parent.workspaces.includes(spec.workspace)) {
    return refuse('GRANT_EXCEEDED', `workspace ${quote(spec.workspace)} is not in the grant of this task`, [
      parent.workspaces.length > 0 ? `name one of: ${parent.workspaces.join(', ')}` : 'name no workspace',
    ]);
  }
  const others = parts.mirrors.listLiveChildren(tx, parent.task).filter(({ id }) => id !== wish.id);
  if (others.length < MOST_LIVE_CHILDREN) return undefined;
  return refuse('LIMIT_EXCEEDED', `${MOST_LIVE_CHILDREN} tasks that this one handed on still go on`, [
    'wait for one of them to end',
  ]);
}
